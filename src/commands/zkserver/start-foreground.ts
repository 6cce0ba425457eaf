/**
 * Serves until SIGTERM or SIGINT, then closes in order. A second signal ends the process at once:
 * the log is synced before anything is acknowledged, so nothing can be lost by it.
 */
import { targetOf } from './target.js';
import { Exit, type ServerVerb, TARGET_ARGS } from './verb.js';

/** What `start` waits for, over the channel to the process it started. */
export const SERVING_MESSAGE = 'serving';

export const startForeground: ServerVerb = {
  name: 'start-foreground',
  summary: 'serve in this process until it is told to end',
  args: TARGET_ARGS,
  options: [],
  run: async (args, io) => {
    const { config, configFile, host, port, warnings } = targetOf(args);
    for (const warning of warnings) io.writeError(warning);
    const ending = waitForSignal();
    const { createLogger, logLevelOf, startServer } = await import('../../server/main.js');
    const logger = await createLogger({
      level: logLevelOf(config, io.env['ZKSERVER_LOG_LEVEL']),
      auditFile: config.auditFile,
    });
    return new Promise<number>((resolve, reject) => {
      const serve = async () => {
        const server = await startServer({
          parsed: config,
          ...(configFile === undefined ? {} : { configFile }),
          host,
          port,
          onReport: logger.report,
          onFatal: reject,
        });
        announce();
        await ending;
        await server.close();
        logger.close();
        resolve(Exit.OK);
      };
      serve().catch(reject);
    });
  },
};

function announce(): void {
  process.send?.(SERVING_MESSAGE, undefined, undefined, () => process.disconnect?.());
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
