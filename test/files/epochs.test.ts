import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  decodeEpoch,
  type EpochFiles,
  encodeEpoch,
  RESET_ADVICE,
  resolveEpochs,
} from '../../src/files/epochs.js';

test('an epoch is a decimal number, as Apache writes and reads it', () => {
  assert.is(encodeEpoch(12), '12');
  assert.is(encodeEpoch(2147483647), '2147483647');
  for (const epoch of [-1, 2147483648, 1.5, Number.NaN]) {
    assert.throws(
      () => encodeEpoch(epoch),
      /^epoch: out of range: /,
      'the next start would refuse it',
    );
  }
  for (const [text, epoch] of [
    ['12', 12],
    ['12\n', 12],
    ['0', 0],
    ['2147483647', 2147483647],
    ['2147483648', undefined],
    ['', undefined],
    ['-1', undefined],
    ['0x1', undefined],
    ['1 2', undefined],
  ] as const) {
    assert.is(decodeEpoch(text), epoch, JSON.stringify(text));
  }
});

const NONE: EpochFiles = { acceptedEpoch: null, currentEpoch: null, currentEpochTemporary: null };
const known = (acceptedEpoch: number, currentEpoch: number) => ({
  kind: 'known',
  acceptedEpoch,
  currentEpoch,
});

test('without files the epochs come from the last zxid', () => {
  assert.equal(resolveEpochs(NONE, 0x3_0000_0007n), known(3, 3));
});

test('the files may be ahead of the log', () => {
  const files = { ...NONE, acceptedEpoch: '6', currentEpoch: '5' };
  assert.equal(resolveEpochs(files, 0x3_0000_0007n), known(6, 5));
});

test('a currentEpoch older than the log is refused, unless the new one was being written', () => {
  const files = { ...NONE, acceptedEpoch: '3', currentEpoch: '3' };
  const refused = resolveEpochs(files, 0x4_0000_0001n);
  assert.is(refused.kind, 'refuse');
  if (refused.kind !== 'refuse') return;
  assert.is(refused.reason, 'currentEpoch is 3, older than the last zxid 0x400000001');
  assert.match(refused.advice ?? '', /standalone server wrote past epoch 3 here, delete/);
  const accepted = { ...files, acceptedEpoch: '4' };
  const being = { ...accepted, currentEpochTemporary: '4' };
  assert.equal(resolveEpochs(being, 0x4_0000_0001n), known(4, 4));
  // A learner accepts a new epoch and logs its txns before it makes the epoch current.
  assert.equal(resolveEpochs(accepted, 0x4_0000_0001n), known(4, 4));
});

test('an acceptedEpoch older than currentEpoch and invalid numbers are refused', () => {
  const older = resolveEpochs({ ...NONE, acceptedEpoch: '2', currentEpoch: '3' }, 1n);
  assert.is(older.kind, 'refuse');
  const garbage = resolveEpochs({ ...NONE, acceptedEpoch: 'x', currentEpoch: '3' }, 1n);
  const reason = 'acceptedEpoch: invalid epoch: "x" (expected a number from 0 to 2147483647)';
  assert.equal(garbage, { kind: 'refuse', reason, advice: RESET_ADVICE });
});

test.run();
