// With renewSession, recipes go on in the next session: waits begin again, and what has to be there
// is there again.
import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createClient,
  ErrorCode,
  type SessionClient,
  type ZooKeeperClient,
  ZooKeeperError,
} from '../../src/client/index.js';
import {
  DoubleBarrier,
  Group,
  LeaderElection,
  Lock,
  PersistentNode,
  Queue,
  ServiceCache,
  ServiceDirectory,
} from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { startProxy } from '../support/peers/proxy.js';
import { waitFor } from '../support/wait-for.js';
import { hasNoWatcher } from '../support/watch-counts.js';
import { LOOPS, WAITING_CALLS } from './waiting-calls.js';
import { failureOf } from './world.js';

interface Stage {
  readonly own: SessionClient;
  readonly other: ZooKeeperClient;
  readonly path: string;
  /** Ends the own session, and waits for the next one. */
  expire(): Promise<void>;
}

function promise(title: string, run: (stage: Stage) => Promise<void>): void {
  test(title, async () => {
    const server = await startBundled();
    const { connectString } = server;
    const own = createClient({ connectString, renewSession: true });
    const other = createClient({ connectString });
    try {
      await Promise.all([own.connect(), other.connect()]);
      await other.create('/recipes');
      const expire = async (): Promise<void> => {
        const { sessionId } = own;
        let renewed = 0n;
        own.on('renewed', ({ previousSessionId, sessionId: next }) => {
          if (previousSessionId === sessionId) renewed = next;
        });
        server.control.expireSession(sessionId);
        await waitFor('the next session', () => renewed !== 0n);
        assert.is(own.sessionId, renewed);
      };
      await run({ own, other, path: '/recipes/of-test', expire });
    } finally {
      await own.close();
      await other.close();
      await server.close();
    }
  });
}

for (const [name, { given, wait }] of Object.entries(WAITING_CALLS)) {
  promise(`${name}: the wait ends in the next session`, async (stage) => {
    const { own, other, path, expire } = stage;
    const free = await given(other, path, own);
    const waiting = wait(own, path, {}).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    await waitFor('a watch', () => !hasNoWatcher(own));
    await expire();
    const freed = free().catch((error: unknown) => error);
    const outcome = await waiting;
    assert.is('error' in outcome ? outcome.error : undefined, undefined, name);
    await freed;
  });
}

for (const [name, loop] of Object.entries(LOOPS)) {
  promise(`${name}: the loop continues in the next session`, async ({ own, path, expire }) => {
    const stop = new AbortController();
    let items = 0;
    const looping = failureOf(
      (async () => {
        for await (const _ of loop(own, path, { signal: stop.signal })) items++;
      })(),
    );
    await waitFor('a watch', () => !hasNoWatcher(own) && items > 0);
    await expire();
    await waitFor('a watch in the next session', () => !hasNoWatcher(own));
    stop.abort();
    assert.is((await looping).code, 'ABORT_ERR');
  });
}

/** Whether the znode is of the session that the client has now. */
const isOwn = (own: ZooKeeperClient, other: ZooKeeperClient, path: string) =>
  waitFor(`${path} in the next session`, async () => {
    await other.sync(path);
    const stat = await other.exists(path);
    return stat?.ephemeralOwner === own.sessionId;
  });

promise('a persistent node is there again', async ({ own, other, path, expire }) => {
  const node = await PersistentNode.open(own, path, { data: 'x' });
  for (let round = 0; round < 2; round++) {
    await expire();
    await isOwn(own, other, path);
  }
  assert.is(String((await other.getData(path)).data), 'x');
  await node.close();
  assert.is(await other.exists(path), null);
});

promise('a member of a group is a member again', async ({ own, other, path, expire }) => {
  const membership = await new Group(own, path).join('a', 'x');
  await expire();
  await isOwn(own, other, `${path}/a`);
  assert.not(membership.signal.aborted);
  await membership.leave();
  assert.equal(await new Group(other, path).ids(), []);
  await own.close();
  assert.not(membership.signal.aborted);
});

promise('an instance of a service is announced again', async (stage) => {
  const { own, other, path, expire } = stage;
  const cache = await ServiceCache.open(other, path);
  const announced = await new ServiceDirectory(own, path).announce('web', 'a', 'x');
  await waitFor('the instance', () => cache.instances('web').length === 1);
  await expire();
  await isOwn(own, other, `${path}/web/a`);
  await waitFor('the instance again', () => cache.instances('web').length === 1);
  await announced.leave();
  await waitFor('its end', () => cache.instances('web').length === 0);
  await cache.close();
});

