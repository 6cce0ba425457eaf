import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { type Allocation, Partitioner } from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { failureOf, inWorld, type World } from './world.js';

const NAMES = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'];

function worldTest(name: string, run: (world: World) => Promise<void>): void {
  test(name, async () => {
    const server = await startBundled({ config: { tickTime: '500' } });
    try {
      await inWorld(server.port, run);
    } finally {
      await server.close();
    }
  });
}

/** Who works on each name, by the programs' own account. */
class Table {
  readonly owners = new Map<string, string>();
  readonly tokens = new Map<string, bigint>();
  /** Divisions so far. */
  count = 0;

  begin(id: string, { mine, signal, fencingTokens }: Allocation): void {
    this.count++;
    assert.not(signal.aborted);
    for (const name of mine) {
      assert.is(this.owners.get(name), undefined, `${id} gets ${name}`);
      this.owners.set(name, id);
      const token = fencingTokens.get(name) ?? 0n;
      assert.ok(token > (this.tokens.get(name) ?? 0n), 'tokens grow');
      this.tokens.set(name, token);
    }
  }

  end({ mine }: Allocation): void {
    for (const name of mine) this.owners.delete(name);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A member that works until it leaves. @returns the reason of its end */
function work(
  client: ZooKeeperClient,
  path: string,
  table: Table,
  id: string,
  leave?: AbortSignal,
): Promise<Error & { code?: unknown }> {
  const partitioner = new Partitioner(client, path, { id, names: NAMES, settleMs: 20 });
  const running = async (): Promise<void> => {
    for await (const allocation of partitioner.allocations({ signal: leave })) {
      table.begin(id, allocation);
      await aborted(allocation.signal);
      table.end(allocation);
    }
  };
  return failureOf(running());
}

/** Waits until these members share all names evenly. */
async function isDivided({ owners }: Table, ids: readonly string[]): Promise<void> {
  await waitFor(`all names with ${ids}`, () => {
    const counts = ids.map((id) => [...owners.values()].filter((owner) => owner === id).length);
    const most = Math.ceil(NAMES.length / ids.length);
    const least = Math.floor(NAMES.length / ids.length);
    return owners.size === NAMES.length && counts.every((n) => n >= least && n <= most);
  });
}

worldTest('partitioner: members come and go, and no name has two owners', async (world) => {
  const table = new Table();
  const members = new Map<string, { stop: AbortController; done: Promise<Error> }>();
  const come = async (id: string): Promise<void> => {
    const stop = new AbortController();
    const client = await world.client();
    members.set(id, { stop, done: work(client, world.path, table, id, stop.signal) });
  };
  const go = async (id: string): Promise<void> => {
    const member = members.get(id);
    members.delete(id);
    member?.stop.abort(new Error('enough'));
    assert.is(((await member?.done) as { code?: unknown })?.code, 'ABORT_ERR');
  };
  await come('m0');
  await isDivided(table, ['m0']);
  for (let round = 1; round <= 6; round++) {
    await Promise.all([come(`m${2 * round - 1}`), come(`m${2 * round}`)]);
    if (round % 2 === 0) await isDivided(table, [...members.keys()]);
    await go([...members.keys()][round % members.size] ?? '');
    if (round % 3 === 0) await isDivided(table, [...members.keys()]);
  }
  await isDivided(table, [...members.keys()]);
  for (const id of [...members.keys()]) await go(id);
  assert.is(table.owners.size, 0);
  await waitFor('no leftovers', async () => (await world.leftovers()).length === 0);
});

worldTest(
  'partitioner: the names of a lost session go to others, after its work',
  async (world) => {
    const table = new Table();
    const stop = new AbortController();
    const proxy = await world.proxy();
    const dying = await world.client({ through: proxy, timeoutMs: 2000 });
    const lost = work(dying, world.path, table, 'a');
    const living = ['b', 'c'].map(async (id) =>
      work(await world.client(), world.path, table, id, stop.signal),
    );
    await isDivided(table, ['a', 'b', 'c']);
    proxy.refuse();
    await isDivided(table, ['b', 'c']);
    assert.is((await lost).code, 'SESSIONEXPIRED');
    stop.abort();
    await Promise.all(living);
    assert.is(table.owners.size, 0);
  },
);

worldTest(
  'partitioner: a member whose connection was lost for a while joins again',
  async (world) => {
    const table = new Table();
    const stop = new AbortController();
    const proxy = await world.proxy();
    const client = await world.client({ through: proxy, timeoutMs: 3000 });
    const first = work(client, world.path, table, 'a', stop.signal);
    await isDivided(table, ['a']);
    const { count } = table;
    proxy.refuse();
    await waitFor('the loss', () => table.owners.size === 0);
    proxy.mend();
    await isDivided(table, ['a']);
    assert.ok(table.count > count);
    stop.abort();
    await first;
  },
);

worldTest('partitioner: a member keeps its names until its body ends', async (world) => {
  const table = new Table();
  const stop = new AbortController();
  const slow = new Partitioner(await world.client(), world.path, {
    id: 'a',
    names: NAMES,
    settleMs: 0,
  });
  const bodies = slow.allocations();
  const { value: first } = await bodies.next();
  assert.equal(first.mine, NAMES);
  const other = work(await world.client(), world.path, table, 'b', stop.signal);
  await aborted(first.signal);
  assert.is(first.signal.reason.code, 'ELOST');
  // It stands in the lines of its names.
  await waitFor('its places', async () => {
    const { children } = await world.observer.getChildren(`${world.path}/locks/p2`);
    return children.length === 2;
  });
  assert.is(table.count, 0, 'it still works on them');
  const { value: second } = await bodies.next();
  assert.equal(second.mine, ['p1', 'p3', 'p5', 'p7']);
  assert.equal(second.members, ['a', 'b']);
  await waitFor('the rest', () => table.owners.size === 3);
  await bodies.return(undefined as never);
  await isDivided(table, ['b']);
  stop.abort();
  await other;
});

worldTest('partitioner: more members than names, one id twice, a lost lock', async (world) => {
  const client = await world.client();
  const make = (id: string, names: readonly string[]) =>
    new Partitioner(client, world.path, { id, names, settleMs: 50 }).allocations();
  const [a, b] = [make('a', ['p1']), make('b', ['p1'])];
  const [first, second] = await Promise.all([a.next(), b.next()]);
  assert.equal([first.value.mine, second.value.mine], [['p1'], []]);
  assert.is((await failureOf(make('a', ['p1']).next())).code, 'ETAKEN');
  const { children } = await client.getChildren(`${world.path}/locks/p1`);
  await world.observer.delete(`${world.path}/locks/p1/${children[0]}`);
  await aborted(first.value.signal);
  assert.not(second.value.signal.aborted);
  const again = await a.next();
  assert.equal(again.value.mine, ['p1']);
  await Promise.all([a.return(undefined as never), b.return(undefined as never)]);
  assert.throws(() => make('c', ['p1', 'p1']), /different names/);
  assert.equal(await world.leftovers(), []);
});

test.run();
