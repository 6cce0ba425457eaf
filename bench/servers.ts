/** Starts the servers to compare, each as a separate process with a new folder. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '../src/server/node/sockets/free-ports.js';
import { NETTY_JARS, ZOOKEEPER_JAR } from '../test/support/apache/oracle.js';

export const JAVA = '/usr/bin/java';
const ZKSERVER = fileURLToPath(new URL('../bin/zkserver.cjs', import.meta.url));

export type ServerKind = 'zksh' | 'apache';

export interface BenchServer {
  readonly kind: ServerKind;
  readonly port: number;
  readonly pid: number;
  /** Milliseconds from the start of the process until it answers `srvr`. */
  readonly readyMs: number;
  /** The data folder; pass it to `startBenchServer` to restart on the same data. */
  readonly folder: string;
  /** Resident memory in MiB. */
  residentMiB(): number;
  /** Processor time so far, in ms: a busy machine changes it least. */
  cpu(): CpuTime;
  /** kill -9, and keeps the folder. */
  kill(): Promise<void>;
  /** kill -9, and removes the folder. */
  stop(): Promise<void>;
}

/** In ms. Our server decides and answers on its main thread. */
export interface CpuTime {
  readonly allThreads: number;
  readonly mainThread: number;
}

export function hasApache(): boolean {
  return existsSync(ZOOKEEPER_JAR) && existsSync(JAVA);
}

/** "3.8.0" */
export function apacheVersion(): string {
  const { stdout } = spawnSync('dpkg', ['-s', 'zookeeper'], { encoding: 'utf8' });
  return /^Version: (.*)$/m.exec(stdout)?.[1] ?? 'of unknown version';
}

export interface SeatLines {
  readonly port: number;
  /** More lines for zoo.cfg. */
  readonly lines: readonly string[];
}

export interface StartOptions {
  /** Its data; a new folder by default. */
  readonly folder?: string;
  /** Its place in an ensemble; the server is ready when it has a leader. */
  readonly seat?: SeatLines;
  /** Our program; by default that of this build. */
  readonly zkserver?: string;
  /** The only core that it may use; all by default. */
  readonly core?: number | undefined;
  /** The Node.js that runs our program; by default the one of this process. */
  readonly node?: string | undefined;
}

export async function startBenchServer(
  kind: ServerKind,
  home: string,
  options: StartOptions = {},
): Promise<BenchServer> {
  const {
    folder = join(home, `${kind}-${Date.now()}`),
    seat,
    zkserver = ZKSERVER,
    core,
    node = process.execPath,
  } = options;
  mkdirSync(folder, { recursive: true });
  const port = seat?.port ?? (await freePort());
  const file = join(folder, 'zoo.cfg');
  const lines = [
    `dataDir=${join(folder, 'data')}`,
    `clientPort=${port}`,
    'clientPortAddress=127.0.0.1',
    'tickTime=2000',
    'maxClientCnxns=0',
    'maxSessionTimeout=600000',
    'admin.enableServer=false',
    '4lw.commands.whitelist=*',
    ...(seat?.lines ?? []),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const startedAt = performance.now();
  const command = kind === 'zksh' ? [node, zkserver, 'start-foreground', file] : apacheOn(file);
  const pin = core === undefined ? [] : ['taskset', '--cpu-list', `${core}`];
  const [program = '', ...args] = [...pin, ...command];
  const child = spawn(program, args, { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    await serving(port, child);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const { pid = 0 } = child;
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return {
    kind,
    port,
    pid,
    folder,
    readyMs: performance.now() - startedAt,
    residentMiB: () => residentMiB(pid),
    cpu: () => ({
      allThreads: cpuMs(`${pid}`),
      mainThread: cpuMs(`${pid}/task/${pid}`),
    }),
    kill,
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** With the defaults of the JVM, as Debian starts it. */
function apacheOn(file: string): string[] {
  const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
  const classPath = [ZOOKEEPER_JAR, '/usr/share/java/slf4j-nop.jar', ...NETTY_JARS].join(':');
  return [JAVA, '-cp', classPath, main, file];
}

async function serving(port: number, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (await answersSrvr(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`no server answered on port ${port}`);
}

async function answersSrvr(port: number): Promise<boolean> {
  return (await modeOf(port)) !== undefined;
}

/** The mode that it reports, such as "leader"; undefined while it does not serve. */
export function modeOf(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('srvr'));
    socket.setTimeout(2000, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(/^Mode: (.*)$/m.exec(answer)?.[1]));
  });
}

function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Linux counts processor time in hundredths of a second. */
export function cpuMs(task: string): number {
  const stat = readFileSync(`/proc/${task}/stat`, 'utf8');
  const [user = '0', system = '0'] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11);
  return (Number(user) + Number(system)) * 10;
}

export async function freePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1, '127.0.0.1');
  return port;
}
