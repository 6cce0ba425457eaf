/**
 * `npm run bench -- client`: one client process against our server, with 1 to 1,000 requests in
 * flight: requests a second, latency, and memory, beside node-zookeeper-client and the C binding
 * `zookeeper`, which `npm ci` installs for the tests. It omits a client that is not installed.
 *
 *   npm run bench -- client [--quick] [--only speed,watches,sessions,both,start]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../src/client/zookeeper.js';
import { startServer } from '../src/server/main.js';
import { type ClientKind, versionOf } from './client-kinds.js';
import { DATA, type Memory, type Speed, ZNODE } from './client-worker.js';
import { startBenchServer } from './servers.js';
import { commit, printTable } from './table.js';

const WORKER = fileURLToPath(new URL('./client-worker.js', import.meta.url));
const KINDS: readonly ClientKind[] = ['zksh', 'node-zookeeper-client', 'zookeeper'];
/** What a client process holds: the name, and the arguments of the worker. */
const HELD = {
  watches: ['10,000 watches', 10_000],
  sessions: ['1,000 sessions', 1000],
  both: ['1,000 sessions with 10,000 watches', 1000, 10_000],
} as const;
const STARTS = 20;
const LONGEST_RUN_MS = 300_000;

/** Undefined if the client did not finish in time, or ended. */
function runWorker<T>(kind: ClientKind, args: readonly string[]): Promise<T | undefined> {
  const child = spawn(process.execPath, ['--expose-gc', WORKER, kind, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_RUN_MS);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? (JSON.parse(out) as T) : undefined);
    });
  });
}

/** The rounds of the clients alternate, so that other work on the machine affects all equally. */
async function measureSpeed(
  kinds: readonly ClientKind[],
  target: string,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<ReadonlyMap<ClientKind, readonly Speed[]>> {
  const all = new Map<ClientKind, Speed[][]>();
  for (let round = 0; round < rounds; round++) {
    for (const kind of kinds) {
      const found = await runWorker<Speed[]>(kind, [target, 'speed', String(seconds)]);
      process.stderr.write(`${kind}: round ${round + 1}${found ? '' : ' failed'}\n`);
      if (found) all.set(kind, [...(all.get(kind) ?? []), found]);
    }
  }
  return new Map([...all].map(([kind, runs]) => [kind, medians(runs)]));
}

/** The median round of each load by requests a second. */
function medians(runs: readonly (readonly Speed[])[]): readonly Speed[] {
  const [first = []] = runs;
  return first.map((speed, i) => {
    const sorted = runs
      .map((run) => run[i] ?? speed)
      .sort((a, b) => a.opsPerSecond - b.opsPerSecond);
    return sorted[Math.floor(sorted.length / 2)] ?? speed;
  });
}

function printSpeed(found: ReadonlyMap<ClientKind, readonly Speed[]>): void {
  const ours = found.get('zksh') ?? [];
  const rows = ours.map((mine, i) => [
    `${mine.op}, ${mine.inFlight.toLocaleString('en')}`,
    ...[...found].flatMap(([kind, speeds]) => {
      const speed = speeds[i];
      if (speed === undefined) return [];
      const { opsPerSecond, p50Ms, p99Ms, residentMiB, cpuUs } = speed;
      return [
        Math.round(opsPerSecond).toLocaleString('en'),
        `${p50Ms?.toFixed(2) ?? '-'}, ${p99Ms?.toFixed(2) ?? '-'}`,
        cpuUs.toFixed(1),
        residentMiB.toFixed(0),
        ...(kind === 'zksh' ? [] : [(mine.opsPerSecond / opsPerSecond).toFixed(2)]),
      ];
    }),
  ]);
  const heads = [...found.keys()].flatMap((kind) => [
    `${kind} ops/s`,
    'p50, p99 ms',
    'CPU µs',
    'MiB',
    ...(kind === 'zksh' ? [] : ['ratio']),
  ]);
  printTable([['in flight', ...heads], ...rows]);
}

async function printMemory(
  kinds: readonly ClientKind[],
  target: string,
  held: readonly (keyof typeof HELD)[],
): Promise<void> {
  const rows: string[][] = [];
  for (const what of held) {
    const [name, ...amounts] = HELD[what];
    const cells: string[] = [];
    for (const kind of kinds) {
      // Each session of the C client has two threads.
      const isTooLarge = kind === 'zookeeper' && what !== 'watches';
      const found = isTooLarge
        ? undefined
        : await runWorker<Memory>(kind, [target, what, ...amounts.map(String)]);
      process.stderr.write(`${kind}: ${what}\n`);
      cells.push(found ? `${found.beforeMiB.toFixed(0)} to ${found.afterMiB.toFixed(0)}` : '-');
    }
    rows.push([name, ...cells]);
  }
  if (rows.length > 0) printTable([['resident MiB, from one session to', ...kinds], ...rows]);
}

/** How long an application's test waits for a server in its own process. */
async function printStart(): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i <= STARTS; i++) {
    const startedAt = performance.now();
    const server = await startServer();
    times.push(performance.now() - startedAt);
    await server.close();
  }
  const [first = 0, ...others] = times;
  const sorted = others.sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  process.stdout.write(
    `\nstartServer() in memory: the first ${first.toFixed(1)} ms, then a median of ` +
      `${median.toFixed(1)} ms and at most ${sorted.at(-1)?.toFixed(1)} ms (${STARTS} starts)\n`,
  );
}

async function main(args: readonly string[]): Promise<void> {
  const isQuick = args.includes('--quick');
  const only = args.includes('--only') ? args[args.indexOf('--only') + 1]?.split(',') : undefined;
  const isAsked = (what: string): boolean => only?.includes(what) ?? true;
  const kinds = KINDS.filter((kind) => versionOf(kind) !== undefined);
  const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
  const server = await startBenchServer('zksh', home);
  try {
    const target = `127.0.0.1:${server.port}`;
    const client = createClient({ connectString: target });
    await client.connect();
    await client.create(ZNODE, DATA);
    await client.close();
    const packages = kinds.slice(1).map((kind) => `${kind} ${versionOf(kind)}`);
    process.stdout.write(
      `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
        `Node.js ${process.version}, ${packages.join(', ')}, ${DATA.length} bytes of data\n\n`,
    );
    if (isAsked('speed')) {
      const amount = isQuick ? { rounds: 1, seconds: 0.5 } : { rounds: 3, seconds: 2 };
      printSpeed(await measureSpeed(kinds, target, amount));
    }
    const held = (['watches', 'sessions', 'both'] as const).filter(isAsked);
    await printMemory(kinds, target, held);
    if (isAsked('start')) await printStart();
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

await main(process.argv.slice(2));
