import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZnodeValue } from '../../../../src/commands/results/change.js';
import { ZnodeMemory } from '../../../../src/commands/zksh/watching/known-tree.js';
import { Stat } from '../../../../src/protocol/data.js';
import { FakeClient } from '../../../support/peers/fake-client.js';

const { stat } = await new FakeClient().create('/a');

function value(mzxid: bigint, length = 1): ZnodeValue {
  return { data: Buffer.alloc(length), stat: new Stat({ ...stat, mzxid }) };
}

test('the oldest values are dropped, by number and by bytes', () => {
  const memory = new ZnodeMemory({ znodes: 2, bytes: 100 });
  memory.put('/a', value(1n), false);
  memory.put('/b', value(2n), false);
  assert.ok(memory.isComplete && memory.isFull);
  memory.put('/c', value(3n), false);
  assert.equal(memory.paths(), ['/b', '/c']);
  assert.not.ok(memory.isComplete);
  memory.put('/d', value(4n, 100), false);
  assert.equal(memory.paths(), ['/d']);
  memory.put('/e', value(5n, 101), false);
  assert.equal(memory.paths(), []);
});

test('an older value never replaces a newer one', () => {
  const memory = new ZnodeMemory();
  memory.put('/a', value(5n), false);
  memory.put('/a', value(4n), false);
  assert.is(memory.get('/a')?.stat.mzxid, 5n);
  assert.not.ok(memory.wasReported('/a', value(5n)));
  memory.put('/a', value(6n), true);
  assert.ok(memory.wasReported('/a', value(6n)));
  memory.forget('/a');
  assert.is(memory.get('/a'), undefined);
});

test.run();
