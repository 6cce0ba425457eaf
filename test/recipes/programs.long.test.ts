// Five programs, whose clients renew their sessions, and which have no loop of their own against
// the end of one: while members are killed and restarted, and while no quorum serves for longer
// than a session lives, they lose nothing.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasUnknownOutcome } from '../../src/client/base/errors.js';
import type { SessionClient } from '../../src/client/index.js';
import { createClient } from '../../src/client/zookeeper.js';
import {
  Configuration,
  LeaderElection,
  Lock,
  LockingQueue,
  ServiceCache,
  ServiceDirectory,
} from '../../src/recipes/index.js';
import { oracleTest } from '../support/apache/oracle.js';
import { type Member, makeSeats, waitUntilServing } from '../support/apache/oracle-ensemble.js';
import { waitFor } from '../support/wait-for.js';

const SESSION_TIMEOUT_MS = 4000;
const ITEMS = 100;
const WORKERS = 50;
const LONG_MS = 120_000;

interface World {
  connect(): SessionClient;
  /** Aborts when the members have been killed and serve again. */
  readonly over: AbortSignal;
}

type Program = (world: World) => Promise<void>;

/** Repeats a call whose outcome does not matter, or that may happen twice. */
async function insist<T>(call: () => Promise<T>): Promise<T> {
  let value: { readonly of: T } | undefined;
  await waitFor(
    'a call that must succeed',
    async () => {
      value = await call().then(
        (of) => ({ of }),
        () => undefined,
      );
      return value;
    },
    LONG_MS,
  );
  return (value as { readonly of: T }).of;
}

const untilOver = (over: AbortSignal) => waitFor('the end', () => over.aborted, LONG_MS);

async function watchesConfiguration({ connect, over }: World): Promise<void> {
  const [reader, writer] = [connect(), connect()];
  const setting = new Configuration(writer, '/config');
  const stop = new AbortController();
  let last = -1;
  const reading = (async () => {
    const changes = new Configuration(reader, '/config').changes({ signal: stop.signal });
    for await (const change of changes) last = Number(change?.data ?? -1);
  })().catch((error) => error);
  let written = 0;
  while (!over.aborted) {
    written++;
    await insist(async () => {
      const before = await setting.read({ timeoutMs: 5000 });
      const next = String(written);
      if (before === undefined) await setting.create(next, { timeoutMs: 5000 });
      else await setting.compareAndSet(next, before.version, { timeoutMs: 5000 });
      assert.is(`${(await setting.read({ timeoutMs: 5000 }))?.data}`, next);
    });
  }
  await waitFor('the last setting', () => last === written, LONG_MS);
  stop.abort();
  assert.is((await reading).code, 'ABORT_ERR');
}

async function leads({ connect, over }: World): Promise<void> {
  const stop = new AbortController();
  let highest = 0n;
  let leaders = 0;
  const tokens: bigint[] = [];
  const candidates = ['a', 'b', 'c'].map((id) =>
    new LeaderElection(connect(), '/leader', { id })
      .lead({
        signal: stop.signal,
        onElected: async ({ signal, fencingToken }) => {
          // A resource that refuses the writes of earlier leaders.
          if (fencingToken > highest) tokens.push(fencingToken);
          highest = fencingToken > highest ? fencingToken : highest;
          leaders++;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          leaders--;
        },
      })
      .catch((error) => error),
  );
  await untilOver(over);
  await waitFor('one leader', () => leaders === 1, LONG_MS);
  stop.abort();
  await Promise.all(candidates);
  assert.ok(tokens.length > 0);
  assert.equal(
    tokens,
    [...tokens].sort((x, y) => (x < y ? -1 : 1)),
  );
}

async function locks({ connect, over }: World): Promise<void> {
  const clients = Array.from({ length: 5 }, connect);
  let holders = 0;
  let held = 0;
  const work = async (client: SessionClient): Promise<void> => {
    const lock = new Lock(client, '/lock');
    while (!over.aborted) {
      const done = lock.do(async (signal) => {
        if (!signal.aborted) holders++;
        assert.ok(holders <= 1, 'two holders with a live signal');
        await new Promise((resolve) => setImmediate(resolve));
        holders--;
        held++;
      });
      // The holder of a lost lock gets ELOST, as always.
      await done.catch((error) => assert.is(error.code, 'ELOST', String(error)));
    }
  };
  const all = Array.from({ length: WORKERS }, (_, i) => work(clients[i % 5] as SessionClient));
  await Promise.all(all);
  assert.ok(held > WORKERS);
}

