/**
 * `npm run bench -- growth`: what a request costs as the tree grows. Our server and Apache's in
 * turn, on trees of the same size, each idle before its turn and the other one stopped in between.
 * Processor time counts until the server is idle again, so it has the snapshots that a load owes.
 * Prints a table for bench/RESULTS.md, and draws docs/images/bench-znodes.svg.
 *
 *   npm run bench -- growth [--large 10] [--rounds 3] [--seconds 10] [--quick] [--against REV]
 *
 * `--large` adds a tree of that many millions, where Apache's server is left out. With --against,
 * the other server is ours at the commit REV.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Plot, plotSvg } from './curves/plot.js';
import { DATA_SIZE, medianOf, type Sample } from './curves/sample.js';
import { type LoadOp, prepareLoad, runLoad } from './load.js';
import { buildRevision } from './revision.js';
import { apacheVersion, type BenchServer, hasApache, startBenchServer } from './servers.js';
import { commit, printTable } from './table.js';

const { values } = parseArgs({
  options: {
    large: { type: 'string', default: '0' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
  },
});

const SIBLINGS = 100_000;
const LOAD = { connections: 10, inFlight: 32, size: DATA_SIZE, parent: '/bench', warmUp: 500 };
/** More than a run reaches: the time ends it. */
const MOST = 1_000_000_000;
/** A tree of more needs a larger heap than the default of the JVM. */
const APACHE_MOST_ZNODES = 2_000_000;
/** Of random znodes, so that a larger tree has more cache misses; or all of one znode. */
const LOADS = ['get', 'set', 'set one'] as const;
type Load = (typeof LOADS)[number];
/** A server is idle when it used less than this share of a core for as long. */
const IDLE = { share: 0.1, forMs: 500 };

/** A server and its tree. */
class Subject {
  readonly name: string;
  readonly server: BenchServer;
  /** By operation. */
  readonly samples = new Map<string, Sample[]>();
  private count = 0;

  constructor(name: string, server: BenchServer) {
    this.name = name;
    this.server = server;
  }

  private pathOf(n: number): string {
    return `/p${Math.floor(n / SIBLINGS)}/n${n % SIBLINGS}`;
  }

  async growTo(size: number): Promise<void> {
    const { port } = this.server;
    for (let parent = Math.ceil(this.count / SIBLINGS); parent * SIBLINGS < size; parent++) {
      await prepareLoad(port, `/p${parent}`, DATA_SIZE);
    }
    const more = size - this.count;
    if (more === 0) return;
    const pathOf = (): string => this.pathOf(this.count++);
    this.note('create', await this.run('create', more, 3600, pathOf));
  }

  async load(load: Load, seconds: number): Promise<void> {
    const { count } = this;
    const isOne = load === 'set one' || count === 0;
    const pathOf = (): string => this.pathOf(Math.floor(Math.random() * count));
    const op = load === 'get' ? 'get' : 'set';
    this.note(load, await this.run(op, MOST, seconds, isOne ? undefined : pathOf));
  }

  private async run(
    op: LoadOp,
    count: number,
    maxSeconds: number,
    pathOf: (() => string) | undefined,
  ): Promise<Sample> {
    const { port } = this.server;
    await this.idle();
    const before = this.server.cpu().allThreads;
    const options = { ...LOAD, port, op, count, maxSeconds };
    const { opsPerSecond, p99Ms, done } = await runLoad(
      pathOf === undefined ? options : { ...options, pathOf },
    );
    await this.idle();
    const cpuMs = this.server.cpu().allThreads - before;
    return { opsPerSecond, p99Ms, cpuMicros: (cpuMs * 1000) / (done + LOAD.warmUp) };
  }

  private note(op: string, sample: Sample): void {
    const known = this.samples.get(op) ?? [];
    known.push(sample);
    this.samples.set(op, known);
  }

  private async idle(): Promise<void> {
    for (let before = this.server.cpu().allThreads; ; ) {
      await new Promise((resolve) => setTimeout(resolve, IDLE.forMs));
      const now = this.server.cpu().allThreads;
      if (now - before < IDLE.share * IDLE.forMs) return;
      before = now;
    }
  }

  pause(): void {
    process.kill(this.server.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.server.pid, 'SIGCONT');
  }
}

interface Row {
  readonly op: string;
  readonly size: number;
  /** By the name of the server. */
  readonly samples: ReadonlyMap<string, Sample>;
  readonly residentMiB: ReadonlyMap<string, number>;
}

