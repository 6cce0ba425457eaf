/**
 * Measures the time and memory of one command in a terminal, from the start of its process to its
 * end or first prompt. The commands take turns, so that other work on the machine slows all of them
 * equally. The medians are compared.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { median } from './figures.js';
import { type BenchServer, hasApache, JAVA, startBenchServer } from './servers.js';

const BIN = new URL('../bin/', import.meta.url);
const ZKSH = fileURLToPath(new URL('zksh.cjs', BIN));
const ZKOPS = fileURLToPath(new URL('zkops.cjs', BIN));
const CLASS_PATH =
  '/usr/share/java/zookeeper.jar:/usr/share/java/commons-cli.jar:/usr/share/java/slf4j-nop.jar';
const MEMBERS = 3;
export const APACHE_SHELL = "Apache's Java shell";

export interface CommandFigures {
  readonly name: string;
  /** Median. */
  readonly ms: number;
  /** Peak resident memory; NaN if it was not measured. */
  readonly peakMiB: number;
}

interface Measured {
  readonly name: string;
  readonly command: readonly string[];
  /** The measurement ends when the command prints this, or, without it, when the command exits. */
  readonly until?: string;
}

/** The installed commands, in this order; the first is Node.js itself, which runs ours. */
export async function measureCommands(home: string, runs: number): Promise<CommandFigures[]> {
  const servers: BenchServer[] = [];
  try {
    for (let i = 0; i < MEMBERS; i++) servers.push(await startBenchServer('zksh', home));
    const [target = '', ...others] = servers.map(({ port }) => `127.0.0.1:${port}`);
    const commands = commandsOn(target, [target, ...others].join(','));
    await run([process.execPath, ZKSH, target, '-c', 'create /a hello']);
    const times = commands.map((): number[] => []);
    for (let i = 0; i < runs; i++) {
      for (const [at, { command, until }] of commands.entries()) {
        times[at]?.push(await run(command, until));
      }
    }
    const answers: number[] = [];
    for (let i = 0; i < runs; i++) answers.push(await slowestAnswerMs(servers));
    const figures = [];
    for (const [at, { name, command, until }] of commands.entries()) {
      const peakMiB = until === undefined ? await peakMemory(command) : Number.NaN;
      figures.push({ name, ms: median(times[at] ?? []), peakMiB });
    }
    return [
      ...figures,
      { name: `slowest mntr of ${MEMBERS} members`, ms: median(answers), peakMiB: Number.NaN },
    ];
  } finally {
    for (const server of servers) await server.stop();
  }
}

function commandsOn(target: string, members: string): Measured[] {
  const { execPath: node } = process;
  const commands: Measured[] = [
    { name: 'node -e 0', command: [node, '-e', '0'] },
    { name: "zksh -c 'get /a'", command: [node, ZKSH, target, '-c', 'get /a'] },
    {
      name: `zkops mntr, ${MEMBERS} members`,
      command: [node, ZKOPS, 'mntr', '--servers', members],
    },
  ];
  if (spawnSync('script', ['--version']).status === 0) {
    // script(1) provides a terminal.
    const command = ['script', '-qfec', `'${node}' '${ZKSH}' ${target}`, '/dev/null'];
    commands.push({ name: 'zksh until the first prompt', command, until: '> ' });
  }
  if (hasApache()) {
    const main = ['org.apache.zookeeper.ZooKeeperMain', '-server', target, 'get', '/a'];
    commands.push({ name: APACHE_SHELL, command: [JAVA, '-cp', CLASS_PATH, ...main] });
  }
  return commands;
}

/** Wall time in ms. */
function run([file = '', ...args]: readonly string[], until?: string): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(file, args, {
      stdio: until === undefined ? 'ignore' : ['pipe', 'pipe', 'ignore'],
    });
    let said = '';
    let promptMs: number | undefined;
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      if (promptMs !== undefined || !said.includes(until ?? '')) return;
      promptMs = performance.now() - startedAt;
      // Ctrl-D: the shell restores the terminal and closes the session.
      child.stdin?.end('\u0004');
    });
    child.once('error', reject);
    child.once('exit', (status) => {
      const isExpected =
        until === undefined ? status === 0 || file !== JAVA : promptMs !== undefined;
      if (isExpected) resolve(promptMs ?? performance.now() - startedAt);
      else reject(new Error(`${file} ${args.join(' ')} ended with ${status}: ${said}`));
    });
  });
}

/** A separate run from the timed one, because measuring memory takes time. */
async function peakMemory([file = '', ...args]: readonly string[]): Promise<number> {
  const child = spawn(file, args, { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let peakKiB = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peakKiB = Math.max(peakKiB, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    } catch {
      // The process has ended; the event `exit` follows.
    }
  }, 1);
  await ended;
  clearInterval(look);
  return peakKiB / 1024;
}

async function slowestAnswerMs(servers: readonly BenchServer[]): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    servers.map(
      ({ port }) =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(port, '127.0.0.1', () => socket.write('mntr'));
          socket
            .on('error', reject)
            .on('close', () => resolve())
            .resume();
        }),
    ),
  );
  return performance.now() - startedAt;
}
