import { createClient } from '../../src/client/zookeeper.js';
import { startBundled } from '../support/bundled.js';
import { runZksh, startZksh, type ZkshProcess } from '../support/terminal/run-zksh.js';
import { waitFor } from '../support/wait-for.js';

export interface World {
  readonly connect: string;
  readonly observer: ReturnType<typeof createClient>;
  /** Starts zksh with one command. Ends it with the test. */
  start(line: string, ...options: string[]): ZkshProcess;
  run(line: string, ...options: string[]): ReturnType<typeof runZksh>;
  /** Waits until a znode has `count` children, and returns them. */
  children(path: string, count: number): Promise<readonly string[]>;
}

/** A command that prints "holding", and ends with its input. */
export const HOLD = `sh -c 'echo holding; cat'`;

/** Runs a test on a server, and ends every zksh that it started. */
export async function inWorld(
  work: (world: World) => Promise<void>,
  config: Readonly<Record<string, string>> = {},
): Promise<void> {
  // On a busy machine, a holder may pause for seconds, and must not lose its session.
  const times = { tickTime: '200', maxSessionTimeout: '40000' };
  const server = await startBundled({ config: { ...times, ...config } });
  const observer = createClient({ connectString: server.connectString });
  const started: ZkshProcess[] = [];
  try {
    await observer.connect();
    await work({
      connect: server.connectString,
      observer,
      start: (line, ...options) => {
        const zksh = startZksh([server.connectString, ...options, '-c', line]);
        started.push(zksh);
        return zksh;
      },
      run: (line, ...options) => runZksh([server.connectString, ...options, '-c', line]),
      children: (path, count) =>
        waitFor(`${count} children of ${path}`, async () => {
          if ((await observer.exists(path)) === null) return undefined;
          const { children } = await observer.getChildren(path);
          return children.length === count ? children : undefined;
        }),
    });
  } finally {
    for (const { child } of started) child.kill('SIGKILL');
    for (const { child } of started) child.stdin?.destroy();
    await observer.close();
    await server.close();
  }
}

export function says(zksh: ZkshProcess, text: string): Promise<unknown> {
  return waitFor(`"${text}" from zksh (stderr: ${zksh.stderr()})`, () =>
    zksh.stdout().includes(text),
  );
}
