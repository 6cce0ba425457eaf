/**
 * `npm run bench -- large`: measures large loads: a tree of a million znodes, a restart on it,
 * reads during its snapshots, and ten thousand idle sessions whose watches fire at once. Both
 * servers in turn, medians of all rounds.
 *
 *   npm run bench -- large [--znodes 1000000] [--sessions 10000] [--watches 10] [--rounds 1]
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { median } from './figures.js';
import { prepareLoad, runLoad } from './load.js';
import { LoadConnection } from './load-connection.js';
import {
  apacheVersion,
  freePort,
  hasApache,
  type ServerKind,
  startBenchServer,
} from './servers.js';
import type { ProbeOptions } from './storm-probe.js';
import { commit, printTable } from './table.js';

interface Sizes {
  readonly znodes: number;
  readonly sessions: number;
  /** Watches of each session, all on the same znodes. */
  readonly watches: number;
}

interface LargeFigures {
  readonly emptyStartMs: number;
  readonly createsPerSecond: number;
  readonly createP99Ms: number;
  readonly residentMiB: number;
  readonly restartMs: number;
  readonly snapshotStallMs: number;
  readonly connectMs: number;
  readonly sessionsMiB: number;
  readonly fireMs: number;
  readonly stallMs: number;
}

const DATA_SIZE = 100;
const PARENTS = 100;
/** So that many snapshots of the large tree are made during few writes. */
const SMALL_SNAP_COUNT = 1000;
const SETS_BETWEEN = 4000;
/** Below the listen backlog of 50, because a dropped SYN would add a second of waiting. */
const CONNECTING_AT_ONCE = 40;

async function measure(kind: ServerKind, home: string, sizes: Sizes): Promise<LargeFigures> {
  const empty = await startBenchServer(kind, home);
  const emptyStartMs = empty.readyMs + (await firstWriteMs(empty.port, '/first'));
  const created = { perSecond: 0, p99Ms: 0 };
  for (let i = 0; i < PARENTS; i++) {
    const parent = `/p${i}`;
    await prepareLoad(empty.port, parent, DATA_SIZE);
    const result = await runLoad({
      port: empty.port,
      op: 'create',
      connections: 10,
      inFlight: 32,
      count: Math.ceil(sizes.znodes / PARENTS),
      warmUp: 0,
      size: DATA_SIZE,
      maxSeconds: 60,
      parent,
    });
    created.perSecond += result.opsPerSecond / PARENTS;
    created.p99Ms = Math.max(created.p99Ms, result.p99Ms);
  }
  const residentMiB = empty.residentMiB();
  await empty.kill();
  const again = await startBenchServer(kind, home, { folder: empty.folder });
  const restartMs = again.readyMs + (await firstWriteMs(again.port, '/again'));
  await again.kill();
  const snapshotStallMs = await measureSnapshots(kind, home, again.folder);
  return {
    emptyStartMs,
    createsPerSecond: created.perSecond,
    createP99Ms: created.p99Ms,
    residentMiB,
    restartMs,
    snapshotStallMs,
    ...(await measureWatches(kind, home, sizes)),
  };
}

/** The longest read of a client, one at a time, while another writes and snapshots are made. */
async function measureSnapshots(kind: ServerKind, home: string, folder: string): Promise<number> {
  const seat = { port: await freePort(), lines: [`snapCount=${SMALL_SNAP_COUNT}`] };
  const server = await startBenchServer(kind, home, { folder, seat });
  const workerData: ProbeOptions = { ports: [server.port], path: '/p0/node' };
  try {
    await prepareLoad(server.port, '/sets', DATA_SIZE);
    const probe = new Worker(new URL('./storm-probe.js', import.meta.url), { workerData });
    await runLoad({
      port: server.port,
      op: 'set',
      connections: 1,
      inFlight: 1,
      count: SETS_BETWEEN,
      warmUp: 0,
      size: DATA_SIZE,
      maxSeconds: 60,
      parent: '/sets',
    });
    const worstMs = once(probe, 'message');
    probe.postMessage('stop');
    return Number((await worstMs)[0]);
  } finally {
    await server.stop();
  }
}

async function firstWriteMs(port: number, path: string): Promise<number> {
  const startedAt = performance.now();
  await prepareLoad(port, path, DATA_SIZE);
  return performance.now() - startedAt;
}

