/**
 * Serves until SIGTERM or SIGINT, then shuts down. A second signal ends the process at once, which
 * is safe: the log is synced before any write is acknowledged. The server outlives SIGHUP without a
 * terminal, as of nohup, and the other signals of users; SIGQUIT reports its state.
 */

import { execFile } from 'node:child_process';
import { isatty } from 'node:tty';
import type { Result } from '../results/result.js';
import { explainForbidden, mustSeeData } from './sandbox.js';
import { ignoredSettings } from './script-environment.js';
import { targetOf } from './target.js';
import { type ServerVerb, TARGET_ARGS, type VerbIo } from './verb.js';

/** `start` waits for this message on the IPC channel. */
export const SERVING_MESSAGE = 'serving';

export const startForeground: ServerVerb = {
  name: 'start-foreground',
  summary: 'Run the server in the foreground until a signal stops it',
  args: TARGET_ARGS,
  options: {},
  run: async (args, io) => {
    const target = targetOf(args);
    const { config, configFile, host, port, warnings } = target;
    mustSeeData(target);
    const ignored = ignoredSettings(args, io.env);
    for (const warning of [...ignored, ...warnings]) io.writeError(warning);
    const ending = waitForSignal();
    const asked = serveOnAfterSignals();
    const { createLogger, logLevelOf, startServer } = await import('../../server/main.js');
    const logger = await createLogger({
      level: logLevelOf(config, io.env['ZKSERVER_LOG_LEVEL']),
      auditFile: config.auditFile,
    });
    return new Promise<Result>((resolve, reject) => {
      const fail = (error: unknown) => reject(explainForbidden(error, target, io));
      const serve = async () => {
        const server = await startServer({
          parsed: config,
          ...(configFile === undefined ? {} : { configFile }),
          host,
          port,
          onReport: logger.report,
          onFatal: fail,
        });
        asked.report = () => server.reportState();
        announce(io);
        await ending;
        await server.close();
        logger.close();
        resolve({ kind: 'end' });
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
    // Node.js undoes what nohup did. A terminal that hangs up ends the server, as it does Java's.
    process.on('SIGHUP', () => {
      if ([0, 1, 2].some((descriptor) => isatty(descriptor))) resolve();
    });
  });
}

/** Node.js would end, also of output that nobody takes, or open a debugger on SIGUSR1. */
function serveOnAfterSignals(): { report: () => void } {
  const asked = { report: (): void => undefined };
  process.on('SIGQUIT', () => asked.report());
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => undefined);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return asked;
}
