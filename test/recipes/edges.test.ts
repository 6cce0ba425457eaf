import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { SequenceNode } from '../../src/recipes/base/sequence-node.js';
import { Group } from '../../src/recipes/groups/group.js';
import { ServiceCache, ServiceDirectory } from '../../src/recipes/groups/service-cache.js';
import { LeaderElection } from '../../src/recipes/locks/leader-election.js';
import { DoubleBarrier } from '../../src/recipes/synchronizers/double-barrier.js';
import { Semaphore } from '../../src/recipes/synchronizers/semaphore.js';
import { TwoPhaseCommit } from '../../src/recipes/synchronizers/two-phase-commit.js';
import { Configuration } from '../../src/recipes/values/configuration.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { failureOf, inWorld, recordWatchEvents, type World } from './world.js';

// Edge cases of recipes: crashes, timeouts, and clients that arrive late.

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

worldTest(
  '2pc: an ephemeral site that vanishes before the decision makes it an abort',
  async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const transaction = new TwoPhaseCommit(world.observer, world.path);
    await transaction.begin(['a', 'b'], 'sites');
    const decided = transaction.decide();
    await new TwoPhaseCommit(a, world.path).vote('a', 'commit');
    const site = new TwoPhaseCommit(b, world.path);
    const voter = new TwoPhaseCommit(a, world.path);
    assert.is((await failureOf(voter.vote('a', 'abort'))).code, 'ETAKEN');
    await waitFor('the vote', async () => (await site.state()).votes.get('a'));
    await a.close();
    assert.is(await decided, 'abort');
    assert.is(await site.decision(), 'abort');
    await transaction.finish();
    assert.is(await world.observer.exists(world.path), null);
  },
);

worldTest('2pc: a missing vote is an abort, and the decision never changes', async (world) => {
  const coordinator = new TwoPhaseCommit(await world.client(), world.path);
  const late = new TwoPhaseCommit(await world.client(), world.path);
  await coordinator.begin(['a', 'b']);
  await late.vote('a', 'commit');
  assert.is(await coordinator.decide({ timeoutMs: 20 }), 'abort');
  await late.vote('b', 'commit');
  await late.vote('b', 'commit');
  assert.is((await failureOf(late.vote('b', 'abort'))).code, 'ETAKEN');
  assert.is((await failureOf(late.vote('c', 'commit'))).code, 'EBADDATA');
  assert.is(await late.decide(), 'abort');
  assert.is((await failureOf(coordinator.finish({ timeoutMs: 20 }))).code, 'ETIMEDOUT');
  await late.acknowledge('a');
  await late.acknowledge('b');
  await coordinator.finish();
});

for (const siteNodes of ['coordinator', 'sites'] as const) {
  worldTest(`2pc, znodes of ${siteNodes}: sites decide without the coordinator`, async (world) => {
    const coordinator = await world.client();
    await new TwoPhaseCommit(coordinator, world.path).begin(['a', 'b'], siteNodes, 'pay 7 €');
    await coordinator.close();
    const sites = ['a', 'b'].map(async (name) => {
      const site = new TwoPhaseCommit(await world.client(), world.path);
      assert.is((await site.state()).payload, 'pay 7 €');
      await site.vote(name, 'commit');
      const decision = await site.decide();
      await site.acknowledge(name);
      return decision;
    });
    assert.equal(await Promise.all(sites), ['commit', 'commit']);
  });
}

worldTest('2pc: the decision of another process ends a wait for votes', async (world) => {
  const [one, two] = [await world.client(), await world.client()];
  const first = new TwoPhaseCommit(one, world.path);
  await first.begin(['a', 'b']);
  const deciding = first.decide();
  assert.is(await new TwoPhaseCommit(two, world.path).abort(), 'abort');
  assert.is(await deciding, 'abort');
});

worldTest(
  '2pc: of two concurrent decisions, one counts; a signal makes no decision',
  async (world) => {
    const [one, two] = [await world.client(), await world.client()];
    const [first, second] = [
      new TwoPhaseCommit(one, world.path),
      new TwoPhaseCommit(two, world.path),
    ];
    await first.begin(['a']);
    const controller = new AbortController();
    const given = failureOf(first.decide({ signal: controller.signal }));
    controller.abort(new Error('enough'));
    assert.is(((await given).cause as Error).message, 'enough');
    assert.is((await first.state()).decision, undefined);
    const decided = second.decide();
    assert.is(await first.abort(), 'abort');
    await first.vote('a', 'commit');
    assert.is(await decided, 'abort');
    await first.remove();
    assert.is((await failureOf(second.decision())).code, 'NONODE');
  },
);

worldTest('double barrier: a stale ready of a crash lets no process pass', async (world) => {
  const [a, b] = [await world.client(), await world.client()];
  const options = { count: 2 };
  await a.create('/recipes');
  await a.create(world.path);
  await a.create(`${world.path}/ready`, Buffer.from('nobody\nthat is there'));
  const alone = failureOf(new DoubleBarrier(a, world.path, options).enter({ timeoutMs: 200 }));
  assert.is((await alone).code, 'ETIMEDOUT');
  await world.members('process', 0);
  assert.is(await world.observer.exists(`${world.path}/ready`), null);
  const entered = await Promise.all(
    [a, b].map((client) => new DoubleBarrier(client, world.path, options).enter()),
  );
  const signal = AbortSignal.abort(new Error('at once'));
  const { cause } = await failureOf(entered[0]?.leave({ signal }) ?? Promise.resolve());
  assert.is((cause as Error).message, 'at once');
  await entered[1]?.leave();
  await waitFor('nothing to be left', async () => (await world.leftovers()).length === 0);
});

