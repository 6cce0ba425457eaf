import { Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeOutput, Output } from '../../../src/commands/terminal/output.js';

type Done = (error?: Error | null) => void;

/** A stream that keeps each write until `next` is called. */
function slowStream() {
  const waiting: Done[] = [];
  const stream = new Writable({
    write: (_chunk, _encoding, done: Done) => void waiting.push(done),
  });
  return { stream, next: (error?: Error) => waiting.shift()?.(error) };
}

test('a slow reader makes the program wait, so its memory stays', async () => {
  const { stream, next } = slowStream();
  const output = new Output(stream);
  const piece = Buffer.alloc(1000);
  let pieces = 1;
  let isWaiting = output.write(piece);
  for (; isWaiting === undefined; pieces++) isWaiting = output.write(piece);
  assert.ok(pieces < 100, String(pieces));
  // Also for pieces smaller than a flush, as long as the earlier ones are on the way.
  assert.ok(output.write(piece) instanceof Promise);
  const sizes: number[] = [];
  const drained = isWaiting.then(() => sizes.push(stream.writableLength));
  next();
  next();
  await drained;
  assert.equal(sizes, [0]);
});

test('a full disk is a fault, a reader that leaves is not, and later text is dropped', async () => {
  for (const [code, isGone] of [
    ['EPIPE', true],
    ['ENOSPC', false],
  ] as const) {
    const { stream, next } = slowStream();
    const output = new Output(stream);
    void output.write('text');
    const flushed = output.flush();
    next(Object.assign(new Error(`${code}: no more, write`), { code }));
    await flushed;
    assert.equal([output.isGone, output.fault?.code], [isGone, isGone ? undefined : code]);
    assert.is(output.ended.aborted, true);
    assert.is(output.write('more'), undefined);
    assert.is(await closeOutput(output, 'zkops', 130, 3), isGone ? 141 : 3);
    assert.is(await closeOutput(output, 'zkops', 1, 3), isGone ? 1 : 3);
  }
});

test.run();
