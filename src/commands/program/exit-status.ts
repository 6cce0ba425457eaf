/**
 * The exit statuses of the three programs. Monitors fix 0 to 3 of zkops (Monitoring Plugins), and
 * Apache's scripts 0 and 1. sysexits.h has 64 and 65, so that no usage error looks critical to a
 * monitor.
 */
export const ExitCode = {
  ok: 0,
  failed: 1,
  connection: 3,
  noNode: 4,
  nodeExists: 5,
  notEmpty: 6,
  badVersion: 7,
  noAuth: 8,
  partial: 9,
  /** EX_USAGE, in all three programs. */
  usage: 64,
  /** EX_DATAERR: a file of members or limits. */
  badFile: 65,
  unknownCommand: 127,
  interrupted: 130,
  /** 128 + SIGPIPE, as a shell reports it. */
  readerGone: 141,
} as const;

/** The verdict of zkops, or `unknown` if it could not ask. */
export const VERDICT_STATUS = { healthy: 0, warning: 1, critical: 2, unknown: 3 } as const;

/** The statuses of zkserver and its server. */
export const SERVER_STATUS = { untrustedData: 3, dataDir: 4, port: 5, logWrite: 6 } as const;

/** Help and manual pages list it. */
export type ExitStatuses = readonly (readonly [status: number, meaning: string])[];

export const EXIT_STATUSES = {
  zksh: [
    [ExitCode.ok, 'success'],
    [ExitCode.failed, 'another failure'],
    [ExitCode.connection, 'no connection, or no answer in time'],
    [ExitCode.noNode, 'a znode does not exist'],
    [ExitCode.nodeExists, 'a znode already exists'],
    [ExitCode.notEmpty, 'a znode has children'],
    [ExitCode.badVersion, 'a znode has another version'],
    [ExitCode.noAuth, 'an ACL denies permission'],
    [ExitCode.partial, 'partly done'],
    [ExitCode.usage, 'invalid command line; zksh sent no request'],
    [ExitCode.unknownCommand, 'unknown command'],
    [ExitCode.interrupted, 'interrupted'],
    [ExitCode.readerGone, 'the reader of the output closed the pipe'],
  ],
  zkops: [
    [VERDICT_STATUS.healthy, 'healthy'],
    [VERDICT_STATUS.warning, 'warning, such as a member that is down'],
    [VERDICT_STATUS.critical, 'critical, such as a lost quorum or a damaged file'],
    [VERDICT_STATUS.unknown, 'cannot judge'],
    [ExitCode.usage, 'invalid command line'],
    [ExitCode.badFile, 'invalid hosts file or zoo.cfg'],
    [ExitCode.interrupted, 'interrupted'],
  ],
  zkserver: [
    [ExitCode.ok, 'success; a server shut down cleanly'],
    [ExitCode.failed, 'not running, already running, or an unexpected error'],
    [SERVER_STATUS.untrustedData, 'the data cannot be trusted'],
    [SERVER_STATUS.dataDir, 'the data directory cannot be used'],
    [SERVER_STATUS.port, 'the server cannot listen on a port'],
    [SERVER_STATUS.logWrite, 'the log could not be written'],
    [ExitCode.usage, 'invalid command line or zoo.cfg'],
  ],
} as const satisfies Readonly<Record<string, ExitStatuses>>;
