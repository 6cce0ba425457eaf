import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Establishment } from '../../../src/server/quorum/leading/establishment.js';
import { Membership } from '../../../src/server/quorum/membership/membership.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import { ensembleOf, frameOf } from './worlds/election-world.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

const FOLLOWERINFO = 11;
const OBSERVERINFO = 16;
const LAST_EPOCH = 0x7fff_ffff;

function learnerInfo(type: number, sid: number, acceptedEpoch: bigint): Buffer {
  const info = new ByteBuilder().long(BigInt(sid)).int(0x10000).long(0n).build();
  return new ByteBuilder()
    .int(type)
    .long(acceptedEpoch << 32n)
    .buffer(info)
    .int(-1)
    .build();
}

for (const [who, type, sid] of [
  ['a stranger', FOLLOWERINFO, 77],
  ['an unknown observer', OBSERVERINFO, -1],
  ['a link that claims the number of a member', FOLLOWERINFO, 1],
] as const) {
  for (const epoch of [0x1_0001n, 0x7fff_fffen, 0x7fff_ffffn, -1n]) {
    test(`epoch ${epoch} of ${who} does not exhaust the epochs of the ensemble`, () => {
      const world = new EnsembleWorld(3);
      world.start(3);
      const leader = world.member(3);
      const frame = frameOf('looking', { leader: 3 });
      leader.peer.step({ kind: 'notified', sid: 2, frame });
      world.until(() => leader.peer.role?.phase === 'discovery', 'server 3 is elected');
      world.link(3, () => undefined).push(learnerInfo(type, sid, epoch));
      world.link(3, () => undefined).push(learnerInfo(FOLLOWERINFO, 2, 0n));
      assert.is(leader.disk.acceptedEpoch, 1);
      const refused = leader.notes.filter((note) => /: epoch refused: -?\d+ \(expected/.test(note));
      // The leader rejects a link without a number earlier.
      assert.is(refused.length, sid < 0 ? 0 : 1);
      if (sid >= 0) assert.match(refused[0] ?? '', `server ${sid} (by hand): epoch refused`);
      world.crash(3);
      world.start();
      world.allServe();
    });
  }
}

test('a member with the last epoch is not a candidate and reports a remedy, and the others serve', () => {
  const world = new EnsembleWorld(3);
  world.member(3).disk.acceptedEpoch = LAST_EPOCH;
  world.start();
  world.until(() => world.isServing(1) && world.isServing(2), 'servers 1 and 2 serve');
  assert.is(world.leader, 2);
  const notes = () => world.member(3).notes.join('\n');
  world.until(
    () => /older than the accepted epoch 2147483647/.test(notes()),
    'server 3 to be refused',
  );
  assert.match(notes(), /acceptedEpoch is 2147483647, the last possible epoch\. Stop all servers/);
  assert.match(notes(), /accepted epoch \d+\. Stop all servers of the ensemble, write the number/);
  world.crash(3);
  world.member(3).disk.acceptedEpoch = world.member(3).disk.currentEpoch;
  world.start(3);
  world.allServe();
});

test('a member that is some epochs ahead is followed by a newer one', () => {
  const membership = new Membership(ensembleOf(3));
  const establishment = new Establishment(membership, 2);
  assert.not.ok(establishment.connect(2, 5));
  assert.not.ok(establishment.connect(4, 9), 'no member');
  assert.ok(establishment.connect(1, 5 + 2 ** 16));
  assert.is(establishment.epoch, 6 + 2 ** 16);
});

test('a server leads in the last epoch, and no epoch follows', () => {
  const membership = new Membership(ensembleOf(3));
  const last = new Establishment(membership, 2);
  last.connect(2, LAST_EPOCH - 1);
  assert.ok(last.connect(1, LAST_EPOCH - 1));
  assert.is(last.epoch, LAST_EPOCH);
  const spent = new Establishment(membership, 2);
  assert.not.ok(spent.connect(2, LAST_EPOCH));
  assert.not.ok(spent.connect(1, 0));
  assert.is(spent.stage, 'discovery');
});

test.run();
