import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ELECTION_WAITS } from '../../../../src/server/node/ports/election-peer.js';
import { FastLeaderElection } from '../../../../src/server/quorum/election/fast-leader-election.js';
import { decodeNotification } from '../../../../src/server/quorum/wire/notification.js';
import { waitFor } from '../../../support/wait-for.js';
import { ensembleOf, frameOf, looking, WAITS } from '../../quorum/worlds/election-world.js';
import { type ElectionWorld, type PeerSocket, startElectionPort } from './election-world.js';

async function within(
  [sid, size]: [number, number],
  body: (world: ElectionWorld) => Promise<void>,
  crossingMs = 0,
): Promise<void> {
  const waits = { ...ELECTION_WAITS, crossingMs };
  const world = await startElectionPort(sid, size, { waits });
  try {
    await body(world);
  } finally {
    await world.close();
  }
}

/** It answers each frame with a frame, as a server that receives a probe does. */
function answer(peer: PeerSocket): void {
  peer.socket.on('data', () => peer.sendFrame('answer'));
}

/** A responsive smaller server is connected, and a request in its name comes. */
async function requestCallBack(world: ElectionWorld) {
  const accepted = await world.listenAs(1);
  world.port.notify(1, Buffer.from('vote'));
  const member = await waitFor('a call', () => accepted[0]);
  answer(member);
  member.sendFrame('hello');
  await waitFor('its frame', () => world.notified.includes('1: hello'));
  const count = world.notified.length;
  const request = world.connect(1);
  await waitFor('the request to be closed', () => request.isClosed);
  await waitFor('the proof', () => world.notified.length > count);
  return { accepted, member };
}

const DUPLICATE = /server 3: two connections claim its id, .*Check for a duplicate myid/;

test('a responsive connection stays when others claim to be its server', () =>
  within([2, 3], async (world) => {
    const member = world.connect(3);
    member.sendFrame('vote');
    answer(member);
    await waitFor('its vote', () => world.notified.includes('3: vote'));
    for (let turn = 0; turn < 5; turn++) {
      const stranger = world.connect(3);
      stranger.sendFrame('forged');
      await waitFor('the stranger to be refused', () => stranger.isClosed);
    }
    assert.not.ok(member.isClosed);
    assert.not.ok(world.notified.includes('3: forged'));
    const told = world.warnings.filter((warning) => DUPLICATE.test(warning));
    assert.is(told.length, 1, 'once, not five times');
  }));

test('calls that cross at the start of two servers are not reported as a duplicate', () =>
  within(
    [3, 3],
    async (world) => {
      await requestCallBack(world);
      assert.equal(world.warnings, []);
    },
    60_000,
  ));

test('a restarted server is accepted as soon as its old connection is gone', () =>
  within([2, 3], async (world) => {
    const old = world.connect(3);
    old.sendFrame('old');
    await waitFor('the old one', () => world.notified.includes('3: old'));
    const now = world.connect(3);
    now.sendFrame('new');
    old.socket.destroy();
    await waitFor('the new one', () => world.notified.includes('3: new'));
    assert.not.ok(now.isClosed);
  }));

test('a call-back request in the name of a responsive smaller server ends no connection', () =>
  within([3, 3], async (world) => {
    const { accepted, member } = await requestCallBack(world);
    assert.not.ok(member.isClosed);
    assert.is(accepted.length, 1);
  }));

test('a pending claim ends with the port', () =>
  within([2, 3], async (world) => {
    const silent = world.connect(3);
    silent.sendFrame('vote');
    await waitFor('its vote', () => world.notified.length === 1);
    const second = world.connect(3);
    await waitFor('the probe', () => silent.received.length > 0);
    world.port.close();
    await waitFor('both to be closed', () => second.isClosed && silent.isClosed);
  }));

test('a probe is a vote that every server answers and that changes nothing', () =>
  within([2, 3], async (world) => {
    const silent = world.connect(3);
    silent.sendFrame('vote');
    await waitFor('its vote', () => world.notified.length === 1);
    world.connect(3);
    await waitFor('the probe', () => silent.received.length === 44);
    const probe = silent.received.subarray(4);
    assert.is(typeof decodeNotification(probe), 'object');
    const settled = looking(3, {}, ensembleOf(1));
    const observer = new FastLeaderElection({ sid: 4, ...WAITS }, ensembleOf(3));
    observer.lookForLeader({ zxid: 0n, epoch: 0, isObserver: true, config: ensembleOf(3) }, 0);
    for (const election of [looking(1), settled, observer]) {
      election.takeOutgoing();
      const { state, vote } = election;
      election.receive(2, Buffer.from(probe), 1);
      assert.equal(
        election.takeOutgoing().map(({ to }) => to),
        [2],
      );
      assert.equal([election.state, election.vote], [state, vote]);
    }
    const waiting = looking(1);
    waiting.receive(2, frameOf('following', { leader: 3, electionEpoch: 7n }), 1);
    waiting.receive(2, Buffer.from(probe), 2);
    waiting.receive(3, frameOf('leading', { leader: 3, electionEpoch: 7n }), 3);
    assert.is(waiting.state, 'following', 'the earlier vote of server 2 still counts');
  }));

test.run();
