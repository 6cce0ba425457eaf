/**
 * The work of each client of the published latency test, with a thousand requests in flight: create
 * znodes of 100 bytes, set, get, and delete them; create ephemerals, watch each five times by
 * exists, delete them, and wait until every watcher has its event. With 10,000 znodes these are
 * 110,000 operations.
 */
import type { ZooKeeperClient } from '../src/client/base/client.js';
import { CreateModes } from '../src/protocol/create-mode.js';

export interface MixFigures {
  readonly operations: number;
  readonly seconds: number;
  /** The times of all clients together, one phase after the other. */
  readonly phases: readonly { readonly name: string; readonly ms: number }[];
}

const DATA = Buffer.alloc(100, 0x78);
const WATCHES = 5;
/** For each client. With all 10,000 of 20 clients at once, we would measure only the queue. */
const IN_FLIGHT = 1000;

interface Phase {
  readonly name: string;
  /** Operations for each znode. */
  readonly weight: number;
  run(client: ZooKeeperClient, path: string): Promise<unknown>;
}

export async function runMix(
  clients: readonly ZooKeeperClient[],
  znodes: number,
): Promise<MixFigures> {
  let heard = 0;
  let allHeard = (): void => undefined;
  const expected = clients.length * znodes * WATCHES;
  const notified = new Promise<void>((resolve) => {
    allHeard = resolve;
  });
  const watchOnce = (client: ZooKeeperClient, path: string): Promise<unknown> => {
    // Five watchers, because the same watcher twice would count as one.
    const watch = (): void => {
      if (++heard === expected) allHeard();
    };
    return client.exists(path, { watch });
  };
  const phases: readonly Phase[] = [
    { name: 'create', weight: 1, run: (client, path) => client.create(path, DATA) },
    { name: 'set', weight: 1, run: (client, path) => client.setData(path, DATA) },
    { name: 'get', weight: 1, run: (client, path) => client.getData(path) },
    { name: 'delete', weight: 1, run: (client, path) => client.delete(path) },
    {
      name: 'create ephemerals',
      weight: 1,
      run: (client, path) => client.create(path, DATA, { mode: CreateModes.EPHEMERAL }),
    },
    {
      name: 'exists, five watches each',
      weight: WATCHES,
      run: (client, path) =>
        Promise.all(Array.from({ length: WATCHES }, () => watchOnce(client, path))),
    },
    {
      name: 'delete, until all watchers have the event',
      weight: 1,
      run: (client, path) => client.delete(path),
    },
  ];
  const root = `/mix-${Date.now().toString(36)}`;
  await clients[0]?.create(root);
  await Promise.all(clients.map((client, i) => client.create(`${root}/${i}`)));
  const figures: { name: string; ms: number }[] = [];
  const startedAt = performance.now();
  for (const [at, { name, run }] of phases.entries()) {
    const phaseAt = performance.now();
    await Promise.all(
      clients.map((client, i) => inParallel(znodes, (n) => run(client, `${root}/${i}/n${n}`))),
    );
    if (at === phases.length - 1) await notified;
    figures.push({ name, ms: performance.now() - phaseAt });
  }
  const weight = phases.reduce((sum, phase) => sum + phase.weight, 0);
  const seconds = (performance.now() - startedAt) / 1000;
  return { operations: clients.length * znodes * weight, seconds, phases: figures };
}

async function inParallel(count: number, run: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}
