/**
 * `npm run bench:large`: measures large loads: a tree of a million znodes, a restart on it, and ten
 * thousand idle sessions whose watches fire at once. Both servers in one run.
 *
 *   npm run bench:large -- [--znodes 1000000] [--sessions 10000]
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberAfter } from './figures.js';
import { prepareLoad, runLoad } from './load.js';
import { LoadConnection } from './load-connection.js';
import { apacheVersion, hasApache, type ServerKind, startBenchServer } from './servers.js';
import { commit, printTable } from './table.js';

interface Sizes {
  readonly znodes: number;
  readonly sessions: number;
}

interface LargeFigures {
  readonly emptyStartMs: number;
  readonly createsPerSecond: number;
  readonly createP99Ms: number;
  readonly residentMiB: number;
  readonly restartMs: number;
  readonly connectMs: number;
  readonly sessionsMiB: number;
  readonly fireMs: number;
  readonly stallMs: number;
}

const DATA_SIZE = 100;
const PARENTS = 100;
const WATCHES_PER_SESSION = 10;
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
  await again.stop();
  return {
    emptyStartMs,
    createsPerSecond: created.perSecond,
    createP99Ms: created.p99Ms,
    residentMiB,
    restartMs,
    ...(await measureWatches(kind, home, sizes.sessions)),
  };
}

async function firstWriteMs(port: number, path: string): Promise<number> {
  const startedAt = performance.now();
  await prepareLoad(port, path, DATA_SIZE);
  return performance.now() - startedAt;
}

async function measureWatches(
  kind: ServerKind,
  home: string,
  sessions: number,
): Promise<Pick<LargeFigures, 'connectMs' | 'sessionsMiB' | 'fireMs' | 'stallMs'>> {
  const server = await startBenchServer(kind, home);
  const clients: LoadConnection[] = [];
  try {
    for (let i = 0; i < WATCHES_PER_SESSION; i++) await prepareLoad(server.port, `/w${i}`, 1);
    const startedAt = performance.now();
    while (clients.length < sessions) {
      const batch = Math.min(CONNECTING_AT_ONCE, sessions - clients.length);
      const opened = Array.from({ length: batch }, () => LoadConnection.open(server.port));
      clients.push(...(await Promise.all(opened)));
    }
    const connectMs = performance.now() - startedAt;
    for (const client of clients) {
      const paths = Array.from({ length: WATCHES_PER_SESSION }, (_, i) => `/w${i}/node`);
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

function print(sizes: Sizes, ours: LargeFigures, theirs: LargeFigures | null): void {
  const row = (name: string, read: (figures: LargeFigures) => number): string[] => {
    const show = (value: number): string => Math.round(value).toLocaleString('en');
    if (theirs === null) return [name, show(read(ours)), '-', '-'];
    const ratio = (read(ours) / read(theirs)).toFixed(2);
    return [name, show(read(ours)), show(read(theirs)), ratio];
  };
  const many = sizes.znodes.toLocaleString('en');
  const idle = sizes.sessions.toLocaleString('en');
  printTable([
    ['', 'zksh', 'Apache', 'ratio'],
    row('empty start until a write is acknowledged, ms', (f) => f.emptyStartMs),
    row(`create up to ${many} znodes, operations a second`, (f) => f.createsPerSecond),
    row('worst p99 of a create on the way, ms', (f) => f.createP99Ms),
    row(`resident memory with ${many} znodes of ${DATA_SIZE} bytes, MiB`, (f) => f.residentMiB),
    row('restart after kill -9 until a write is acknowledged, ms', (f) => f.restartMs),
    row(`open ${idle} sessions, ms`, (f) => f.connectMs),
    row(`resident memory with them and their watches, MiB`, (f) => f.sessionsMiB),
    row(`one change that fires ${idle} watches, until the last event, ms`, (f) => f.fireMs),
    row('longest read of another client meanwhile, ms', (f) => f.stallMs),
  ]);
}

const args = process.argv.slice(2);
const sizes = {
  znodes: numberAfter(args, '--znodes', 1_000_000),
  sessions: numberAfter(args, '--sessions', 10_000),
};
const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
try {
  const ours = await measure('zksh', home, sizes);
  process.stderr.write(`${JSON.stringify(ours)}\n`);
  const theirs = hasApache() ? await measure('apache', home, sizes) : null;
  process.stdout.write(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
      `Node.js ${process.version}, Apache ZooKeeper ${theirs === null ? 'not installed' : apacheVersion()}\n\n`,
  );
  print(sizes, ours, theirs);
} finally {
  rmSync(home, { recursive: true, force: true });
}
