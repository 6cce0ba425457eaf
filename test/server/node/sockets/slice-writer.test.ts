import { Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SliceWriter } from '../../../../src/server/node/sockets/slice-writer.js';
import { waitFor } from '../../../support/wait-for.js';

function* counted(count: number, onTaken: (at: number) => void): Generator<string> {
  for (let at = 0; at < count; at++) {
    onTaken(at);
    yield `${at} `;
  }
}

/** Keeps what it gets; `read` lets one write end. */
function slowOutput() {
  let text = '';
  const done: (() => void)[] = [];
  const out = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write: (chunk, _encoding, next) => {
      text += chunk;
      done.push(next);
    },
  });
  return { out, text: () => text, read: () => done.shift()?.() };
}

test('a slice is made when the reader has read the last one', async () => {
  const writer = new SliceWriter();
  const { out, text, read } = slowOutput();
  let taken = 0;
  let ends = 0;
  writer.write(
    out,
    counted(3, () => taken++),
    () => ends++,
  );
  for (let at = 1; at <= 3; at++) {
    await waitFor('a slice', () => taken === at);
    assert.is(ends, 0);
    read();
  }
  await waitFor('the end', () => ends === 1);
  assert.is(text(), '0 1 2 ');
});

test('answers take turns', async () => {
  const writer = new SliceWriter();
  const order: string[] = [];
  let ends = 0;
  for (const name of ['a', 'b']) {
    const out = new Writable({ write: (_chunk, _encoding, next) => next() });
    writer.write(
      out,
      counted(3, (at) => order.push(`${name}${at}`)),
      () => ends++,
    );
  }
  await waitFor('both ends', () => ends === 2);
  assert.equal(order, ['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
});

test('a closed output ends only its own answer', async () => {
  const writer = new SliceWriter();
  const gone = slowOutput();
  let takenOfGone = 0;
  let ends = 0;
  writer.write(
    gone.out,
    counted(5, () => takenOfGone++),
    () => ends++,
  );
  await waitFor('a slice', () => takenOfGone === 1);
  gone.out.destroy();
  const out = new Writable({ write: (_chunk, _encoding, next) => next() });
  writer.write(
    out,
    counted(5, () => undefined),
    () => ends++,
  );
  await waitFor('the other end', () => ends === 1);
  assert.is(takenOfGone, 1);
});

test('the error of a slice is passed on', async () => {
  const writer = new SliceWriter();
  let problem: unknown;
  const failing = counted(2, (at) => {
    if (at === 1) throw new RangeError('Invalid string length');
  });
  const out = new Writable({ write: (_chunk, _encoding, next) => next() });
  writer.write(out, failing, (error) => {
    problem = error;
  });
  await waitFor('the error', () => problem instanceof RangeError);
});

test('an answer that is made at once has a turn of its own', async () => {
  const writer = new SliceWriter();
  const order: string[] = [];
  const made = ['a', 'b'].map((name) => writer.turnCame(() => true).then(() => order.push(name)));
  writer.write(
    new Writable({ write: (_chunk, _encoding, next) => next() }),
    counted(1, () => order.push('slice')),
    () => order.push('end'),
  );
  setImmediate(() => order.push('next turn'));
  await Promise.all(made);
  await waitFor('the end', () => order.includes('end'));
  assert.equal(order, ['a', 'next turn', 'b', 'slice', 'end']);
});

test('an answer that nobody wants anymore takes no turn', async () => {
  const writer = new SliceWriter();
  const unwanted = Array.from({ length: 1000 }, () => writer.turnCame(() => false));
  const wanted = writer.turnCame(() => true);
  let turns = 0;
  const count = (): void => {
    turns++;
    setImmediate(count).unref();
  };
  setImmediate(count).unref();
  assert.equal(new Set(await Promise.all(unwanted)), new Set([false]));
  assert.ok(await wanted);
  assert.ok(turns < 10, `${turns} turns`);
});

test.run();
