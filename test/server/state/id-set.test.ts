import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { IdSet } from '../../../src/server/state/id-set.js';
import { Random } from '../../support/random.js';

test('an id set has the members of a set, in ascending order', () => {
  const random = new Random(7);
  for (let run = 0; run < 80; run++) {
    const set = new IdSet();
    const model = new Set<number>();
    // Few and many, dense and sparse: each of its four forms, and the ways between them.
    const range = random.pick([1, 2, 3, 40, 100, 2000, 20_000, 100_000]);
    const share = random.pick([2, 3, 8]);
    for (let step = 0; step < 800; step++) {
      const id = random.below(range);
      const isAdded = !random.oneIn(share);
      assert.is(isAdded ? set.add(id) : set.delete(id), isAdded ? !model.has(id) : model.has(id));
      if (isAdded) model.add(id);
      else model.delete(id);
      assert.is(set.size, model.size);
      assert.is(set.has(id), isAdded);
      assert.is(set.has(id + 1), model.has(id + 1));
    }
    assert.equal(
      [...set],
      [...model].sort((a, b) => a - b),
    );
    for (const id of model) assert.ok(set.delete(id));
    assert.equal([...set], []);
    assert.ok(set.add(31));
    assert.equal([...set], [31]);
  }
});

test('many numbers far apart become bits once they are dense', () => {
  const set = new IdSet();
  for (let id = 100_000; id < 115_000; id++) assert.ok(set.add(id));
  assert.instance((set as unknown as { bits: unknown }).bits, Uint32Array);
  assert.equal([set.size, set.has(100_000), set.has(99_999)], [15_000, true, false]);
});

for (const count of [20, 300]) {
  test(`a number far above ${count} others takes no bits for those between`, () => {
    const set = new IdSet();
    for (let id = 0; id < count; id++) set.add(id);
    assert.ok(set.add(10_000_000));
    assert.is((set as unknown as { bits: unknown }).bits, null);
    assert.equal([...set], [...Array(count).keys(), 10_000_000]);
    assert.ok(set.delete(10_000_000));
    assert.not.ok(set.add(count - 1));
    assert.ok(set.add(count));
    assert.equal([...set], [...Array(count + 1).keys()]);
  });
}

test.run();
