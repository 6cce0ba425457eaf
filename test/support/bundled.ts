import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type RunningEnsemble,
  type RunningServer,
  type StartEnsembleOptions,
  type StartServerOptions,
  startEnsemble,
  startServer,
} from '../../src/server/main.js';
import { freePort } from './machine/free-port.js';
import { type WatchedProcess, watchProcess } from './machine/watched-process.js';
import { waitFor } from './wait-for.js';

const ZKSERVER = fileURLToPath(new URL('../../bin/zkserver.cjs', import.meta.url));

const OPEN = { '4lw.commands.whitelist': '*', maxClientCnxns: '0' };

/**
 * The bundled server in the process of the test, on a free port. Without a `dataDir`, it keeps its
 * data in memory.
 */
export function startBundled(options: StartServerOptions = {}): Promise<RunningServer> {
  return startServer({ ...options, config: { ...OPEN, ...options.config } });
}

/** Three bundled servers that form an ensemble, on free ports and in a temporary folder. */
export function startBundledEnsemble(options: StartEnsembleOptions = {}): Promise<RunningEnsemble> {
  return startEnsemble({ ...options, config: { ...OPEN, ...options.config } });
}

export interface BundledProcess extends WatchedProcess {
  readonly port: number;
}

/**
 * The bundled server as a separate process, for tests that kill it. It listens on a free port of
 * the loopback interface.
 * @param config lines of its zoo.cfg, which is written beside the data directory
 * @throws Error with its output, if it ends before it serves
 */
export async function spawnBundled(
  dataDir: string,
  config: Readonly<Record<string, string>> = {},
): Promise<BundledProcess> {
  const file = `${dataDir}.cfg`;
  const lines = {
    dataDir,
    clientPort: await freePort(),
    clientPortAddress: '127.0.0.1',
    maxClientCnxns: 0,
    'admin.enableServer': false,
    ...config,
  };
  writeFileSync(
    file,
    Object.entries(lines)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  const running = runZkserver(['start-foreground', file]);
  const [, port] = await waitFor('the bundled server to serve', () => {
    const { exitCode, signalCode } = running.process;
    if (exitCode !== null || signalCode !== null) {
      throw new Error(`zkserver ended with ${exitCode ?? signalCode}:\n${running.output()}`);
    }
    return /serving on .*:(\d+),/.exec(running.output());
  });
  return { port: Number(port), ...running };
}

/**
 * Runs zkserver with any arguments.
 * @param prefix a command that runs the rest of its line, in the same process
 * @param bundle the path of another build of it
 */
export function runZkserver(
  args: readonly string[],
  prefix: readonly string[] = [],
  bundle = ZKSERVER,
): WatchedProcess {
  const [command = process.execPath, ...rest] = [...prefix, process.execPath, bundle, ...args];
  return watchProcess(spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] }));
}
