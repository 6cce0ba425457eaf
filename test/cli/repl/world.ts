// Shared parts of the terminal tests of the shell. Tests of the server's side run with each kind
// of server, and tests of the terminal with any.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { test } from 'uvu';
import type { ZooKeeperClient } from '../../../src/client/base/client.js';
import { createClient } from '../../../src/client/zookeeper.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { SharedByTests } from '../../support/shared-by-tests.js';
import { startTerminal, type Terminal } from '../../support/terminal/terminal.js';

const ZKSH = fileURLToPath(new URL('../../../bin/zksh.cjs', import.meta.url));

export interface World {
  readonly terminal: Terminal;
  /** Another session, for changes that the shell should notice. */
  readonly other: ZooKeeperClient;
  readonly server: string;
  /** The file to which a shell script writes its process id. */
  readonly pidFile: string;
  /** The options of all shells of this test. */
  readonly historyFile: string;
  /** Starts a second shell with the same home folder. */
  readonly again: (options?: Partial<WorldOptions>) => Promise<Terminal>;
}

export interface WorldOptions {
  readonly target: string;
  readonly columns: number;
  readonly rows: number;
  /** In addition to the options of every shell of a test. */
  readonly env: Readonly<Record<string, string>>;
  /** In a shell script, where `zksh` stands for the program and its arguments. */
  readonly script: string;
}

export interface ReplServer {
  readonly connectString: string;
  /** The connect string of the other session. Default: the same server. */
  readonly others?: string;
  close(): Promise<void>;
}

export interface ReplSuite {
  /** The kind of server in the names of the tests. */
  readonly name: string;
  readonly register: typeof test | typeof test.skip;
  start(): Promise<ReplServer>;
  /** Whether to run the tests that do not depend on the kind of server. */
  readonly isWhole: boolean;
}

interface ReplTest {
  readonly title: string;
  readonly work: () => Promise<void>;
  readonly isOfServer: boolean;
}

const tests: ReplTest[] = [];
let server: ReplServer | undefined;

/** Registers the tests. The first one starts the server, and the last one stops it. */
export function runReplSuite({ name, register, isWhole, start }: ReplSuite): void {
  const shared = new SharedByTests(start);
  for (const { title, work, isOfServer } of tests) {
    if (!isWhole && !isOfServer) continue;
    const run = shared.use((started) => {
      server = started;
      return work();
    });
    register(`${name}: ${title}`, run);
  }
}

export function serverTest(title: string, work: () => Promise<void>): void {
  tests.push({ title, work, isOfServer: true });
}

export function terminalTest(title: string, work: () => Promise<void>): void {
  tests.push({ title, work, isOfServer: false });
}

export async function inWorld(
  work: (world: World) => Promise<void>,
  options: Partial<WorldOptions> = {},
): Promise<void> {
  if (server === undefined) throw new Error('runReplSuite was not called');
  const { connectString, others = connectString } = server;
  const home = makeTempDir('repl');
  const pidFile = join(home.path, 'pid');
  const historyFile = join(home.path, 'history');
  // The role comes into the prompt some time after the connection.
  const config = join(home.path, 'config.json');
  writeFileSync(config, '{"prompt-role": false}');
  const other = createClient({ connectString: others });
  const terminals: Terminal[] = [];
  const again: World['again'] = async (more = {}) => {
    const chosen = { ...options, ...more };
    const { target = connectString, script = 'exec zksh', env: added, ...size } = chosen;
    const start = `sh -c 'echo $$ >"$0"; exec "$@"' '${pidFile}'`;
    const program = `zksh() { ${start} '${process.execPath}' '${ZKSH}' '${target}' "$@"; }\n${script}`;
    const command =
      script === 'exec zksh' ? [process.execPath, ZKSH, target] : ['sh', '-c', program];
    const env = { ZKSH_HISTFILE: historyFile, ZKSH_CONFIG: config, PAGER: '', ...added };
    const terminal = await startTerminal({ command, env, ...size });
    terminals.push(terminal);
    return terminal;
  };
  try {
    await other.connect();
    const terminal = await again();
    await work({ terminal, other, server: connectString, again, pidFile, historyFile });
  } finally {
    await Promise.all(terminals.map((terminal) => terminal.close()));
    await other.sync('/');
    for (const path of await other.getChildren('/').then(({ children }) => children)) {
      if (path !== 'zookeeper') await deleteAll(other, `/${path}`);
    }
    await other.close();
    home.remove();
  }
}

async function deleteAll(client: ZooKeeperClient, path: string): Promise<void> {
  for (const name of (await client.getChildren(path)).children) {
    await deleteAll(client, `${path}/${name}`);
  }
  await client.delete(path);
}

/** Types a line and presses Enter. */
export async function enter(terminal: Terminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press('Enter');
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
