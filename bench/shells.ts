/** How long one command takes from a terminal: process start to exit, against a running server. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasApache, startBenchServer } from './servers.js';

const ZKSH = fileURLToPath(new URL('../bin/zksh.cjs', import.meta.url));
const JAVA = '/usr/bin/java';
const CLASS_PATH =
  '/usr/share/java/zookeeper.jar:/usr/share/java/commons-cli.jar:/usr/share/java/slf4j-nop.jar';
const RUNS = 15;

export interface ShellFigures {
  /** Medians in ms; null where the shell is not installed. */
  readonly nodeMs: number;
  readonly zkshMs: number;
  readonly javaMs: number | null;
}

export async function measureShells(home: string): Promise<ShellFigures> {
  const server = await startBenchServer('zksh', home);
  const target = `127.0.0.1:${server.port}`;
  const java = ['-cp', CLASS_PATH, 'org.apache.zookeeper.ZooKeeperMain', '-server', target];
  try {
    spawnSync(process.execPath, [ZKSH, target, '-c', 'create /a hello'], { stdio: 'ignore' });
    return {
      nodeMs: await medianMs(process.execPath, ['-e', '0']),
      zkshMs: await medianMs(process.execPath, [ZKSH, target, '-c', 'get /a']),
      javaMs: hasApache() && existsSync(JAVA) ? await medianMs(JAVA, [...java, 'get', '/a']) : null,
    };
  } finally {
    await server.stop();
  }
}

async function medianMs(command: string, args: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) times.push(await wallMs(command, args));
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}

function wallMs(command: string, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', (status) => {
      if (status === 0) resolve(performance.now() - startedAt);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${status}`));
    });
  });
}
