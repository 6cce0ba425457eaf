/**
 * `npm run bench`: measures our server and, where installed, Apache's under the same loads in one
 * run on one machine, then the commands. Prints tables with ratios for bench/RESULTS.md.
 *
 *   npm run bench -- [--quick] [--only get,set,commands] [--json]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { APACHE_SHELL, type CommandFigures, measureCommands } from './commands.js';
import { type LoadOp, type LoadResult, prepareLoad, runLoad } from './load.js';
import {
  apacheVersion,
  type BenchServer,
  hasApache,
  type ServerKind,
  startBenchServer,
} from './servers.js';
import { commit, printTable } from './table.js';

interface Load {
  readonly op: LoadOp;
  readonly connections: number;
  readonly inFlight: number;
  readonly count: number;
}

interface Measured extends LoadResult {
  /** Processor time of the server for each operation. */
  readonly cpuMicros: number;
}

interface Figures {
  readonly readyMs: number;
  readonly idleMiB: number;
  readonly loadedMiB: number;
  readonly results: readonly Measured[];
}

const DATA_SIZE = 100;
const MAX_SECONDS = 30;

function loads(isQuick: boolean, only: readonly string[]): Load[] {
  const share = isQuick ? 0.1 : 1;
  const many = (op: LoadOp, inFlight: number, count: number): Load => ({
    op,
    connections: 10,
    inFlight,
    count: Math.ceil(count * share),
  });
  const one = (op: LoadOp): Load => ({
    op,
    connections: 1,
    inFlight: 1,
    count: Math.ceil(10_000 * share),
  });
  return [
    many('get', 32, 1_000_000),
    many('exists', 32, 1_000_000),
    many('getChildren', 32, 1_000_000),
    many('set', 32, 300_000),
    many('set', 256, 500_000),
    many('create', 32, 200_000),
    one('get'),
    one('set'),
    one('create'),
  ].filter(({ op }) => only.length === 0 || only.includes(op));
}

/**
 * Starts all servers, then runs each load on one after the other, for several rounds, so that other
 * work on the machine affects all equally. Keeps the median round by operations a second.
 */
