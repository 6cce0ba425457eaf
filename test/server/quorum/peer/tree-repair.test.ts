import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ForeignTreeError } from '../../../../src/server/pipeline/foreign-tree-error.js';
import { TreeRepair } from '../../../../src/server/quorum/peer/tree-repair.js';

const TEN_MINUTES_MS = 600_000;

function makeWorld() {
  const world = {
    nowMs: 1000,
    notes: [] as string[],
    reasons: [] as string[],
    note: (message: string) => world.notes.push(message),
    giveUp: (reason: string) => world.reasons.push(reason),
  };
  return { world, repair: new TreeRepair(world) };
}

/** Whether a difference now makes the member take the leader's tree. */
function isDue({ world, repair }: ReturnType<typeof makeWorld>): boolean {
  const before = world.reasons.length;
  repair.differs(7n, 1n);
  return world.reasons.length > before;
}

test('a first difference is repaired: the leader sees a member without a history', () => {
  const { world, repair } = makeWorld();
  assert.is(repair.lastZxidOf(9n), 9n);
  assert.not(repair.isWanted);
  assert.is(repair.taken(), null);
  repair.differs(5n, 1n);
  assert.match(world.reasons.join(), /^the tree differs from the leader's tree at zxid 0x5: /);
  assert.ok(repair.isWanted);
  assert.is(repair.lastZxidOf(9n), 0n);
  repair.differs(6n, 2n);
  assert.is(world.reasons.length, 1, 'one repair at a time');
  assert.is(repair.taken(), 5n);
  assert.not(repair.isWanted);
  assert.is(repair.lastZxidOf(9n), 9n);
  assert.is(repair.taken(), null);
  assert.equal(world.notes, []);
});

test('a repair follows another one after ten minutes, and other differences are noted', () => {
  for (const end of ['taken', 'refused', 'lead'] as const) {
    const made = makeWorld();
    const { world, repair } = made;
    assert.ok(isDue(made));
    repair[end]();
    repair.agreed();
    world.notes.length = 0;
    world.nowMs += TEN_MINUTES_MS - 1;
    assert.not(isDue(made), end);
    assert.match(world.notes.join(), /differs again from the leader's tree at zxid 0x7/);
    assert.not(repair.isWanted);
    world.nowMs++;
    assert.ok(isDue(made), end);
  }
});

test('a member that leads with such a tree says so, once', () => {
  const { world, repair } = makeWorld();
  repair.lead();
  assert.equal(world.notes, []);
  repair.differs(5n, 1n);
  repair.lead();
  assert.match(world.notes.join(), /differed from its leader's tree at zxid 0x5$/);
  assert.not(repair.isWanted);
  repair.lead();
  assert.is(world.notes.length, 1);
});

/** A member that has just taken the leader's tree. */
function fresh() {
  const made = makeWorld();
  made.repair.differs(5n, 1n);
  made.repair.taken();
  made.world.reasons.length = 0;
  return made;
}

test('a tree of the leader that differs from its digests stands while the difference stays', () => {
  const { world, repair } = fresh();
  repair.differs(6n, 3n);
  repair.differs(7n, 3n);
  assert.match(world.notes[0] ?? '', /does not match the tree that it sent, at zxid 0x6: /);
  assert.throws(
    () => repair.differs(8n, 4n),
    (error: unknown) => error instanceof ForeignTreeError,
  );
  assert.equal(world.reasons, []);
  assert.not(repair.isWanted);
});

test('once a digest matches, or with another leader, the tree is like any other', () => {
  for (const change of ['agreed', 'follow'] as const) {
    const { world, repair } = fresh();
    repair.differs(6n, 3n);
    repair[change]();
    world.notes.length = 0;
    repair.differs(8n, 4n);
    assert.match(world.notes.join(), /differs again/, change);
    // Nor does the old difference count for the next tree.
    world.nowMs += TEN_MINUTES_MS;
    repair.differs(9n, 5n);
    repair.taken();
    repair.differs(10n, 6n);
    assert.not(repair.isWanted);
  }
});

test('a member that cannot truncate takes the whole tree', () => {
  const { world, repair } = makeWorld();
  repair.cannotTruncate(4n);
  assert.match(world.reasons.join(), /^cannot truncate to zxid 0x4, /);
  assert.ok(repair.isWanted);
  assert.is(repair.lastZxidOf(9n), 0n);
  assert.is(repair.taken(), 4n);
});

test.run();
