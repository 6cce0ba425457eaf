import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { membersOf } from '../../src/recipes/base/members.js';

const GUID = '01234567-89ab-cdef-0123-456789abcdef';

function lock(sequence: string): string {
  return `_c_${GUID}-lock-${sequence}`;
}

test('members are of one kind, in the order of their numbers, not of their GUIDs', () => {
  const first = `_c_ffffffff-ffff-ffff-ffff-ffffffffffff-lock-0000000001`;
  const children = [lock('0000000010'), 'x', `_c_${GUID}-leader-0000000000`, first];
  assert.equal(membersOf(children, 'lock'), [first, lock('0000000010')]);
});

test('sequence numbers wrap around', () => {
  const inOrder = ['2147483646', '2147483647', '-2147483648', '-2147483647'].map(lock);
  assert.equal(membersOf([...inOrder].reverse(), 'lock'), inOrder);
  const aroundZero = ['-000000002', '-000000001', '0000000000', '0000000001'].map(lock);
  assert.equal(membersOf([...aroundZero].reverse(), 'lock'), aroundZero);
});

test.run();