async function measure(
  kinds: readonly ServerKind[],
  home: string,
  all: readonly Load[],
  rounds: number,
): Promise<Figures[]> {
  const servers: BenchServer[] = [];
  try {
    const idle: number[] = [];
    for (const kind of kinds) {
      const server = await startBenchServer(kind, home);
      servers.push(server);
      idle.push(server.residentMiB());
      await prepareLoad(server.port, '/reads', DATA_SIZE);
      await prepareLoad(server.port, '/creates', DATA_SIZE);
    }
    // Two passes over the whole list, because the first one runs before the JVM and V8 are warm.
    const warm = all.map((load) => ({ ...load, count: Math.ceil(load.count / 5) }));
    for (const load of warm) for (const server of servers) await runOne(server, load);
    const results = servers.map((): Measured[] => []);
    for (const load of all) {
      const runs = servers.map((): Measured[] => []);
      for (let i = 0; i < rounds; i++) {
        for (const [at, server] of servers.entries()) runs[at]?.push(await runOne(server, load));
      }
      for (const [at, of] of runs.entries()) results[at]?.push(medianRun(of));
      process.stderr.write(`${label(load)}\n`);
    }
    return servers.map((server, at) => ({
      readyMs: server.readyMs,
      idleMiB: idle[at] ?? Number.NaN,
      loadedMiB: server.residentMiB(),
      results: results[at] ?? [],
    }));
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function runOne(server: BenchServer, load: Load): Promise<Measured> {
  const cpuBefore = server.cpuMs();
  const result = await runLoad({
    ...load,
    port: server.port,
    warmUp: Math.ceil(load.count / 10),
    size: DATA_SIZE,
    maxSeconds: MAX_SECONDS,
    parent: load.op === 'create' ? '/creates' : '/reads',
  });
  return { ...result, cpuMicros: ((server.cpuMs() - cpuBefore) * 1000) / (result.done * 1.1) };
}

function medianRun(runs: readonly Measured[]): Measured {
  const sorted = [...runs].sort((a, b) => a.opsPerSecond - b.opsPerSecond);
  return sorted[Math.floor(sorted.length / 2)] as Measured;
}

function label({ op, connections, inFlight }: Load): string {
  return `${op}, ${connections} x ${inFlight}`;
}

function print(all: readonly Load[], ours: Figures, theirs: Figures | null): void {
  const rows = [
    [
      'load',
      ...['zksh ops/s', 'p50 ms', 'p99 ms', 'CPU us/op'],
      ...['Apache ops/s', 'p50 ms', 'p99 ms', 'CPU us/op'],
      ...['ratio', 'of CPU'],
    ],
  ];
  all.forEach((load, i) => {
    const mine = ours.results[i];
    const other = theirs?.results[i];
    if (mine === undefined) return;
    const ratio = other === undefined ? '-' : (mine.opsPerSecond / other.opsPerSecond).toFixed(2);
    const ofCpu = other === undefined ? '-' : (other.cpuMicros / mine.cpuMicros).toFixed(2);
    rows.push([label(load), ...columns(mine), ...columns(other), ratio, ofCpu]);
  });
  printTable(rows);
  const pair = (name: string, read: (figures: Figures) => number): string[] => {
    const other = theirs === null ? '-' : read(theirs).toFixed(0);
    const ratio = theirs === null ? '-' : (read(ours) / read(theirs)).toFixed(2);
    return [name, read(ours).toFixed(0), other, ratio];
  };
  printTable([
    ['', 'zksh', 'Apache', 'ratio'],
    pair('start until srvr answers, ms', ({ readyMs }) => readyMs),
    pair('resident memory idle, MiB', ({ idleMiB }) => idleMiB),
    pair('resident memory after the loads, MiB', ({ loadedMiB }) => loadedMiB),
  ]);
}

function columns(result: Measured | undefined): string[] {
  if (result === undefined) return ['-', '-', '-', '-'];
  const errors = result.errors > 0 ? ` (${result.errors} errors)` : '';
  return [
    Math.round(result.opsPerSecond).toLocaleString('en') + errors,
    result.p50Ms.toFixed(3),
    result.p99Ms.toFixed(3),
    result.cpuMicros.toFixed(2),
  ];
}

/** Compares every command with Node.js, which starts each of ours, and with Apache's shell. */
function printCommands(all: readonly CommandFigures[], runs: number): void {
  const java = all.find(({ name }) => name === APACHE_SHELL);
  const share = (value: number, whole: number | undefined): string => {
    return whole === undefined || Number.isNaN(value) ? '-' : (value / whole).toFixed(2);
  };
  printTable([
    [`median of ${runs}`, 'ms', 'of `node -e 0`', `of ${APACHE_SHELL}`, 'peak MiB', `of its`],
    ...all.map(({ name, ms, peakMiB }) => [
      name,
      ms.toFixed(ms < 10 ? 1 : 0),
      share(ms, all[0]?.ms),
      share(ms, java?.ms),
      Number.isNaN(peakMiB) ? '-' : peakMiB.toFixed(0),
      share(peakMiB, java?.peakMiB),
    ]),
  ]);
}

async function main(args: readonly string[]): Promise<void> {
  const only = args.includes('--only') ? (args[args.indexOf('--only') + 1]?.split(',') ?? []) : [];
  const all = loads(args.includes('--quick'), only);
  const runs = args.includes('--quick') ? 5 : 21;
  const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
  try {
    const kinds: ServerKind[] = hasApache() ? ['zksh', 'apache'] : ['zksh'];
    const rounds = args.includes('--quick') ? 1 : 3;
    const [ours, theirs = null] = all.length === 0 ? [] : await measure(kinds, home, all, rounds);
    const isAsked = only.length === 0 || only.includes('commands');
    const commands = isAsked ? await measureCommands(home, runs) : [];
    if (args.includes('--json')) {
      process.stdout.write(`${JSON.stringify({ loads: all, ours, theirs, commands })}\n`);
      return;
    }
    const apache = hasApache() ? apacheVersion() : 'not installed';
    process.stdout.write(
      `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
        `Node.js ${process.version}, Apache ZooKeeper ${apache}, ${DATA_SIZE} bytes of data\n\n`,
    );
    if (ours !== undefined) print(all, ours, theirs);
    if (isAsked) printCommands(commands, runs);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
