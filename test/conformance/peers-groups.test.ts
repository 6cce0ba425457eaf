/** More recipes beside those of Curator and kazoo: barriers, values, sets of locks, parties. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Group } from '../../src/recipes/groups/group.js';
import { LeaderElection } from '../../src/recipes/locks/leader-election.js';
import { MultiLock } from '../../src/recipes/locks/multi-lock.js';
import { Barrier } from '../../src/recipes/synchronizers/barrier.js';
import { AtomicValue } from '../../src/recipes/values/atomic.js';
import { isOverWith, type Meeting, testsWith } from './support/peer-meetings.js';
import { curatorTest, kazooTest, startCurator, startKazoo } from './support/peers.js';

const withCurator = testsWith(curatorTest, startCurator);
const withKazoo = testsWith(kazooTest, startKazoo);

async function barrier({ client, peer }: Meeting): Promise<void> {
  const path = '/barriers/one';
  const ours = new Barrier(client, path);
  assert.match(await peer.run('raise', path), /^true$/i);
  const mine = ours.wait();
  assert.not(await isOverWith(mine, client, '/barriers', 1), 'we wait');
  assert.match(await peer.run('lower', path), /^true$/i);
  await mine;
  await ours.raise();
  const theirs = peer.run('wait', path);
  assert.not(await isOverWith(theirs, client, '/barriers', 1), 'the peer waits');
  await ours.remove();
  assert.match(await theirs, /^true$/i);
}

withCurator("one barrier of ours and Curator's DistributedBarrier", barrier);
withKazoo("one barrier of ours and kazoo's Barrier", barrier);

withCurator("one value of ours and Curator's DistributedAtomicValue", async ({ client, peer }) => {
  const path = '/value';
  const value = new AtomicValue(client, path);
  assert.ok(await value.compareAndSet(undefined, 'ours'));
  assert.is(await peer.run('replace', path, 'ours', 'theirs'), 'true');
  assert.is(await peer.run('replace', path, 'ours', 'again'), 'false');
  assert.not(await value.compareAndSet('ours', 'late'));
  const { before, after } = await value.update((data) => `${data} and ours`);
  assert.equal([`${before}`, `${after}`], ['theirs', 'theirs and ours']);
  assert.is(`${await value.read()}`, 'theirs and ours');
});

withCurator(
  "one set of locks of ours and Curator's InterProcessMultiLock",
  async ({ client, peer }) => {
    const paths = ['/locks/a', '/locks/b'] as const;
    const locks = new MultiLock(client, paths);
    const mine = await locks.acquire();
    const theirs = peer.run('lock-all', ...paths);
    assert.not(await isOverWith(theirs, client, paths[0], 2), 'Curator waits');
    await mine.release();
    assert.is(await theirs, 'true');
    const again = locks.acquire();
    assert.not(await isOverWith(again, client, paths[0], 2), 'we wait');
    assert.is(await peer.run('unlock-all', ...paths), 'true');
    await (await again).release();
  },
);

withCurator(
  "our election waits for the leader of Curator's LeaderSelector",
  async ({ client, peer }) => {
    const path = '/selector';
    assert.is(await peer.run('select', path), 'true');
    const election = new LeaderElection(client, path, { id: 'ours' });
    const mine = election.lead({ onElected: () => election.leader() });
    assert.not(await isOverWith(mine, client, path, 2), 'we wait');
    assert.is(await peer.run('resign', path), 'true');
    assert.is(await mine, 'ours');
  },
);

withKazoo("our group has the members of kazoo's Party", async ({ client, peer }) => {
  const path = '/party';
  const group = new Group(client, path);
  assert.is(await peer.run('join', path, 'kazoo'), 'True');
  const [theirs] = await group.members();
  assert.is(`${theirs?.data}`, 'kazoo');
  assert.match(theirs?.id ?? '', /^[0-9a-f]{32}__party__$/);
  // kazoo counts only names with its mark, and their data are the identifiers.
  const mine = await group.join('ours__party__', 'ours');
  const hidden = await group.join('hidden', 'hidden');
  assert.is(await peer.run('party', path), 'kazoo,ours');
  await mine.leave();
  await hidden.leave();
  assert.is(await peer.run('leave', path), 'True');
  assert.equal(await group.ids(), []);
});

test.run();
