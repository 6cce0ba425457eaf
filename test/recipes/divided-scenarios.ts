import * as assert from 'uvu/assert';
import { LockingQueue } from '../../src/recipes/queues/locking-queue.js';
import type { Scenario, Stage } from './scenarios.js';

// Work that several clients divide among themselves.

async function lockingQueue({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [
    new LockingQueue(subject, world.path),
    new LockingQueue(other, world.path),
  ];
  await mine.putAll(['b', 'c']);
  await theirs.put('a', 0);
  const first = await mine.take();
  const second = await theirs.take();
  assert.equal([`${first.data}`, first.priority, `${second.data}`], ['a', 0, 'b']);
  assert.is(await mine.size(), 3);
  await midpoint();
  assert.not(first.signal.aborted);
  await first.release();
  await first.release();
  const again = await mine.take();
  assert.equal([`${again.data}`, again.name], ['a', first.name]);
  assert.ok(again.fencingToken > first.fencingToken);
  const third = await theirs.take();
  await Promise.all([again.done(), again.done(), second.done(), third.done()]);
  await again.release();
  const waiting = mine.take();
  await world.members('taker', 1);
  const next = theirs.take();
  await world.members('taker', 2);
  await mine.put('d');
  const fourth = await waiting;
  await theirs.put('e');
  const fifth = await next;
  assert.equal([`${fourth.data}`, `${fifth.data}`], ['d', 'e']);
  await fourth.done();
  await fifth.done();
  assert.is(await mine.size(), 0);
}

export const DIVIDED_SCENARIOS: readonly Scenario[] = [
  { name: 'locking queue', run: lockingQueue, isBuiltinOnly: true },
];
