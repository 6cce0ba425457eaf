import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pathCrc } from '../../../src/files/digest.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import type { ChangeRecord } from '../../../src/server/prep/change-record.js';
import { closeEphemerals } from '../../../src/server/prep/close-ephemerals.js';
import { OutstandingChanges } from '../../../src/server/prep/outstanding-changes.js';
import { PrepParents } from '../../../src/server/prep/prep-rules.js';
import type { Command } from '../../model/commands.js';
import { ModelRun } from '../../model/model-run.js';
import { TreeWorld } from '../tree/tree-world.js';

const rest = { data: null, acl: OPEN_ACL_UNSAFE, ttl: 0n };
const create: Command = {
  kind: 'ask',
  client: 0,
  op: { ...rest, type: OpCode.create, path: '/e', flags: 1 },
};
const remove: Command = {
  kind: 'ask',
  client: 0,
  op: { type: OpCode.delete, path: '/e', version: -1 },
};
const commit: Command = { kind: 'commit', count: 1, isAtOnce: false };
const close: Command = { kind: 'close', client: 0 };

for (let committed = 0; committed <= 3; committed++) {
  test(`a close finds an ephemeral that was created again: ${committed} of 3 committed`, () => {
    const commits = Array<Command>(committed).fill(commit);
    const commands = [create, remove, create, ...commits, close];
    ModelRun.execute({ zxid: 16n, commands });
  });
}

test('a close finds an ephemeral that another session deleted in between', () => {
  const byOther: Command = { ...remove, client: 1 };
  ModelRun.execute({
    zxid: 16n,
    commands: [create, byOther, create, commit, commit, close, { ...create, client: 1 }],
  });
});

test('a close keeps an ephemeral whose name has another owner by then', () => {
  const byOther: Command = { ...create, client: 1 };
  ModelRun.execute({ zxid: 16n, commands: [create, remove, byOther, commit, commit, close] });
});

test('a close finds an ephemeral before a multi that failed', () => {
  const ops = [remove, create].flatMap(({ op }) => (op.type === OpCode.multi ? [] : [op]));
  const failing = { type: OpCode.check, path: '/nowhere', version: 0 } as const;
  const multi: Command = {
    kind: 'ask',
    client: 0,
    op: { type: OpCode.multi, ops: [...(ops as []), failing] },
  };
  ModelRun.execute({ zxid: 16n, commands: [create, multi, commit, close] });
});

test('a pending close hides the ephemerals of the tree, also from a failing multi after it', () => {
  const byOther: Command = { ...create, client: 1 };
  const failing = { type: OpCode.check, path: '/nowhere', version: 0 } as const;
  const ops = [create].flatMap(({ op }) => (op.type === OpCode.multi ? [] : [op]));
  const multi: Command = {
    kind: 'ask',
    client: 1,
    op: { type: OpCode.multi, ops: [...(ops as []), failing] },
  };
  const commands = [create, commit, close, { ...remove, client: 1 }, multi, byOther, multi];
  ModelRun.execute({ zxid: 16n, commands: [...commands, commit, commit, commit, commit, commit] });
});

test('a close has records of the parents only, however many ephemerals it deletes', () => {
  const { tree } = new TreeWorld();
  const head = { sessionId: 7n, cxid: 0, zxid: 1n, time: 0n };
  const ephemeral = { data: null, acl: OPEN_ACL_UNSAFE, isEphemeral: true, ttl: 0n };
  for (let i = 0; i < 1000; i++) {
    const of = { type: OpCode.create, path: `/e${i}`, parentCVersion: -1 } as const;
    tree.apply(head, { ...ephemeral, ...of });
  }
  const changes = new OutstandingChanges(tree, true);
  const before = changes.digest.value;
  const records: ChangeRecord[] = [];
  const paths = closeEphemerals(changes, new PrepParents(), 7n, 9n, records);
  assert.is(paths.length, 1000);
  assert.equal(
    records.map(({ path, childCount }) => [path, childCount]),
    [['/', 1]],
  );
  assert.is(changes.get('/e5'), undefined);
  const closed = changes.digest.value;
  const again: ChangeRecord[] = [];
  // As of a session that expires while its close is pending.
  assert.equal(closeEphemerals(changes, new PrepParents(), 7n, 10n, again), []);
  assert.equal([again, changes.digest.value], [[], closed]);
  changes.undo(records, 0, 9n);
  assert.is(changes.digest.value, before);
  assert.ok(changes.get('/e5') !== undefined, 'taken back');
});

const STAMP = { zxid: 9n, time: 9n };
const at = (path: string) => ({ path, hash: 1, dataLength: 0, pathSum: pathCrc(path), crc: 0 });

test('settling out of order and a wrong digest are broken invariants', () => {
  const { tree } = new TreeWorld();
  const changes = new OutstandingChanges(tree, true);
  const first = changes.make(at('/a'), OPEN_ACL_UNSAFE, 0n, STAMP);
  changes.put(null, first);
  const second = changes.copy(first);
  changes.put(first, second);
  assert.throws(
    () => changes.settle([second]),
    /^pending changes: settled before an older one: \/a$/,
  );
  assert.throws(() => changes.rollBack([first]), /^pending changes: a later one exists .*: \/a$/);
  changes.settle([first]);
  assert.throws(() => changes.settle([second]), /^digest of the next txn: .*0x\w+ \(expected 0x/);
});

test('a leftover Stat is a broken invariant', () => {
  const { tree } = new TreeWorld();
  const changes = new OutstandingChanges(tree, false);
  changes.make(at('/leaked'), OPEN_ACL_UNSAFE, 0n, STAMP);
  const kept = changes.make(at('/a'), OPEN_ACL_UNSAFE, 0n, STAMP);
  changes.put(null, kept);
  assert.throws(() => changes.settle([kept]), /^pending changes: found 1 Stats/);
});

test.run();
