import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LearnerRestore } from '../../../../src/server/quorum/learning/learner.js';
import { PacketType } from '../../../../src/server/quorum/wire/quorum-packet.js';

function makeWorld(isWanted: boolean) {
  const world = { refused: 0, effects: [] as unknown[] };
  const repair = { isWanted, refused: () => world.refused++ };
  const peer = { repair, emit: (effect: unknown) => world.effects.push(effect) };
  return { world, restore: new LearnerRestore(peer as never) };
}

test('a server that waits for a whole tree takes nothing else, and then keeps its data', () => {
  for (const type of [PacketType.DIFF, PacketType.TRUNC]) {
    const { world, restore } = makeWorld(true);
    assert.match(restore.refuse(type), /unexpected for a server without data/);
    assert.is(world.refused, 1);
  }
  for (const [type, isWanted] of [
    [PacketType.SNAP, true],
    [PacketType.SNAP, false],
    [PacketType.DIFF, false],
    [PacketType.TRUNC, false],
  ] as const) {
    const { world, restore } = makeWorld(isWanted);
    assert.is(restore.refuse(type), '');
    assert.is(world.refused, 0);
  }
});

test('a truncated log must end where the leader said', () => {
  const { world, restore } = makeWorld(false);
  assert.is(restore.mode, null);
  restore.truncate(7n);
  assert.is(restore.mode, 'trunc');
  assert.equal(world.effects, [{ kind: 'truncate', zxid: 7n }]);
  assert.is(restore.truncated(7n), '');
  assert.match(restore.truncated(6n), /ends at 0x6 \(expected 0x7\)/);
});

test('without a snapshot under way, bytes and a tree are refused', () => {
  const { restore } = makeWorld(false);
  assert.is(restore.push(Buffer.alloc(9)), false);
  assert.is(restore.receive(), null);
  restore.diff();
  assert.is(restore.mode, 'diff');
});

test.run();
