/**
 * Serves until SIGTERM or SIGINT, then shuts down. A second signal ends the process at once, which
 * is safe: the log is synced before any write is acknowledged.
 */
import { execFile } from 'node:child_process';
import { explainReadOnly, mustSeeData } from './sandbox.js';
import { ignoredSettings } from './script-environment.js';
import { targetOf } from './target.js';
import { Exit, type ServerVerb, TARGET_ARGS, type VerbIo } from './verb.js';

/** `start` waits for this message on the IPC channel. */
export const SERVING_MESSAGE = 'serving';

export const startForeground: ServerVerb = {
  name: 'start-foreground',
  summary: 'Run the server in the foreground until a signal stops it',
  args: TARGET_ARGS,
  options: [],
  run: async (args, io) => {
    const target = targetOf(args);
    const { config, configFile, host, port, warnings } = target;
    mustSeeData(target);
    const ignored = ignoredSettings(args, io.env);
    for (const warning of [...ignored, ...warnings]) io.writeError(warning);
    const ending = waitForSignal();
    const { createLogger, logLevelOf, startServer } = await import('../../server/main.js');
    const logger = await createLogger({
      level: logLevelOf(config, io.env['ZKSERVER_LOG_LEVEL']),
      auditFile: config.auditFile,
    });
    return new Promise<number>((resolve, reject) => {
      const fail = (error: unknown) => reject(explainReadOnly(error, target, io));
      const serve = async () => {
        const server = await startServer({
          parsed: config,
          ...(configFile === undefined ? {} : { configFile }),
          host,
          port,
          onReport: logger.report,
          onFatal: fail,
        });
        announce(io);
        await ending;
        await server.close();
        logger.close();
        resolve(Exit.OK);
      };
      serve().catch(fail);
    });
  },
};

function announce(io: VerbIo): void {
  process.send?.(SERVING_MESSAGE, undefined, undefined, () => process.disconnect?.());
  if (io.env['NOTIFY_SOCKET']) notifySystemd(io);
}

/** Node.js has no Unix datagram sockets, so this calls systemd-notify. */
function notifySystemd(io: VerbIo): void {
  execFile('systemd-notify', ['--ready', '--status=serving'], (error) => {
    if (error !== null) io.writeError(`zkserver: systemd-notify: failed: ${error.message.trim()}`);
  });
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
