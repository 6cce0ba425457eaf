/**
 * `npm run bench -- recipes`: measures the cost of a lock, and the mix of the published latency
 * test (ZooKeeper wiki, "ServiceLatencyOverview"). The built-in client runs against our server and,
 * where installed, Apache's, in one run. The client runs in this process, so it limits the figures.
 * `queues` are those of this library and of kazoo, in turns, on our server.
 *
 *   npm run bench -- recipes [--quick] [--only hand-over,mix,queues]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ZooKeeperClient } from '../src/client/base/client.js';
import { createClient } from '../src/client/zookeeper.js';
import { Lock } from '../src/recipes/locks/lock.js';
import { type MixFigures, runMix } from './mix.js';
import { compareQueues } from './queues.js';
import { apacheVersion, hasApache, type ServerKind, startBenchServer } from './servers.js';
import { commit, printTable } from './table.js';

interface HandOver {
  readonly perSecond: number;
  /**
   * The number of waiters that one release woke: the mean over releases with waiters, and the
   * maximum.
   */
  readonly wakeUps: { readonly mean: number; readonly most: number };
}

interface Figures {
  readonly twoClients: HandOver | undefined;
  readonly hundredWaiters: HandOver | undefined;
  readonly mixes: readonly MixFigures[];
}

const CLIENTS = [1, 10, 20];
const WAITERS = 100;

