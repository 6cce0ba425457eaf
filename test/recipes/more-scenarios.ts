import * as assert from 'uvu/assert';
import { Group } from '../../src/recipes/groups/group.js';
import { ServiceCache, ServiceDirectory } from '../../src/recipes/groups/service-cache.js';
import { PriorityQueue, Queue, type QueueItem } from '../../src/recipes/queues/queue.js';
import { Barrier } from '../../src/recipes/synchronizers/barrier.js';
import { DoubleBarrier } from '../../src/recipes/synchronizers/double-barrier.js';
import type { SiteNodes } from '../../src/recipes/synchronizers/transaction.js';
import { TwoPhaseCommit } from '../../src/recipes/synchronizers/two-phase-commit.js';
import { Configuration } from '../../src/recipes/values/configuration.js';
import { Counter } from '../../src/recipes/values/counter.js';
import { NameService } from '../../src/recipes/values/name-service.js';
import { waitFor } from '../support/wait-for.js';
import type { Scenario, Stage } from './scenarios.js';
import { causeOf } from './world.js';

function text(item: QueueItem): string {
  return item.data.toString();
}

async function barrier({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [new Barrier(subject, world.path), new Barrier(other, world.path)];
  await mine.wait();
  await mine.raise();
  let passed = 0;
  const waiting = [mine.wait(), theirs.wait()].map((each) => each.then(() => passed++));
  await other.sync(world.path);
  await midpoint();
  assert.is(passed, 0);
  assert.ok(await world.observer.exists(world.path));
  await mine.remove();
  await Promise.all(waiting);
  assert.is(await world.observer.exists(world.path), null);
}

async function doubleBarrier({ world, subject, midpoint }: Stage): Promise<void> {
  const clients = [subject, await world.client(), await world.client()];
  const log: string[] = [];
  let hurt: (() => Promise<void>) | undefined = midpoint;
  const takePart = async (name: number, round: number): Promise<void> => {
    const client = clients[name] ?? subject;
    const options = { count: clients.length };
    log.push(`${round} come`);
    const entered = await new DoubleBarrier(client, world.path, options).enter();
    log.push(`${round} begin`);
    if (name === 0) {
      await hurt?.();
      hurt = undefined;
    }
    log.push(`${round} end`);
    await entered.leave();
    log.push(`${round} go`);
  };
  await Promise.all(
    clients.map(async (_, name) => {
      for (const round of [1, 2]) await takePart(name, round);
    }),
  );
  for (const round of [1, 2]) {
    const [come, begin, end, go] = ['come', 'begin', 'end', 'go'].map((word) =>
      log.flatMap((line, at) => (line === `${round} ${word}` ? [at] : [])),
    );
    assert.ok(Math.max(...(come ?? [])) < Math.min(...(begin ?? [])), log.join());
    assert.ok(Math.max(...(end ?? [])) < Math.min(...(go ?? [])), log.join());
  }
}

async function queue({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [new Queue(subject, world.path), new Queue(other, world.path)];
  await mine.put(Buffer.from('a'));
  await theirs.put(Buffer.from('b'));
  assert.is((await mine.peek())?.data.toString(), 'a');
  assert.is((await theirs.items()).length, 2);
  await midpoint();
  assert.is(text(await mine.take()), 'a');
  assert.is(text(await theirs.take()), 'b');
  const waiting = mine.take();
  await world.members('taker', 1);
  const next = theirs.take();
  await world.members('taker', 2);
  await mine.put(Buffer.from('c'));
  await theirs.put(Buffer.from('d'));
  assert.equal([text(await waiting), text(await next)], ['c', 'd']);
}

async function priorityQueue({ world, subject, midpoint }: Stage): Promise<void> {
  const mine = new PriorityQueue(subject, world.path);
  const theirs = new PriorityQueue(await world.client(), world.path);
  for (const [data, priority] of [
    ['c', 7],
    ['b', 2],
    ['d', 7],
  ] as const) {
    await mine.put(Buffer.from(data), priority);
  }
  await midpoint();
  await theirs.put(Buffer.from('a'), 0);
  const taken = [await mine.take(), await theirs.take(), await mine.take(), await theirs.take()];
  assert.equal(
    taken.map(({ data, priority }) => [data.toString(), priority]),
    [
      ['a', 0],
      ['b', 2],
      ['c', 7],
      ['d', 7],
    ],
  );
}

async function group({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [new Group(subject, world.path), new Group(other, world.path)];
  const seen: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const ids of mine.changes({ signal: stop.signal })) seen.push(ids.join());
  })().catch((error) => error);
  const first = await mine.join('a', Buffer.from('host a'));
  const second = await theirs.join('b', Buffer.from('host b'));
  await waitFor('both to be seen', () => seen.at(-1) === 'a,b');
  assert.equal(await mine.members(), [
    { id: 'a', data: Buffer.from('host a') },
    { id: 'b', data: Buffer.from('host b') },
  ]);
  await midpoint();
  assert.not(first.signal.aborted);
  await second.leave();
  await waitFor('one to be seen', () => seen.at(-1) === 'a');
  await first.leave();
  await waitFor('none to be seen', () => seen.at(-1) === '');
  stop.abort(new Error('enough'));
  assert.is(causeOf(await watching), 'enough');
}

