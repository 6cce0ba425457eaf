import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Fifo } from '../../src/base/fifo.js';

test('gives back what it took, in order, while it grows and wraps', () => {
  const fifo = new Fifo<number>();
  const given: number[] = [];
  let next = 0;
  for (let round = 1; round <= 40; round++) {
    for (let i = 0; i < round; i++) fifo.push(next++);
    for (let i = 0; i < round / 2; i++) given.push(fifo.shift() ?? -1);
    for (const ahead of [0, 1]) {
      const expected = given.length + ahead < next ? given.length + ahead : undefined;
      assert.is(fifo.at(ahead), expected);
      if (ahead === 0) assert.is(fifo.peek(), expected);
    }
  }
  given.push(...fifo.drain());
  assert.equal(
    given,
    Array.from({ length: next }, (_, i) => i),
  );
  assert.is(fifo.length, 0);
  assert.is(fifo.shift(), undefined);
  assert.is(fifo.peek(), undefined);
  assert.is(fifo.at(0), undefined);
});

test('a queue that never had an element has no ring of its own', () => {
  const [one, other] = [new Fifo<number>(), new Fifo<number>()];
  for (const fifo of [one, other]) {
    assert.is(fifo.peek(), undefined);
    assert.is(fifo.shift(), undefined);
    assert.is(fifo.at(0), undefined);
    assert.equal(fifo.drain(), []);
  }
  one.push(1);
  assert.is(other.peek(), undefined);
  assert.is(other.length, 0);
  assert.equal(one.drain(), [1]);
});

test.run();
