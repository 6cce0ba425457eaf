import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeLines } from '../../../../src/commands/results/change-lines.js';
import {
  ChangeFeed,
  type FeedOptions,
} from '../../../../src/commands/zksh/watching/change-feed.js';
import { FakeClient } from '../../../support/peers/fake-client.js';

interface World {
  readonly client: FakeClient;
  readonly feed: ChangeFeed;
  readonly abort: AbortController;
  /** The first lines of `count` changes. */
  next(count: number): Promise<readonly string[]>;
}

async function watching(options: Partial<FeedOptions> = {}): Promise<World> {
  const client = new FakeClient();
  await client.connect();
  await client.create('/a', Buffer.from('hello'));
  await client.create('/a/b', Buffer.from('child'));
  const abort = new AbortController();
  const feedOptions = {
    client,
    path: '/a',
    isRecursive: true,
    hasValues: true,
    signal: abort.signal,
    ...options,
  };
  const feed = new ChangeFeed(feedOptions);
  await feed.start();
  const next = async (count: number) => {
    const lines: string[] = [];
    for (let i = 0; i < count; i++) {
      const item = await feed.next();
      assert.is(item.kind, 'change');
      if (item.kind === 'change') lines.push(changeLines(item.change).split('\n')[0] ?? '');
    }
    return lines;
  };
  return { client, feed, abort, next };
}

test('changes arrive in the order of their events, with old and new values', async () => {
  const { client, feed, next } = await watching();
  const first = feed.next();
  await client.setData('/a', Buffer.from('x'));
  const item = await first;
  assert.is(item.kind, 'change');
  if (item.kind === 'change') {
    assert.is(item.change.before?.data?.toString(), 'hello');
    assert.is(item.change.after?.data?.toString(), 'x');
  }
  await client.create('/a/c', null);
  await client.setData('/a/b', Buffer.from('y'));
  await client.delete('/a/b');
  assert.equal(await next(3), [
    'NodeCreated /a/c',
    'NodeDataChanged /a/b (version 0 to 1)',
    'NodeDeleted /a/b',
  ]);
});

test('a change read with an earlier event is marked as reported', async () => {
  const { client, next } = await watching();
  // The values are read at the end of the turn, so both events find the second.
  const getData = client.getData.bind(client);
  client.getData = async (path) => {
    await new Promise((resolve) => setImmediate(resolve));
    return getData(path);
  };
  const written = ['x', 'y'].map((value) => client.setData('/a', Buffer.from(value)));
  assert.equal(await next(2), [
    'NodeDataChanged /a (version 0 to 2)',
    'NodeDataChanged /a (version 2, already reported)',
  ]);
  await Promise.all(written);
});

test('a change that precedes the first reading has no known old value', async () => {
  const { client, feed } = await watching({ hasValues: false });
  await feed.stop();
  const late = new ChangeFeed({
    client,
    path: '/a',
    isRecursive: false,
    hasValues: true,
    signal: new AbortController().signal,
  });
  const addWatch = client.addWatch.bind(client);
  client.addWatch = async (...args) => {
    await addWatch(...args);
    await client.setData('/a', Buffer.from('x'));
  };
  await late.start();
  const item = await late.next();
  assert.is(item.kind === 'change' && item.change.before, undefined);
  assert.is(item.kind === 'change' && item.change.isAlreadyReported, false);
});

test('added and removed children are named', async () => {
  const { client, feed } = await watching({ isRecursive: false });
  const first = feed.next();
  await client.create('/a/c', null);
  await first;
  await client.delete('/a/b');
  const item = await feed.next();
  assert.is(item.kind, 'change');
  if (item.kind === 'change') {
    assert.equal(item.change.children, { added: [], removed: ['b'], count: 1 });
  }
});

test('changes during a disconnect are reported after it', async () => {
  for (const isRecursive of [true, false]) {
    const { client, feed, next } = await watching({ isRecursive });
    const first = feed.next();
    await client.setData('/a', Buffer.from('1'));
    await first;
    client.setState('disconnected');
    // No event arrives.
    await client.removeWatches('/a').catch(() => undefined);
    const other = await feed.next();
    assert.is(other.kind, 'over');
    await client.setData('/a', Buffer.from('2'));
    await client.create('/a/new', null);
    await client.delete('/a/b');
    client.setState('connected');
    assert.equal(
      await next(isRecursive ? 3 : 2),
      isRecursive
        ? [
            'NodeDataChanged /a (while disconnected, version 1 to 2)',
            'NodeCreated /a/new (while disconnected)',
            'NodeDeleted /a/b (while disconnected)',
          ]
        : [
            'NodeDataChanged /a (while disconnected, version 1 to 2)',
            'NodeChildrenChanged /a (while disconnected, 1 child)',
          ],
    );
  }
});

test('an unreadable znode is reported with the reason', async () => {
  const { client, next } = await watching();
  client.failures.set('getData /a', 'NOAUTH');
  await client.setData('/a', Buffer.from('x'));
  assert.equal(await next(1), ['NodeDataChanged /a (cannot read: NOAUTH)']);
});

test('without values, nothing is read', async () => {
  const { client, next } = await watching({ hasValues: false });
  await client.setData('/a', Buffer.from('x'));
  assert.equal(await next(1), ['NodeDataChanged /a']);
  assert.not.ok(client.calls.includes('getData'));
});

test('it ends when the watch is removed, interrupted, or lost with the session', async () => {
  const removed = await watching();
  void removed.client.removeWatches('/a');
  assert.equal(await removed.feed.next(), { kind: 'over' });
  const aborted = await watching();
  const next = aborted.feed.next();
  aborted.abort.abort();
  assert.equal(await next, { kind: 'over' });
  const expired = await watching();
  expired.client.setState('expired');
  try {
    await expired.feed.next();
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), /session is expired; its watches ended/);
  }
});

test.run();