promise('a leader that loses its session leads again', async ({ own, other, path, expire }) => {
  const tokens: bigint[] = [];
  let isOver = false;
  const led = new LeaderElection(own, path, { id: 'me' }).lead({
    onElected: async ({ signal, fencingToken }) => {
      tokens.push(fencingToken);
      await waitFor('a loss, or the end', () => signal.aborted || isOver);
      return tokens.length;
    },
  });
  await waitFor('the election', () => tokens.length === 1);
  await expire();
  await waitFor('the second election', () => tokens.length === 2);
  assert.is(await new LeaderElection(other, path, { id: 'other' }).leader(), 'me');
  isOver = true;
  assert.is(await led, 2);
  assert.ok((tokens[1] ?? 0n) > (tokens[0] ?? 0n));
});

promise('a lock is lost with its session, and can be taken again', async (stage) => {
  const { own, path, expire } = stage;
  const held = await new Lock(own, path).acquire();
  await expire();
  await waitFor('the loss', () => held.signal.aborted);
  assert.is(held.signal.reason.code, 'ELOST');
  await held.release();
  await (await new Lock(own, path).acquire()).release();
});

promise('a cache follows the tree in the next session', async (stage) => {
  const { own, other, path, expire } = stage;
  const cache = await ServiceCache.open(own, path);
  await new Group(other, `${path}/web`).join('a', 'x');
  await waitFor('the instance', () => cache.instances('web').length === 1);
  await expire();
  await new Group(other, `${path}/web`).join('b', 'x');
  await waitFor('the second instance', () => cache.instances('web').length === 2);
  await cache.close();
});

promise('no item is put or taken twice', async ({ own, other, path, expire }) => {
  const queue = new Queue(own, path);
  const putting = Array.from({ length: 20 }, (_, item) =>
    queue.put(`${item}`).catch(({ hasUnknownOutcome }) => {
      assert.ok(hasUnknownOutcome);
    }),
  );
  await expire();
  await Promise.all(putting);
  const theirs = new Queue(other, path);
  const items = new Set<string>();
  const { length } = await theirs.items();
  while (items.size < length) {
    const item = String((await theirs.take()).data);
    assert.not(items.has(item), item);
    items.add(item);
  }
});

promise('a claim whose session ends before the reply is left in doubt', async (stage) => {
  const { own, other, path, expire } = stage;
  await new Queue(other, path).put('x');
  // The claim never happens, and another taker gets the item before this one looks.
  own.multi = async (ops) => {
    await expire();
    await new Queue(other, path).take();
    throw new ZooKeeperError(ErrorCode.SESSIONEXPIRED, ops[0]?.path, { hasUnknownOutcome: true });
  };
  const { code, hasUnknownOutcome } = (await failureOf(
    new Queue(own, path).take(),
  )) as ZooKeeperError;
  assert.equal([code, hasUnknownOutcome], ['SESSIONEXPIRED', true]);
});

test('a process of a double barrier counts once, though the server keeps its ended session', async () => {
  const server = await startBundled({ config: { tickTime: '100' } });
  const proxy = await startProxy(server.port);
  const own = createClient({
    connectString: proxy.connectString,
    sessionTimeoutMs: 600,
    renewSession: true,
  });
  const other = createClient({ connectString: server.connectString });
  try {
    const enter = (client: ZooKeeperClient) =>
      new DoubleBarrier(client, '/round', { count: 2 }).enter();
    const entering = enter(own);
    const owners = async (): Promise<readonly (bigint | undefined)[]> => {
      const { children } = await other.getChildren('/round');
      const stats = children.map((name) => other.exists(`/round/${name}`));
      return (await Promise.all(stats)).map((stat) => stat?.ephemeralOwner);
    };
    await waitFor('a watch', () => !hasNoWatcher(own));
    const [first] = await owners();
    server.control.freezeTime();
    const renewed = once(own, 'renewed');
    proxy.refuse();
    await waitFor('the end', () => own.state === 'expired' || own.state === 'connecting');
    proxy.mend();
    await renewed;
    await waitFor('the next place', async () => {
      const now = await owners();
      return now.length === 1 && now[0] !== first;
    });
    const entered = await Promise.all([entering, enter(other)]);
    await Promise.all(entered.map((each) => each.leave()));
  } finally {
    await own.close();
    await other.close();
    await proxy.close();
    await server.close();
  }
});

test.run();
