import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isSuccessor,
  logsAfter,
  logsAmong,
  planRecovery,
  ReplaySequence,
  snapshotsAmong,
  withoutSnapshot,
} from '../../src/files/recovery.js';

const files = (...names: string[]) => names.map((name) => ({ name, size: 1 }));
const namesOf = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name);
const TRUSTING = { isEmptyTrusted: true };
const STRICT = { isEmptyTrusted: false };

test('logs are sorted by number, oldest first; other files are ignored', () => {
  const logs = logsAmong(files('log.10', 'log.9', 'snapshot.1', 'log.100000001', 'log.a', 'x'));
  assert.equal(namesOf(logs), ['log.9', 'log.a', 'log.10', 'log.100000001']);
});

test('snapshots come newest first', () => {
  const snapshots = snapshotsAmong(files('snapshot.9', 'snapshot.10.gz', 'log.1', 'snapshot.a'));
  assert.equal(namesOf(snapshots), ['snapshot.10.gz', 'snapshot.a', 'snapshot.9']);
});

test('an empty folder is an empty server', () => {
  assert.equal(planRecovery(files('acceptedEpoch'), [], STRICT), { kind: 'empty' });
});

test('at most 100 snapshots are tried', () => {
  const many = Array.from({ length: 150 }, (_, i) => `snapshot.${(i + 1).toString(16)}`);
  const plan = planRecovery(files(...many), files('log.1'), STRICT);
  assert.is(plan.kind === 'restore' && plan.snapshots.length, 100);
  assert.is(plan.kind === 'restore' && plan.snapshots[0]?.name, 'snapshot.96');
});

test('logs without a snapshot are refused, unless they are trusted', () => {
  const plan = planRecovery([], files('log.1', 'log.5'), STRICT);
  assert.is(plan.kind, 'refuse');
  assert.match(plan.kind === 'refuse' ? plan.reason : '', /^found log\.1, but no snapshot$/);
  const trusted = planRecovery([], files('log.5', 'log.1'), TRUSTING);
  assert.equal(trusted.kind === 'restore' && namesOf(trusted.logs), ['log.1', 'log.5']);
});

test('when every snapshot is damaged the server does not start empty', () => {
  const damaged = snapshotsAmong(files('snapshot.4', 'snapshot.7'));
  const plan = withoutSnapshot(damaged, [], STRICT);
  assert.match(
    plan.kind === 'refuse' ? plan.reason : '',
    /^each of 2 snapshots is damaged \(newest: snapshot\.7\)/,
  );
  assert.is(withoutSnapshot(damaged.slice(0, 1), [], TRUSTING).kind, 'empty');
});

for (const [zxid, expected] of [
  [0n, ['log.1', 'log.5', 'log.9']],
  [3n, ['log.1', 'log.5', 'log.9']],
  [4n, ['log.5', 'log.9']],
  [7n, ['log.5', 'log.9']],
  [8n, ['log.9']],
  [100n, ['log.9']],
] as const) {
  test(`after a snapshot of zxid ${zxid} come ${expected.join(' ')}`, () => {
    assert.equal(namesOf(logsAfter(logsAmong(files('log.1', 'log.5', 'log.9')), zxid)), expected);
  });
}

for (const [last, next, expected] of [
  [0n, 1n, true],
  [0n, 2n, false],
  [5n, 6n, true],
  [5n, 7n, false],
  [5n, 0x1_0000_0001n, true],
  [0x1_0000_0000n, 0x1_0000_0001n, true],
  [0x1_0000_0005n, 0x3_0000_0001n, true],
  [0x1_0000_0005n, 0x3_0000_0002n, false],
  [0x1_ffff_ffffn, 0x2_0000_0000n, true],
] as const) {
  test(`0x${next.toString(16)} ${expected ? 'may' : 'may not'} follow 0x${last.toString(16)}`, () => {
    assert.is(isSuccessor(last, next), expected);
  });
}

test('a replay applies new txns, skips known ones, and stops at a gap', () => {
  const sequence = new ReplaySequence(5n);
  assert.equal(
    [4n, 5n, 6n, 6n, 7n].map((zxid) => sequence.next(zxid).kind),
    ['skip', 'skip', 'apply', 'skip', 'apply'],
  );
  assert.equal(sequence.next(9n), { kind: 'gap', reason: 'zxid 0x9 (expected 0x8)' });
  assert.is(sequence.lastZxid, 7n);
});

test.run();