async function measure(
  subjects: readonly Subject[],
  sizes: readonly number[],
  rounds: number,
  seconds: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  const inTurn = async (each: readonly Subject[], run: (one: Subject) => Promise<void>) => {
    for (const subject of each) {
      subject.resume();
      await run(subject);
      subject.pause();
    }
  };
  for (const subject of subjects) {
    await prepareLoad(subject.server.port, '/bench', DATA_SIZE);
    subject.pause();
  }
  await inTurn(subjects, (subject) => subject.load('set', seconds));
  for (const size of sizes) {
    const isSmall = size <= APACHE_MOST_ZNODES;
    const fit = subjects.filter(({ name }) => isSmall || name !== 'Apache');
    for (const subject of fit) subject.samples.clear();
    await inTurn(fit, (subject) => subject.growTo(size));
    for (let round = 0; round < rounds; round++) {
      for (const load of LOADS) await inTurn(fit, (subject) => subject.load(load, seconds));
    }
    const residentMiB = new Map(fit.map(({ name, server }) => [name, server.residentMiB()]));
    for (const op of ['create', ...LOADS]) {
      const samples = new Map(
        fit.flatMap(({ name, samples: found }) => {
          const all = found.get(op);
          return all === undefined ? [] : [[name, medianOf(all)] as const];
        }),
      );
      if (samples.size > 0) rows.push({ op, size, samples, residentMiB });
    }
    process.stderr.write(`${size} znodes\n`);
  }
  return rows;
}

function tableOf(rows: readonly Row[], names: readonly string[]): string[][] {
  const figures = ['requests/s', 'CPU us each', 'p99 ms', 'MiB'];
  const head = names.flatMap((name) => figures.map((figure) => `${name} ${figure}`));
  return [
    ['load, 10 x 32', ...head],
    ...rows.map(({ op, size, samples, residentMiB }) => [
      `${op}, ${op === 'create' ? 'up to ' : ''}${size.toLocaleString('en')} znodes`,
      ...names.flatMap((name) => {
        const sample = samples.get(name);
        if (sample === undefined) return figures.map(() => '-');
        const { opsPerSecond, cpuMicros, p99Ms } = sample;
        return [
          Math.round(opsPerSecond).toLocaleString('en'),
          cpuMicros.toFixed(2),
          p99Ms.toFixed(1),
          Math.round(residentMiB.get(name) ?? 0).toLocaleString('en'),
        ];
      }),
    ]),
  ];
}

function plotOf(rows: readonly Row[], names: readonly string[]): Plot {
  return {
    title: 'Processor time of the server for a request, by znodes',
    xLabel: 'znodes',
    yLabel: 'microseconds',
    isXLogarithmic: true,
    curves: names.flatMap((name) =>
      LOADS.map((op) => ({
        name: `${op}, ${name}`,
        isDashed: name === 'Apache',
        points: rows.flatMap((row): [number, number][] => {
          const sample = row.op === op ? row.samples.get(name) : undefined;
          return sample === undefined ? [] : [[Math.max(row.size, 1), sample.cpuMicros]];
        }),
      })),
    ),
  };
}

async function main(home: string, other: string | undefined): Promise<void> {
  const { quick, large, against } = values;
  const sizes = quick ? [0, 10_000] : [0, 200_000, 1_000_000, 2_000_000];
  if (Number(large) > 0) sizes.push(Number(large) * 1_000_000);
  const subjects: Subject[] = [];
  try {
    subjects.push(new Subject('zksh', await startBenchServer('zksh', home)));
    if (other !== undefined) {
      const options = { zkserver: other };
      subjects.push(new Subject(against ?? '', await startBenchServer('zksh', home, options)));
    } else if (hasApache()) {
      subjects.push(new Subject('Apache', await startBenchServer('apache', home)));
    }
    const seconds = quick ? 0.5 : Number(values.seconds);
    const rows = await measure(subjects, sizes, quick ? 1 : Number(values.rounds), seconds);
    const names = subjects.map(({ name }) => name);
    console.log(
      `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
        `Node.js ${process.version}, Apache ZooKeeper ${apacheVersion()}\n`,
    );
    printTable(tableOf(rows, names));
    if (quick || other !== undefined) return;
    writeFileSync(join('docs', 'images', 'bench-znodes.svg'), plotSvg(plotOf(rows, names)));
  } finally {
    for (const { server } of subjects) await server.stop();
  }
}

const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
try {
  const { against } = values;
  await main(home, against === undefined ? undefined : buildRevision(against, home));
} finally {
  rmSync(home, { recursive: true, force: true });
}
