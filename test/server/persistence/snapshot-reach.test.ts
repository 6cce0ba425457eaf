import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reachOf } from '../../../src/files/recovery.js';
import { KnownSnapshots } from '../../../src/server/node/storage/data-dir.js';

for (const [what, sealed, reached, named, isExact, reach] of [
  ['an exact digest', 7n, 9n, 5n, true, 7n],
  ['another digest', 7n, null, 5n, false, 8n],
  ['an end after the digest', 7n, 9n, 5n, false, 10n],
  ['an end before the digest', 7n, 6n, 5n, false, 8n],
  ['an end without a digest', null, 9n, 5n, false, 10n],
  ['an end without a digest, said to be exact', null, 9n, 5n, true, 10n],
  ['the end in its name', null, 5n, 5n, false, 6n],
  ['an end before its name', null, 4n, 5n, false, null],
  ['a digest before its name', 4n, null, 5n, false, null],
  ['neither', null, null, 5n, false, null],
  ['neither, and no txn', null, null, 0n, false, null],
  ['a digest of no txn', 0n, null, 0n, false, 1n],
] as const) {
  test(`a snapshot with ${what} reaches ${reach ?? 'nobody knows how far'}`, () => {
    const end = { sealed: sealed === null ? null : { zxid: sealed }, reachedZxid: reached };
    assert.is(reachOf(end, named, isExact), reach);
  });
}

test('a snapshot is known as long as its file stays as it is', () => {
  const known = new KnownSnapshots();
  const file = { name: 'snapshot.5', size: 10, mtimeMs: 20 };
  assert.is(known.of(file), undefined);
  known.note(file, { reach: 6n, isWhole: true });
  assert.is(known.of(file)?.reach, 6n);
  for (const change of [{ name: 'snapshot.6' }, { size: 11 }, { mtimeMs: 21 }]) {
    assert.is(known.of({ ...file, ...change }), undefined);
  }
});

test.run();