worldTest(
  'double barrier: a process that dies or aborts blocks no other from leaving',
  async (world) => {
    const clients = [await world.client(), await world.client(), await world.client()];
    const [first, second, third] = await Promise.all(
      clients.map((client) => new DoubleBarrier(client, world.path, { count: 3 }).enter()),
    );
    const leaving = first?.leave();
    assert.is(
      (await failureOf(second?.leave({ timeoutMs: 50 }) ?? Promise.resolve())).code,
      'ETIMEDOUT',
    );
    assert.not(third?.signal.aborted);
    await clients[2]?.close();
    assert.ok(third?.signal.aborted);
    await leaving;
    await waitFor('nothing to be left', async () => (await world.leftovers()).length === 0);
  },
);

worldTest('semaphore: a release wakes only the first in line', async (world) => {
  const holder = await world.client();
  const acquire = (client: ZooKeeperClient) =>
    new Semaphore(client, world.path, { permits: 2 }).acquire();
  const [first, second] = [await acquire(holder), await acquire(holder)];
  const clients = [await world.client(), await world.client(), await world.client()];
  const told = clients.map(recordWatchEvents);
  const count = async (part: string): Promise<number> =>
    (await world.observer.getChildren(`${world.path}/${part}`)).children.length;
  const waiting: ReturnType<typeof acquire>[] = [];
  for (const client of clients) {
    const acquiring = acquire(client);
    acquiring.catch(() => undefined);
    waiting.push(acquiring);
    await waitFor('a place in line', async () => (await count('locks')) === waiting.length);
  }
  await waitFor('a lease of the first in line', async () => (await count('leases')) === 3);
  // The answer to the sync comes after the watch is set.
  await Promise.all(clients.map((client) => client.sync('/')));
  await first.release();
  const next = await waiting[0];
  await waitFor('the next to come forward', async () => (await count('leases')) === 3);
  assert.equal(told, [['lease'], ['lock'], []]);
  await second.release();
  await (await waiting[1])?.release();
  await (await waiting[2])?.release();
  await next?.release();
  assert.equal(await world.leftovers(), []);
});

worldTest('service cache: changes during a disconnect are known afterwards', async (world) => {
  const proxy = await world.proxy();
  const client = await world.client({ through: proxy });
  const directory = new ServiceDirectory(await world.client(), world.path);
  const old = await directory.announce('web', 'old', Buffer.from('1'));
  let changes = 0;
  const cache = await ServiceCache.open(client, world.path, () => changes++);
  proxy.refuse();
  await waitFor('the cache to be cut off', () => client.state === 'disconnected');
  await old.leave();
  await directory.announce('db', 'new', Buffer.from('2'));
  assert.equal(cache.services(), ['web']);
  proxy.mend();
  await waitFor('the news', () => cache.services().join() === 'db');
  assert.ok(changes > 0);
  await client.close();
  assert.is((await failureOf(cache.ended)).code, 'ECLOSED');
  await cache.close();
});

worldTest('service cache: two caches of one client are independent', async (world) => {
  const client = await world.client();
  const caches = [
    await ServiceCache.open(client, world.path),
    await ServiceCache.open(client, world.path),
  ];
  await caches[0]?.close();
  await caches[0]?.close();
  await new ServiceDirectory(client, world.path).announce('web', 'a', Buffer.alloc(0));
  await waitFor('the other to know', () => caches[1]?.services().join() === 'web');
  assert.equal(caches[0]?.services(), []);
  await caches[1]?.close();
});

worldTest('group: a member leaves with its session, and watchers learn of it', async (world) => {
  const client = await world.client();
  const membership = await new Group(client, world.path).join('a', Buffer.alloc(0));
  await client.close();
  assert.ok(membership.signal.aborted);
  await membership.leave();
  assert.equal(await new Group(world.observer, world.path).ids(), []);
});

worldTest('election: the acknowledgement of an earlier leader is replaced', async (world) => {
  const [a, b] = [await world.client(), await world.client()];
  const election = new LeaderElection(b, world.path, { id: 'b' });
  const lost = new LeaderElection(a, world.path, { id: 'a' }).lead({
    onElected: async ({ acknowledge, signal }) => {
      await acknowledge();
      const [name] = await world.members('latch', 1);
      await world.observer.delete(`${world.path}/${name}`);
      await waitFor('the loss', () => signal.aborted);
      await election.lead({
        onElected: async (leadership) => {
          await leadership.acknowledge();
          assert.is(await election.acknowledged(), 'b');
        },
      });
    },
  });
  await lost;
  assert.equal(await world.leftovers(), []);
});

worldTest('a place that is left while it enters does not stay in the line', async (world) => {
  const client = await world.client();
  // The parent is missing, so the create is sent again.
  const node = new SequenceNode({ client, parent: `${world.path}/takers`, kind: 'taker' });
  const entering = node.enter(Buffer.alloc(0));
  await node.leave();
  await entering;
  assert.equal(await world.leftovers(), []);
});

worldTest('configuration: a missing setting is reported, too', async (world) => {
  const client = await world.client();
  const stop = new AbortController();
  const seen: (string | undefined)[] = [];
  const watching = (async () => {
    for await (const setting of new Configuration(client, world.path).changes({
      signal: stop.signal,
    })) {
      seen.push(setting?.data.toString());
    }
  })().catch((error) => error);
  await waitFor('nothing', () => seen.length === 1);
  await new Configuration(world.observer, world.path).create(Buffer.from('x'));
  await waitFor('a setting', () => seen.at(-1) === 'x');
  await world.observer.delete(world.path);
  await waitFor('no setting', () => seen.at(-1) === undefined);
  stop.abort(new Error('enough'));
  assert.is(((await watching).cause as Error).message, 'enough');
});

test.run();
