import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExpiryQueue } from '../../../src/server/session/expiry-queue.js';

class Item {
  bucketMs = 0;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const TICK = 100;

function names(items: readonly Item[]): string[] {
  return items.map(({ name }) => name);
}

test('a time is rounded up to the next tick, never down', () => {
  for (const [now, timeout, bucket] of [
    [0, 1, 100],
    [0, 99, 100],
    // Apache's rule: a time on a tick belongs to the next.
    [0, 100, 200],
    [50, 100, 200],
    [99, 1, 200],
    [1000, 250, 1300],
  ] as const) {
    const queue = new ExpiryQueue<Item>(TICK, 0);
    const item = new Item('a');
    queue.touch(item, now, timeout);
    assert.is(item.bucketMs, bucket, `${now} + ${timeout}`);
  }
});

test('nothing ends before its time, and everything at most a tick after it', () => {
  for (let timeout = 1; timeout <= 400; timeout += 7) {
    const queue = new ExpiryQueue<Item>(TICK, 0);
    queue.touch(new Item('a'), 0, timeout);
    let endedAt = 0;
    for (let now = 0; endedAt === 0; now++) if (queue.poll(now).length > 0) endedAt = now;
    assert.ok(endedAt >= timeout && endedAt <= timeout + TICK, `${timeout} ended at ${endedAt}`);
  }
});

test('a touch moves an item, and one within the same tick moves nothing', () => {
  const queue = new ExpiryQueue<Item>(TICK, 0);
  const item = new Item('a');
  queue.touch(item, 0, 50);
  queue.touch(item, 10, 50);
  assert.is(item.bucketMs, 100);
  queue.touch(item, 90, 50);
  assert.is(item.bucketMs, 200);
  assert.equal(queue.poll(100), []);
  assert.equal(names(queue.poll(200)), ['a']);
  assert.equal(queue.poll(1000), []);
});

test('all due items come at once, soonest first, even after a long pause', () => {
  const queue = new ExpiryQueue<Item>(TICK, 0);
  for (const [name, timeout] of [
    ['late', 900],
    ['soon', 50],
    ['later', 1000],
    ['next', 150],
  ] as const) {
    queue.touch(new Item(name), 0, timeout);
  }
  assert.equal(names(queue.poll(950)), ['soon', 'next']);
  assert.is(queue.nextExpiryMs, 1000);
  assert.equal(names(queue.poll(5000)), ['late', 'later']);
  assert.is(queue.nextExpiryMs, 5100);
});

test('due items can be taken a few at a time, and a touch saves them', () => {
  const queue = new ExpiryQueue<Item>(TICK, 0);
  const items = ['1', '2', '3', '4'].map((name) => new Item(name));
  for (const item of items) queue.touch(item, 0, 50);
  assert.equal(names(queue.poll(150, 2)), ['1', '2']);
  const [, , third] = items;
  if (third !== undefined) queue.touch(third, 150, 100);
  assert.equal(names(queue.poll(150, 2)), ['4']);
  assert.equal(queue.poll(150, 2), []);
  assert.equal(names(queue.poll(300, 2)), ['3']);
});

test('expired or removed items are in no bucket, and may return', () => {
  const queue = new ExpiryQueue<Item>(TICK, 0);
  const gone = new Item('gone');
  const due = new Item('due');
  queue.touch(gone, 0, 50);
  queue.touch(due, 0, 50);
  queue.remove(gone);
  queue.remove(gone);
  assert.equal(names(queue.poll(100)), ['due']);
  assert.equal([gone.bucketMs, due.bucketMs], [0, 0]);
  queue.touch(due, 100, 50);
  assert.equal(names(queue.poll(200)), ['due']);
});

test('the buckets are listed, soonest first', () => {
  const queue = new ExpiryQueue<Item>(TICK, 0);
  queue.touch(new Item('b'), 0, 950);
  queue.touch(new Item('a'), 0, 50);
  queue.touch(new Item('c'), 0, 920);
  assert.equal(
    [...queue.entries()].map(([bucketMs, items]) => [bucketMs, names([...items])]),
    [
      [100, ['a']],
      [1000, ['b', 'c']],
    ],
  );
});

test('a clock that does not begin at 0 is as good', () => {
  const queue = new ExpiryQueue<Item>(TICK, 123_456_789);
  assert.is(queue.nextExpiryMs, 123_456_800);
  queue.touch(new Item('a'), 123_456_789, 20);
  assert.equal(queue.poll(123_456_799), []);
  assert.equal(queue.poll(123_456_800), []);
  assert.equal(names(queue.poll(123_456_900)), ['a']);
});

test.run();
