import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeNotification } from '../../../../src/server/quorum/wire/notification.js';
import { PacketType } from '../../../../src/server/quorum/wire/quorum-packet.js';
import { EnsembleWorld } from '../worlds/ensemble-world.js';
import { HandLink } from '../worlds/hand-link.js';

// Who promises an epoch to its leader: no voter whose history is newer (waitForEpochAck).

/** Server 3 with txns of epoch 1, elected by server 2, which is driven by hand up to LEADERINFO. */
function elected() {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const client = world.client(3);
  client.push(client.create('/a'));
  world.pass(1000);
  for (const sid of [1, 2, 3]) world.crash(sid);
  world.start(3);
  const { peer } = world.member(3);
  const { currentEpoch } = peer;
  const zxid = peer.data.tree.lastProcessedZxid;
  const vote = { leader: 3, zxid, electionEpoch: 1n, peerEpoch: BigInt(currentEpoch) };
  const frame = encodeNotification({ state: 'looking', vote, version: 2, config: undefined });
  peer.step({ kind: 'notified', sid: 2, frame });
  world.until(() => peer.role?.phase === 'discovery', 'server 3 is elected');
  const link = new HandLink(world);
  link.introduce(2, PacketType.FOLLOWERINFO, currentEpoch);
  assert.ok(link.has(PacketType.LEADERINFO));
  return { world, link, currentEpoch, zxid };
}

/** What the leader does with the history in ACKEPOCH, relative to its own. */
function answerTo(epochs: number, txns: bigint, epoch?: number): string {
  const { world, link, currentEpoch, zxid } = elected();
  const data = Buffer.alloc(4);
  data.writeInt32BE(epoch ?? currentEpoch + epochs);
  link.say(PacketType.ACKEPOCH, zxid + txns, data);
  const { notes, peer } = world.member(3);
  if (link.isClosed) {
    assert.match(notes.at(-1) ?? '', /its history is newer than the history of this leader$/);
    return 'refused';
  }
  return peer.currentEpoch > currentEpoch ? 'counted' : 'not counted';
}

test('a history of a later epoch, or longer in the same one, is refused', () => {
  assert.is(answerTo(0, 1n), 'refused');
  assert.is(answerTo(1, 0n), 'refused');
  assert.is(answerTo(1, -1n), 'refused');
});

test('the same history, an older one, and one of an older epoch count', () => {
  assert.is(answerTo(0, 0n), 'counted');
  assert.is(answerTo(0, -1n), 'counted');
  assert.is(answerTo(-1, 1n), 'counted');
});

test('a voter that promised the epoch before does not count', () => {
  assert.is(answerTo(0, 0n, -1), 'not counted');
});

test.run();
