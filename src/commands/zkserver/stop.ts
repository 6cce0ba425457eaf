import { setTimeout as delay } from 'node:timers/promises';
import { ExitCode } from '../program/exit-status.js';
import { isAlive, PidFile } from './pid-file.js';
import { targetOf } from './target.js';
import { type ServerVerb, said, TARGET_ARGS, verbError } from './verb.js';

/** Stopping takes less than a second, but a large snapshot takes longer. */
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 20;

export const stop: ServerVerb = {
  name: 'stop',
  summary: 'Stop the background server, and wait until it has ended',
  args: TARGET_ARGS,
  options: {},
  run: async (args, io) => {
    const pidFile = new PidFile(targetOf(args).dataDir, io.env);
    const pid = pidFile.runningPid();
    if (pid === undefined) {
      io.writeError(
        `zkserver: ${pidFile.path}: no running server of zkserver start\n  A unit stops with: sudo systemctl stop zkserver`,
      );
      pidFile.remove();
      return { kind: 'end' };
    }
    process.kill(pid, 'SIGTERM');
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (isAlive(pid)) {
      if (Date.now() > deadline) {
        const waited = `${STOP_TIMEOUT_MS / 1000} s`;
        throw verbError(ExitCode.failed, `process ${pid} did not end in ${waited}`);
      }
      await delay(POLL_MS);
    }
    pidFile.remove();
    return said('STOPPED');
  },
};
