import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { planSync } from '../../../../src/server/quorum/leading/synchronizer.js';

/** "2.3" is epoch 2, counter 3. */
function zxid(text: string): bigint {
  const [epoch = '', counter = ''] = text.split('.');
  return (BigInt(epoch) << 32n) | BigInt(counter);
}

function show(value: bigint): string {
  return `${value >> 32n}.${value & 0xffff_ffffn}`;
}

/** The packets for a learner at `peer`, as text. */
function plan(peer: string, kept: string, last: string): string {
  const zxids = kept.split(' ').filter(Boolean).map(zxid);
  const found = planSync(zxid(peer), { zxids, lastProcessedZxid: zxid(last) });
  if (found.kind === 'snap') return 'SNAP';
  if (found.kind === 'old') return 'OLD';
  const head = found.kind === 'diff' ? `DIFF(${show(found.zxid)})` : `TRUNC(${show(found.to)})`;
  return [head, ...zxids.slice(found.from).map(show)].join(' ');
}

// Case | the learner's last zxid | kept | last applied | the packets
const TABLE = `
nothing kept, the learner is ahead       | 0.3 |                 | 0.1 | TRUNC(0.1)
nothing kept, in sync                    | 0.1 |                 | 0.1 | DIFF(0.1)
nothing kept, an empty learner           | 0.0 |                 | 0.1 | OLD
both empty                               | 0.0 |                 | 0.0 | DIFF(0.0)
an unknown zxid between                  | 0.4 | 0.2 0.3 0.5     | 0.6 | TRUNC(0.3) 0.5
the first one kept                       | 0.2 | 0.2 0.3 0.5     | 0.6 | DIFF(0.5) 0.3 0.5
one in the middle                        | 0.3 | 0.2 0.3 0.5     | 0.6 | DIFF(0.5) 0.5
the last one kept                        | 0.5 | 0.2 0.3 0.5     | 0.5 | DIFF(0.5)
older than all kept                      | 0.1 | 0.2 0.3 0.5     | 0.6 | OLD
ahead of all kept                        | 0.7 | 0.2 0.3 0.5     | 0.5 | TRUNC(0.5)
ahead of all kept, a new leader          | 1.9 | 1.1 1.2         | 2.0 | TRUNC(1.2)
an old leader's tail in a later epoch    | 2.1 | 1.1 1.2         | 3.0 | TRUNC(1.2)
an empty learner, a new leader           | 0.0 | 1.1 1.2         | 2.0 | OLD
a new epoch without its first txn kept   | 1.0 | 1.2 1.3         | 2.0 | OLD
a new epoch, and the txns after it      | 1.0 | 0.9 1.1 1.2     | 2.0 | DIFF(1.2) 1.1 1.2
a new epoch without a txn in it          | 1.0 | 0.9 2.1         | 2.1 | DIFF(2.1) 2.1
the new epoch of the leader              | 2.0 | 1.1 1.2         | 2.0 | DIFF(2.0)
an epoch in which nothing was committed  | 2.0 | 1.1 1.2         | 3.0 | DIFF(2.0)
such an epoch, and nothing kept          | 2.0 |                 | 3.0 | OLD
a new epoch that the leader never saw    | 4.0 | 1.1 1.2         | 3.0 | SNAP
never cut across epochs                  | 3.1 | 1.1 2.1 2.2 4.1 | 6.0 | SNAP
nor at the end of an epoch               | 2.3 | 1.1 2.1 2.2 4.1 | 6.0 | SNAP
no log is cut back to a new epoch        | 2.1 |                 | 2.0 | SNAP
epochs whose zxids fill 63 bits          | 2147483647.4 | 2147483647.2 2147483647.3 2147483647.5 | 2147483647.5 | TRUNC(2147483647.3) 2147483647.5
`;

for (const row of TABLE.trim().split('\n')) {
  const [name = '', peer = '', kept = '', last = '', packets = ''] = row
    .split('|')
    .map((cell) => cell.trim());
  test(name, () => assert.is(plan(peer, kept, last), packets));
}

test('a learner ends at the last kept txn, wherever it was', () => {
  const epochs = [1, 2, 4].flatMap((epoch) => [1, 2, 3].map((n) => `${epoch}.${n}`));
  for (let from = 0; from < epochs.length; from++) {
    const kept = epochs.slice(from);
    for (let epoch = 1; epoch <= 4; epoch++) {
      for (let counter = 1; counter <= 5; counter++) {
        const [head = '', ...sent] = plan(`${epoch}.${counter}`, kept.join(' '), '5.0').split(' ');
        if (head === 'SNAP' || head === 'OLD') continue;
        const cut = /TRUNC\((.*)\)/.exec(head)?.[1] ?? `${epoch}.${counter}`;
        assert.ok(kept.includes(cut), `the learner is at ${cut}`);
        assert.equal([cut, ...sent], kept.slice(kept.indexOf(cut)));
      }
    }
  }
});

test.run();
