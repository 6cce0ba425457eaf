import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LogSearch, LogSlice, logsHolding, maxLogBytes } from '../../src/files/recovery.js';

/** "2.3" is epoch 2, counter 3. */
function zxid(text: string): bigint {
  const [epoch = '', counter = ''] = text.split('.');
  return (BigInt(epoch) << 32n) | BigInt(counter);
}

function show(value: bigint): string {
  return `${value >> 32n}.${value & 0xffff_ffffn}`;
}

const zxids = (text: string) => text.split(' ').filter(Boolean).map(zxid);

/** The place that is found, and the number of inspected entries. */
function search(after: string, log: string, until: string, snapshots = '', maxBytes = 1000) {
  const found = new LogSearch({
    after: zxid(after),
    until: zxid(until),
    snapshots: zxids(snapshots),
    maxBytes,
  });
  const looked = zxids(log).findIndex((entry) => !found.take(entry, 100));
  const { place } = found;
  return place === null
    ? `none after ${looked + 1}`
    : `${show(place.at)} ${show(place.next)} after ${looked + 1}`;
}

// Case | the learner's last zxid | the log | until | snapshots | the place found
const TABLE = `
in the middle                           | 1.2 | 1.1 1.2 1.3 1.4     | 1.4 |         | 1.2 1.3 after 4
no further than asked                   | 1.2 | 1.1 1.2 1.3 1.4 1.5 | 1.4 |         | 1.2 1.3 after 4
the first one of the log                | 1.1 | 1.1 1.2             | 1.2 |         | 1.1 1.2 after 2
what it lacks was purged                | 1.1 | 1.2 1.3             | 1.3 |         | none after 1
the log ends too early                  | 1.2 | 1.1 1.2 1.3         | 1.4 |         | none after 0
the log lacks the last txn              | 1.2 | 1.2 1.3 2.1         | 1.4 |         | none after 3
an empty log                            | 1.2 |                     | 1.4 |         | none after 0
a hole                                  | 1.1 | 1.1 1.2 1.4         | 1.4 |         | none after 3
a hole right after it                  | 1.1 | 1.1 1.3             | 1.3 |         | none after 2
a hole before it matters to nobody      | 1.4 | 1.1 1.4 1.5         | 1.5 |         | 1.4 1.5 after 3
logged twice                            | 1.1 | 1.1 1.2 1.1 1.2 1.3 | 1.3 |         | 1.1 1.2 after 5
a part that is logged twice             | 1.1 | 1.1 1.2 1.3 1.2 1.3 1.4 | 1.4 |     | 1.1 1.2 after 6
over epochs                             | 1.1 | 1.1 1.2 3.1 3.2     | 3.2 |         | 1.1 1.2 after 4
an epoch that began before the log      | 1.1 | 1.1 1.2 3.2         | 3.2 |         | none after 3
a zxid of no txn                        | 2.0 | 1.1 1.2 2.1 2.2     | 2.2 |         | 1.2 2.1 after 4
a zxid that the log lacks               | 1.4 | 1.1 1.2 2.1 2.2     | 2.2 |         | 1.2 2.1 after 4
a snapshot was sent between two epochs  | 1.1 | 1.1 1.2 3.1         | 3.1 | 3.0     | none after 3
one whose zxid is in the older epoch    | 1.1 | 1.1 1.2 3.1         | 3.1 | 1.9     | none after 3
snapshots of what the log holds         | 1.1 | 1.1 1.2 3.1         | 3.1 | 1.2 3.1 | 1.1 1.2 after 3
a foreign end that such a one covers    | 1.3 | 1.1 1.2 1.3 3.1     | 3.1 | 3.0     | none after 4
`;

for (const row of TABLE.trim().split('\n')) {
  const [name = '', after = '', log = '', until = '', snapshots = '', found = ''] = row
    .split('|')
    .map((cell) => cell.trim());
  test(name, () => assert.is(search(after, log, until, snapshots), found));
}

test('only entries to send count, up to the limit', () => {
  const log = '1.1 1.2 1.3 1.4';
  assert.is(search('1.2', log, '1.4', '', 200), '1.2 1.3 after 4');
  assert.is(search('1.2', log, '1.4', '', 199), 'none after 4');
  assert.is(search('1.2', log, '1.4', '', -1), 'none after 3');
  assert.is(maxLogBytes(1000, 0.33), 330);
  assert.is(maxLogBytes(1000, -1), -1);
  assert.is(maxLogBytes(1000, 0), Number.POSITIVE_INFINITY);
});

test('the files to search start with the one that may contain the zxid', () => {
  const logs = ['1.1', '1.5', '2.1'].map((first) => ({
    name: first,
    size: 1,
    zxid: zxid(first),
  }));
  const names = (after: string) => logsHolding(logs, zxid(after)).map(({ name }) => name);
  assert.equal(names('1.4'), ['1.1', '1.5', '2.1']);
  assert.equal(names('1.5'), ['1.5', '2.1']);
  assert.equal(names('2.0'), ['1.5', '2.1']);
  assert.equal(names('2.1'), ['2.1']);
});

test('a slice takes each txn once, and finds a gap', () => {
  const slice = new LogSlice(zxid('1.1'));
  const taken = zxids('1.1 1.2 1.2 1.3 2.1').map((entry) => slice.take(entry));
  assert.equal(taken, [false, true, false, true, true]);
  assert.is(slice.last, zxid('2.1'));
  for (const next of ['2.3', '3.2']) {
    assert.throws(() => slice.take(zxid(next)), /no longer has the txns after 0x200000001/);
  }
});

test.run();
