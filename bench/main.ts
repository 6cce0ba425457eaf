/**
 * `npm run bench`: measures our server and, where installed, Apache's under the same loads in one
 * run on one machine, then the commands. Prints tables with ratios for bench/RESULTS.md.
 *
 *   npm run bench -- [--quick] [--only get,set,commands] [--rounds 7] [--against REV]
 *                    [--node PROGRAM] [--json]
 *
 * Where `perf` can count instructions, a table shows them for each operation.
 * With --against, the other server is our own at the commit REV. With --node, another Node.js runs
 * our server.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { APACHE_SHELL, type CommandFigures, measureCommands } from './commands.js';
import { median } from './figures.js';
import type { LoadOp } from './load.js';
import { buildRevision } from './revision.js';
import { type Figures, type Load, type Measured, measure, nameOf } from './rounds.js';
import { apacheVersion, hasApache, startBenchServer } from './servers.js';
import { commit, printTable } from './table.js';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rounds: { type: 'string' },
    against: { type: 'string' },
    node: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

function loadsOf(isQuick: boolean, only: readonly string[]): Load[] {
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

function print(loads: readonly Load[], other: string, ours: Figures, theirs?: Figures): void {
  const rows = [
    [
      'load',
      ...['zksh ops/s', 'p50 ms', 'p99 ms', 'CPU us/op', 'main thread'],
      ...[`${other} ops/s`, 'p50 ms', 'p99 ms', 'CPU us/op', 'main thread'],
      ...['ratio', 'of all rounds', 'of p50', 'of CPU'],
    ],
  ];
  loads.forEach((load, i) => {
    const mine = ours.rounds[i] ?? [];
    const of = theirs?.rounds[i] ?? [];
    const ratio = (read: (measured: Measured) => number): number =>
      median(ratiosOf(mine, of, read));
    const all = ratiosOf(mine, of, ({ opsPerSecond }) => opsPerSecond).sort((a, b) => a - b);
    const ends = [all[0], all.at(-1)].map((value) => value?.toFixed(2) ?? '-').join(' to ');
    const ratios =
      theirs === undefined
        ? ['-', '-', '-', '-']
        : [
            median(all).toFixed(2),
            ends,
            ratio(({ p50Ms }) => p50Ms).toFixed(2),
            ratio(({ cpuMicros }) => cpuMicros).toFixed(2),
          ];
    rows.push([nameOf(load), ...columns(mine), ...columns(of), ...ratios]);
  });
  printTable(rows);
  printInstructions(loads, other, ours, theirs);
  const pair = (name: string, read: (figures: Figures) => number): string[] => {
    const found = theirs === undefined ? '-' : read(theirs).toFixed(0);
    const ratio = theirs === undefined ? '-' : (read(ours) / read(theirs)).toFixed(2);
    return [name, read(ours).toFixed(0), found, ratio];
  };
  printTable([
    ['', 'zksh', other, 'ratio'],
    pair('start until srvr answers, ms', ({ readyMs }) => readyMs),
    pair('resident memory idle, MiB', ({ idleMiB }) => idleMiB),
    pair('resident memory after the loads, MiB', ({ loadedMiB }) => loadedMiB),
  ]);
}

/** Only where `perf` could count them. */
function printInstructions(
  loads: readonly Load[],
  other: string,
  ours: Figures,
  theirs?: Figures,
): void {
  if (ours.rounds[0]?.[0]?.instructions === undefined) return;
  const read = ({ instructions = Number.NaN }: Measured): number => instructions;
  const text = (values: readonly number[], digits: number): string =>
    values.length === 0 ? '-' : median(values).toFixed(digits);
  const rows = loads.map((load, i) => {
    const [mine = [], of = []] = [ours.rounds[i], theirs?.rounds[i]];
    const ratios = ratiosOf(mine, of, read);
    return [nameOf(load), text(mine.map(read), 0), text(of.map(read), 0), text(ratios, 2)];
  });
  printTable([['instructions/op', 'zksh', other, 'ratio'], ...rows]);
}

/** Ours by theirs, for each round. */
function ratiosOf(
  ours: readonly Measured[],
  theirs: readonly Measured[],
  read: (measured: Measured) => number,
): number[] {
  return ours.flatMap((mine, i) => {
    const other = theirs[i];
    return other === undefined ? [] : [read(mine) / read(other)];
  });
}

function columns(rounds: readonly Measured[]): string[] {
  if (rounds.length === 0) return ['-', '-', '-', '-', '-'];
  const of = (read: (measured: Measured) => number): number => median(rounds.map(read));
  const failed = rounds.reduce((sum, { errors }) => sum + errors, 0);
  return [
    Math.round(of(({ opsPerSecond }) => opsPerSecond)).toLocaleString('en') +
      (failed > 0 ? ` (${failed} errors)` : ''),
    of(({ p50Ms }) => p50Ms).toFixed(3),
    of(({ p99Ms }) => p99Ms).toFixed(3),
    of(({ cpuMicros }) => cpuMicros).toFixed(2),
    of(({ mainMicros }) => mainMicros).toFixed(2),
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

/** The version of the Node.js that runs our server. */
function versionOf(node = process.execPath): string {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
}

async function main(): Promise<void> {
  const only = values.only === '' ? [] : values.only.split(',');
  const loads = loadsOf(values.quick, only);
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 7));
  const runs = values.quick ? 5 : 21;
  const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
  try {
    const { against, node } = values;
    const starts = [() => startBenchServer('zksh', home, { node })];
    if (against !== undefined) {
      const zkserver = buildRevision(against, home);
      const folder = join(home, 'other');
      starts.push(() => startBenchServer('zksh', home, { folder, zkserver }));
    } else if (hasApache()) {
      starts.push(() => startBenchServer('apache', home));
    }
    const [ours, theirs] = loads.length === 0 ? [] : await measure(starts, loads, rounds);
    const isAsked = against === undefined && (only.length === 0 || only.includes('commands'));
    const commands = isAsked ? await measureCommands(home, runs) : [];
    if (values.json) {
      process.stdout.write(`${JSON.stringify({ loads, ours, theirs, commands })}\n`);
      return;
    }
    const apache = hasApache() ? apacheVersion() : 'not installed';
    process.stdout.write(
      `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
        `Node.js ${versionOf(node)}, Apache ZooKeeper ${apache}, medians of ${rounds} rounds\n\n`,
    );
    if (ours !== undefined) print(loads, against ?? 'Apache', ours, theirs);
    if (isAsked) printCommands(commands, runs);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