async function worksOffQueue({ connect, over }: World): Promise<void> {
  // An item whose session ended while done() ran may be gone, with no other worker to tell.
  const done = new Set<string>();
  const stop = new AbortController();
  const work = async (): Promise<void> => {
    const queue = new LockingQueue(connect(), '/queue');
    for (;;) {
      await using item = await queue.take({ signal: stop.signal });
      await item.done().then(
        () => done.add(`${item.data}`),
        // Another worker gets it, unless it is gone.
        (error) => void (hasUnknownOutcome(error) && done.add(`${item.data}`)),
      );
    }
  };
  const workers = Array.from({ length: 4 }, () => work().catch((error) => error));
  const queue = new LockingQueue(connect(), '/queue');
  for (let i = 0; i < ITEMS; i++) await insist(() => queue.put(`${i}`, 1, { timeoutMs: 10_000 }));
  await untilOver(over);
  await waitFor('an empty queue', async () => (await queue.size()) === 0, LONG_MS);
  await waitFor('all items', () => done.size === ITEMS, LONG_MS);
  stop.abort();
  for (const worker of workers) assert.is((await worker).code, 'ABORT_ERR');
}

async function discovers({ connect, over }: World): Promise<void> {
  const ids = ['a', 'b', 'c'];
  const seen = connect();
  const cache = await insist(() => ServiceCache.open(seen, '/services'));
  const members = await Promise.all(
    ids.map((id) =>
      insist(() => new ServiceDirectory(connect(), '/services').announce('web', id, id)),
    ),
  );
  await untilOver(over);
  const found = () =>
    cache
      .instances('web')
      .map(({ id }) => id)
      .join();
  await waitFor('all instances', () => found() === ids.join(), LONG_MS);
  for (const { signal } of members) assert.not(signal.aborted);
  await cache.close();
}

const PROGRAMS: readonly Program[] = [watchesConfiguration, leads, locks, worksOffQueue, discovers];

async function survives(kind: 'Apache' | 'bundled'): Promise<void> {
  const seats = await makeSeats({ participants: 3 });
  const start = kind === 'Apache' ? seats.startApache : seats.startBundled;
  const members = new Map<number, Member>();
  const clients: SessionClient[] = [];
  const over = new AbortController();
  const serve = async (sids: readonly number[]): Promise<void> => {
    for (const sid of sids) members.set(sid, start(sid));
    await Promise.all(sids.map((sid) => waitUntilServing(seats.of(sid))));
  };
  const kill = (sids: readonly number[]) =>
    Promise.all(sids.map((sid) => members.get(sid)?.stop('SIGKILL')));
  try {
    await serve([1, 2, 3]);
    const connectString = seats.all.map((seat) => seat.connectString).join();
    let renewed = 0;
    const connect = (): SessionClient => {
      const client = createClient({
        connectString,
        renewSession: true,
        sessionTimeoutMs: SESSION_TIMEOUT_MS,
      });
      client.on('renewed', () => renewed++);
      clients.push(client);
      return client;
    };
    const running = Promise.all(PROGRAMS.map((program) => program({ connect, over: over.signal })));
    for (const sid of [1, 2, 3, 1, 2, 3]) {
      await kill([sid]);
      await serve([sid]);
    }
    // Longer than a session lives: each begins a new one.
    await kill([1, 2]);
    await waitFor('the end of sessions', () => clients.every(({ state }) => state !== 'connected'));
    await waitFor('new sessions to be asked for', () => clients.every(isRenewing), LONG_MS);
    await serve([1, 2]);
    await waitFor('new sessions', () => renewed >= clients.length, LONG_MS);
    over.abort();
    await running;
  } finally {
    over.abort();
    await Promise.all(clients.map((client) => client.close()));
    await seats.close();
  }
}

function isRenewing({ state, sessionId }: SessionClient): boolean {
  return state === 'connecting' && sessionId === 0n;
}

test('five programs survive the loss of members, and of their sessions', () => survives('bundled'));

oracleTest('five programs survive the same with members of Apache', () => survives('Apache'));

test.run();