async function counter({ world, subject, midpoint }: Stage): Promise<void> {
  const [mine, theirs] = [
    new Counter(subject, world.path),
    new Counter(await world.client(), world.path),
  ];
  const sums = [await mine.add(1n)];
  await midpoint();
  const adding = [mine, theirs].map(async (each) => {
    for (let i = 0; i < 2; i++) sums.push(await each.add(1n));
  });
  await Promise.all(adding);
  assert.equal([...sums].sort(), [1n, 2n, 3n, 4n, 5n]);
  assert.is((await world.observer.getData(world.path)).data?.toString(), '5');
}

async function configuration({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [
    new Configuration(subject, world.path),
    new Configuration(other, world.path),
  ];
  const seen: (string | undefined)[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const setting of theirs.changes({ signal: stop.signal }))
      seen.push(setting?.data.toString());
  })().catch((error) => error);
  assert.ok(await mine.create(Buffer.from('v0')));
  assert.not(await mine.create(Buffer.from('other')));
  await midpoint();
  const version = (await mine.read())?.version ?? -1;
  assert.is(await mine.compareAndSet(Buffer.from('v1'), version), version + 1);
  assert.is(await mine.compareAndSet(Buffer.from('v2'), version), undefined);
  await waitFor('the change to be reported', () => seen.at(-1) === 'v1');
  stop.abort(new Error('enough'));
  assert.is(causeOf(await watching), 'enough');
  assert.is((await mine.read())?.data.toString(), 'v1');
}

async function nameService({ world, subject, midpoint }: Stage): Promise<void> {
  const names = new NameService(subject, world.path);
  assert.ok(await names.bind('db', Buffer.from('host:1')));
  assert.not(await names.bind('db', Buffer.from('host:2')));
  await midpoint();
  assert.is((await names.resolve('db'))?.toString(), 'host:1');
  assert.equal(await names.names(), ['db']);
  await names.unbind('db');
  assert.is(await names.resolve('db'), undefined);
}

function twoPhaseCommit(siteNodes: SiteNodes): Scenario['run'] {
  return async ({ world, subject, midpoint }) => {
    const other = await world.client();
    const [mine, theirs] = [
      new TwoPhaseCommit(subject, world.path),
      new TwoPhaseCommit(other, world.path),
    ];
    await mine.begin(['x', 'y'], siteNodes);
    const decided = mine.decide();
    await mine.vote('x', 'commit');
    await midpoint();
    assert.is((await theirs.state()).decision, undefined);
    await theirs.vote('y', 'commit');
    assert.is(await decided, 'commit');
    assert.is(await theirs.abort(), 'commit');
    const decisions = [await mine.decision(), await theirs.decision()];
    assert.equal(decisions, ['commit', 'commit']);
    const finishing = mine.finish();
    await mine.acknowledge('x');
    await theirs.acknowledge('y');
    await finishing;
    assert.is(await world.observer.exists(world.path), null);
  };
}

async function serviceCache({ world, subject, midpoint }: Stage): Promise<void> {
  const other = await world.client();
  const [mine, theirs] = [
    new ServiceDirectory(subject, world.path),
    new ServiceDirectory(other, world.path),
  ];
  const first = await mine.announce('web', 'a', Buffer.from('1'));
  const cache = await ServiceCache.open(subject, world.path);
  assert.equal(cache.services(), ['web']);
  const second = await theirs.announce('web', 'b', Buffer.from('2'));
  await midpoint();
  await waitFor('both to be known', () => cache.instances('web').length === 2);
  await world.observer.setData(`${world.path}/web/b`, Buffer.from('3'));
  await waitFor('the news', () => cache.instances('web')[1]?.data.toString() === '3');
  await first.leave();
  await second.leave();
  await waitFor('both to be gone', () => cache.services().length === 0);
  await cache.close();
}

export const MORE_SCENARIOS: readonly Scenario[] = [
  { name: 'barrier', run: barrier },
  { name: 'double barrier', run: doubleBarrier },
  { name: 'queue', run: queue, isBuiltinOnly: true },
  { name: 'priority queue', run: priorityQueue, isBuiltinOnly: true },
  { name: 'group', run: group },
  { name: 'counter', run: counter, isBuiltinOnly: true },
  { name: 'configuration', run: configuration, isBuiltinOnly: true },
  { name: 'name service', run: nameService, isBuiltinOnly: true },
  { name: 'two-phase commit', run: twoPhaseCommit('coordinator') },
  { name: 'two-phase commit of ephemerals', run: twoPhaseCommit('sites') },
  { name: 'service cache', run: serviceCache, isBuiltinOnly: true },
];