async function measureWatches(
  kind: ServerKind,
  home: string,
  { sessions, watches }: Sizes,
): Promise<Pick<LargeFigures, 'connectMs' | 'sessionsMiB' | 'fireMs' | 'stallMs'>> {
  const server = await startBenchServer(kind, home);
  const clients: LoadConnection[] = [];
  try {
    for (let i = 0; i < watches; i++) await prepareLoad(server.port, `/w${i}`, 1);
    const startedAt = performance.now();
    while (clients.length < sessions) {
      const batch = Math.min(CONNECTING_AT_ONCE, sessions - clients.length);
      const opened = Array.from({ length: batch }, () => LoadConnection.open(server.port));
      clients.push(...(await Promise.all(opened)));
    }
    const connectMs = performance.now() - startedAt;
    for (const client of clients) {
      const paths = Array.from({ length: watches }, (_, i) => `/w${i}/node`);
      await client.watch(paths);
    }
    const sessionsMiB = server.residentMiB();
    return { connectMs, sessionsMiB, ...(await fire(server.port, clients)) };
  } finally {
    for (const client of clients) client.destroy();
    await server.stop();
  }
}

/** One set fires a watch of every session, while another client reads, one request at a time. */
async function fire(
  port: number,
  clients: readonly LoadConnection[],
): Promise<{ fireMs: number; stallMs: number }> {
  const other = await LoadConnection.open(port);
  const writer = await LoadConnection.open(port);
  const told = Promise.all(clients.map((client) => client.flushed(1)));
  const probe = { isOver: false, worstMs: 0 };
  const reading = (async () => {
    while (!probe.isOver) probe.worstMs = Math.max(probe.worstMs, await other.read('/w0/node'));
  })();
  const startedAt = performance.now();
  await writer.set('/w0/node');
  await told;
  const fireMs = performance.now() - startedAt;
  probe.isOver = true;
  await reading;
  await Promise.all([other.close(), writer.close()]);
  return { fireMs, stallMs: probe.worstMs };
}

type Rounds = readonly LargeFigures[];

function print(sizes: Sizes, ours: Rounds, theirs: Rounds): void {
  const row = (name: string, read: (figures: LargeFigures) => number): string[] => {
    const show = (all: Rounds): string =>
      all.length === 0 ? '-' : Math.round(median(all.map(read))).toLocaleString('en');
    const ratios = theirs
      .map((figures, i) => read(ours[i] as LargeFigures) / read(figures))
      .sort((a, b) => a - b);
    const ends = [ratios[0], ratios.at(-1)].map((ratio) => ratio?.toFixed(2) ?? '-');
    const middle = theirs.length === 0 ? '-' : median(ratios).toFixed(2);
    return [name, show(ours), show(theirs), middle, ends.join(' to ')];
  };
  const many = sizes.znodes.toLocaleString('en');
  const idle = sizes.sessions.toLocaleString('en');
  const watches = (sizes.sessions * sizes.watches).toLocaleString('en');
  printTable([
    ['', 'zksh', 'Apache', 'ratio', 'of all rounds'],
    row('empty start until a write is acknowledged, ms', (f) => f.emptyStartMs),
    row(`create up to ${many} znodes, operations a second`, (f) => f.createsPerSecond),
    row('worst p99 of a create on the way, ms', (f) => f.createP99Ms),
    row(`resident memory with ${many} znodes of ${DATA_SIZE} bytes, MiB`, (f) => f.residentMiB),
    row('restart after kill -9 until a write is acknowledged, ms', (f) => f.restartMs),
    row('longest read while snapshots of them are made, ms', (f) => f.snapshotStallMs),
    row(`open ${idle} sessions, ms`, (f) => f.connectMs),
    row(`resident memory with them and ${watches} watches, MiB`, (f) => f.sessionsMiB),
    row(`one change that fires ${idle} watches, until the last event, ms`, (f) => f.fireMs),
    row('longest read of another client meanwhile, ms', (f) => f.stallMs),
  ]);
}

const { values } = parseArgs({
  options: {
    znodes: { type: 'string', default: '1000000' },
    sessions: { type: 'string', default: '10000' },
    watches: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '1' },
  },
});
const sizes = {
  znodes: Number(values.znodes),
  sessions: Number(values.sessions),
  watches: Number(values.watches),
};
const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
try {
  const ours: LargeFigures[] = [];
  const theirs: LargeFigures[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    ours.push(await measure('zksh', home, sizes));
    if (hasApache()) theirs.push(await measure('apache', home, sizes));
    process.stderr.write(`${JSON.stringify([ours.at(-1), theirs.at(-1)])}\n`);
  }
  process.stdout.write(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
      `Node.js ${process.version}, Apache ZooKeeper ${hasApache() ? apacheVersion() : 'not installed'}, ` +
      `medians of ${values.rounds} rounds\n\n`,
  );
  print(sizes, ours, theirs);
} finally {
  rmSync(home, { recursive: true, force: true });
}
