/** The queues of `zksh/recipes` beside those of kazoo, on one server, in turns. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ZooKeeperClient } from '../src/client/base/client.js';
import { createClient } from '../src/client/zookeeper.js';
import { DistributedQueue, LockingQueue, PriorityQueue, Queue } from '../src/recipes/index.js';
import { median } from './figures.js';
import { startBenchServer } from './servers.js';
import { printTable } from './table.js';

const PYTHON = '/usr/bin/python3';
const KAZOO = '/usr/lib/python3/dist-packages/kazoo';
const PROGRAM = fileURLToPath(new URL('../../bench/queues.py', import.meta.url));
const TAKERS = 4;
const DATA = 'x'.repeat(100);

interface Subject {
  put(at: number): Promise<unknown>;
  take(): Promise<unknown>;
}

interface QueueKind {
  readonly name: string;
  /** The kind of bench/queues.py. */
  readonly kazoo: 'queue' | 'priority' | 'locking';
  open(client: ZooKeeperClient, path: string): Subject;
}

const KINDS: readonly QueueKind[] = [
  {
    name: 'Queue',
    kazoo: 'queue',
    open: (client, path) => {
      const queue = new Queue(client, path);
      return { put: () => queue.put(DATA), take: () => queue.take() };
    },
  },
  {
    name: 'PriorityQueue',
    kazoo: 'priority',
    open: (client, path) => {
      const queue = new PriorityQueue(client, path);
      return { put: (at) => queue.put(DATA, at % 5), take: () => queue.take() };
    },
  },
  {
    name: 'DistributedQueue',
    kazoo: 'queue',
    open: (client, path) => {
      const queue = new DistributedQueue(client, path);
      return { put: () => queue.put(DATA), take: () => queue.take() };
    },
  },
  {
    name: 'LockingQueue',
    kazoo: 'locking',
    open: (client, path) => {
      const queue = new LockingQueue(client, path);
      return { put: () => queue.put(DATA), take: async () => (await queue.take()).done() };
    },
  },
];

const LOADS = {
  put: 'put',
  take: 'take',
  one: 'put, take, by turns',
  four: `put, and take by ${TAKERS} takers`,
} as const;
type QueueLoad = keyof typeof LOADS;

async function times(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at++) await work(at);
}

/** @returns items per second, and the requests for each */
async function measureOurs(
  port: number,
  path: string,
  { open }: QueueKind,
  load: QueueLoad,
  count: number,
): Promise<{ perSecond: number; requests: number }> {
  const tally = { requests: 0 };
  const clients: ZooKeeperClient[] = [];
  const connect = async (): Promise<Subject> => {
    const client = createClient({
      connectString: `127.0.0.1:${port}`,
      metrics: { request: () => void tally.requests++ },
    });
    clients.push(client);
    await client.connect();
    return open(client, path);
  };
  try {
    const queue = await connect();
    const takers: Subject[] = [];
    while (load === 'four' && takers.length < TAKERS) takers.push(await connect());
    // The first put makes the parents.
    await queue.put(0);
    await queue.take();
    if (load === 'take') await times(count, (at) => queue.put(at));
    tally.requests = 0;
    const begin = performance.now();
    if (load === 'put') await times(count, (at) => queue.put(at));
    else if (load === 'take') await times(count, () => queue.take());
    else if (load === 'one') await times(count, (at) => queue.put(at).then(() => queue.take()));
    else {
      const share = count / TAKERS;
      const taking = takers.map((taker) => times(share, () => taker.take()));
      await Promise.all([times(count, (at) => queue.put(at)), ...taking]);
    }
    const seconds = (performance.now() - begin) / 1000;
    return { perSecond: count / seconds, requests: tally.requests / count };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

function measureKazoo(
  port: number,
  path: string,
  { kazoo }: QueueKind,
  load: QueueLoad,
  count: number,
): number {
  const args = [PROGRAM, `127.0.0.1:${port}`, path, kazoo, load, String(count)];
  const { stdout, stderr, status } = spawnSync(PYTHON, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${PROGRAM} ended with ${status}: ${stderr}`);
  return count / Number(stdout);
}

/** Prints the table. Without kazoo, its columns are empty. */
export async function compareQueues(home: string, isQuick: boolean): Promise<void> {
  const rounds = isQuick ? 1 : 7;
  const count = isQuick ? 100 : 400;
  const hasKazoo = existsSync(KAZOO);
  const server = await startBenchServer('zksh', home);
  const columns = ['zksh items/s', 'requests', 'kazoo items/s', 'ratio', 'of all rounds'];
  const rows = [['queue', 'load', ...columns]];
  try {
    // A row would pay for the compilation of the code that it runs first.
    for (const kind of KINDS) {
      await measureOurs(server.port, `/bench/${kind.name}`, kind, 'one', count);
    }
    for (const kind of KINDS) {
      for (const load of Object.keys(LOADS) as QueueLoad[]) {
        process.stderr.write(`${kind.name}: ${LOADS[load]}\n`);
        const ours: number[] = [];
        const theirs: number[] = [];
        let requests = 0;
        for (let round = 0; round < rounds; round++) {
          const path = `/bench/${kind.name}-${load}-${round}`;
          const mine = await measureOurs(server.port, `${path}-zksh`, kind, load, count);
          ours.push(mine.perSecond);
          requests = mine.requests;
          if (!hasKazoo) continue;
          theirs.push(measureKazoo(server.port, `${path}-kazoo`, kind, load, count));
        }
        rows.push([kind.name, LOADS[load], ...cellsOf(ours, theirs, requests)]);
      }
    }
  } finally {
    await server.stop();
  }
  printTable(rows);
}

function cellsOf(
  ours: readonly number[],
  theirs: readonly number[],
  requests: number,
): readonly string[] {
  const text = (values: readonly number[]) => Math.round(median(values)).toLocaleString('en');
  const mine = [text(ours), requests.toFixed(1)];
  if (theirs.length === 0) return [...mine, '-', '-', '-'];
  const ratios = ours.map((each, i) => each / (theirs[i] ?? Number.NaN)).sort((a, b) => a - b);
  const ends = [ratios[0], ratios.at(-1)].map((ratio) => ratio?.toFixed(2)).join(' to ');
  return [...mine, text(theirs), median(ratios).toFixed(2), ends];
}