async function withClients<T>(
  port: number,
  count: number,
  work: (clients: readonly ZooKeeperClient[]) => Promise<T>,
): Promise<T> {
  const connectString = `127.0.0.1:${port}`;
  const clients = Array.from({ length: count }, () => createClient({ connectString }));
  try {
    await Promise.all(clients.map((client) => client.connect()));
    return await work(clients);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** Counts the events that clients get about the znodes of others, by deleted znode. */
function countWakeUps(client: ZooKeeperClient, counts: Map<string, number>): void {
  const getData = client.getData.bind(client);
  client.getData = async (path, options) => {
    const watch = options?.watch;
    if (typeof watch !== 'function') return getData(path, options);
    let isOwn = false;
    const found = await getData(path, {
      watch: (event) => {
        if (!isOwn) counts.set(path, (counts.get(path) ?? 0) + 1);
        watch(event);
      },
    });
    isOwn = found.stat.ephemeralOwner === client.sessionId;
    return found;
  };
}

/** Each client takes the lock `rounds` times. Every release but the last wakes a waiter. */
async function measureHandOver(port: number, count: number, rounds: number): Promise<HandOver> {
  return withClients(port, count + 1, async ([keeper, ...clients]) => {
    const counts = new Map<string, number>();
    for (const client of clients) countWakeUps(client, counts);
    const path = `/bench/lock-${count}`;
    // No client gets the lock before all are in line.
    if (keeper === undefined) throw new RangeError('expected a client');
    const gate = await new Lock(keeper, path).acquire();
    let handOvers = 0;
    const takeTurns = async (client: ZooKeeperClient): Promise<void> => {
      const lock = new Lock(client, path);
      for (let round = 0; round < rounds; round++) {
        const held = await lock.acquire();
        handOvers++;
        await held.release();
      }
    };
    const working = Promise.all(clients.map(takeTurns));
    for (let isWaited = false; !isWaited; ) {
      const { children } = await keeper.getChildren(path);
      isWaited = children.length === count + 1;
    }
    const startedAt = performance.now();
    await gate.release();
    await working;
    const seconds = (performance.now() - startedAt) / 1000;
    const all = [...counts.values()];
    const mean = all.reduce((sum, each) => sum + each, 0) / all.length;
    return { perSecond: handOvers / seconds, wakeUps: { mean, most: Math.max(...all) } };
  });
}

async function measure(kind: ServerKind, home: string, options: Options): Promise<Figures> {
  const server = await startBenchServer(kind, home);
  const { port } = server;
  const share = options.isQuick ? 0.1 : 1;
  const say = (what: string): boolean => process.stderr.write(`${kind}: ${what}\n`);
  try {
    const isLocking = options.only.includes('hand-over');
    if (isLocking) {
      await measureHandOver(port, 2, 100);
      say('warm');
    }
    const twoClients = isLocking
      ? await measureHandOver(port, 2, Math.ceil(2000 * share))
      : undefined;
    const hundredWaiters = isLocking
      ? await measureHandOver(port, WAITERS, Math.ceil(20 * share))
      : undefined;
    const mixes: MixFigures[] = [];
    for (const count of options.only.includes('mix') ? CLIENTS : []) {
      say(`the mix with ${count} clients`);
      mixes.push(
        await withClients(port, count, (clients) => runMix(clients, Math.ceil(10_000 * share))),
      );
    }
    return { twoClients, hundredWaiters, mixes };
  } finally {
    await server.stop();
  }
}

function printHandOvers(ours: Figures, theirs: Figures | null): void {
  const row = (name: string, read: (figures: Figures) => HandOver | undefined): string[] => {
    const [mine, other] = [read(ours), theirs === null ? undefined : read(theirs)];
    const ratio = mine && other ? (mine.perSecond / other.perSecond).toFixed(2) : '-';
    return [name, ...cells(mine), ...cells(other), ratio];
  };
  const columns = (server: string) => [
    `${server} hand-overs/s`,
    'wake-ups per release, mean, most',
  ];
  printTable([
    ['lock', ...columns('zksh'), ...columns('Apache'), 'ratio'],
    row('2 clients', ({ twoClients }) => twoClients),
    row(`${WAITERS} waiters`, ({ hundredWaiters }) => hundredWaiters),
  ]);
}

function cells(figures: HandOver | undefined): string[] {
  if (figures === undefined) return ['-', '-'];
  return [
    Math.round(figures.perSecond).toLocaleString('en'),
    `${figures.wakeUps.mean.toFixed(3)}, ${figures.wakeUps.most}`,
  ];
}

function printMixes(servers: readonly (readonly [name: string, figures: Figures])[]): void {
  const operations = servers[0]?.[1].mixes.map(({ operations: n }) => n.toLocaleString('en')) ?? [];
  printTable([
    [
      'elapsed, s',
      ...CLIENTS.map(
        (n, i) => `${n} ${n === 1 ? 'client' : 'clients'}, ${operations[i] ?? '-'} operations`,
      ),
    ],
    ...servers.map(([name, { mixes }]) => [
      name,
      ...mixes.map(({ seconds, operations: n }) => {
        const perSecond = Math.round(n / seconds).toLocaleString('en');
        return `${seconds.toFixed(1)} (${perSecond}/s)`;
      }),
    ]),
  ]);
  const phases = servers[0]?.[1].mixes[0]?.phases.map(({ name }) => name) ?? [];
  printTable([
    ['1 client, ms', ...servers.map(([name]) => name)],
    ...phases.map((phase, i) => [
      phase,
      ...servers.map(([, { mixes }]) => mixes[0]?.phases[i]?.ms.toFixed(0) ?? '-'),
    ]),
  ]);
}

interface Options {
  readonly isQuick: boolean;
  readonly only: readonly string[];
}

async function main(args: readonly string[]): Promise<void> {
  const given = args.includes('--only') ? args[args.indexOf('--only') + 1] : undefined;
  const options = {
    isQuick: args.includes('--quick'),
    only: given?.split(',') ?? ['hand-over', 'mix', 'queues'],
  };
  const isAlone = options.only.join() === 'queues';
  const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
  try {
    const ours = await measure('zksh', home, options);
    const theirs = hasApache() && !isAlone ? await measure('apache', home, options) : null;
    const apache = theirs === null ? 'not installed' : apacheVersion();
    process.stdout.write(
      `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
        `Node.js ${process.version}, Apache ZooKeeper ${apache}\n\n`,
    );
    if (ours.twoClients !== undefined) printHandOvers(ours, theirs);
    if (ours.mixes.length > 0) {
      printMixes([['zksh', ours], ...(theirs === null ? [] : [['Apache', theirs] as const])]);
    }
    if (options.only.includes('queues')) await compareQueues(home, options.isQuick);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

await main(process.argv.slice(2));
