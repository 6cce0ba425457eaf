import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FRAME_HEAD_SIZE, FrameDecoder } from '../../src/jute/frame-decoder.js';
import { JuteError } from '../../src/jute/jute-error.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';

const MAX = 64;

interface Case {
  readonly name: string;
  readonly stream: Buffer;
  readonly frames: readonly Buffer[];
  /** Frames of up to this length are skipped; default: none. */
  readonly maxSkipped?: number;
  /** How many bytes of an unfinished frame are held in the end. */
  readonly pending?: number;
  readonly fault?: RegExp;
}

function frame(body: Buffer): Buffer {
  return new ByteBuilder().buffer(body).build();
}

const A = Buffer.from('a');
const LONG = Buffer.alloc(MAX, 'x');
const EMPTY = Buffer.alloc(0);
const LONGER = Buffer.alloc(MAX + 1, 'y');
/** The head of LONGER, as `begin` leaves it. */
const CHANGED = Buffer.from('yyyy\0\0\0\x41');
const TOO_LONG = new ByteBuilder().int(MAX + 1).build();
const NEGATIVE = new ByteBuilder().int(-1).build();

const CASES: readonly Case[] = [
  { name: 'nothing', stream: EMPTY, frames: [] },
  { name: 'one frame', stream: frame(A), frames: [A] },
  { name: 'an empty frame', stream: frame(EMPTY), frames: [EMPTY] },
  {
    name: 'empty frames among others',
    stream: Buffer.concat([frame(EMPTY), frame(A), frame(EMPTY), frame(EMPTY), frame(LONG)]),
    frames: [EMPTY, A, EMPTY, EMPTY, LONG],
  },
  { name: 'the longest frame', stream: frame(LONG), frames: [LONG] },
  {
    name: 'many frames',
    stream: Buffer.concat(Array.from({ length: 50 }, (_, i) => frame(Buffer.alloc(i, i)))),
    frames: Array.from({ length: 50 }, (_, i) => Buffer.alloc(i, i)),
  },
  {
    name: 'a frame and a piece of a length',
    stream: Buffer.concat([frame(A), Buffer.from([0, 0])]),
    frames: [A],
    pending: 2,
  },
  {
    name: 'a frame and a piece of the next',
    stream: Buffer.concat([frame(A), frame(LONG).subarray(0, 20)]),
    frames: [A],
    pending: 20,
  },
  {
    name: 'a frame, and one too long',
    stream: Buffer.concat([frame(A), TOO_LONG, A]),
    frames: [A],
    fault: /frame length 65 is not between 0 and 64/,
  },
  {
    name: 'the head of a frame that is skipped, in its place',
    maxSkipped: 2 * MAX,
    stream: Buffer.concat([frame(A), frame(LONGER), frame(A), frame(LONG), frame(LONGER)]),
    frames: [A, CHANGED, A, LONG, CHANGED],
  },
  {
    name: 'the longest frame that is skipped',
    maxSkipped: MAX + 1,
    stream: frame(LONGER),
    frames: [CHANGED],
  },
  {
    name: 'a part of a frame that is skipped, of which nothing is held',
    maxSkipped: MAX + 1,
    stream: frame(LONGER).subarray(0, MAX),
    frames: [],
  },
  {
    name: 'one too long to be skipped',
    maxSkipped: MAX + 1,
    stream: Buffer.concat([frame(A), frame(Buffer.alloc(MAX + 2))]),
    frames: [A],
    fault: /frame length 66 /,
  },
  {
    name: 'one that must not be skipped',
    maxSkipped: 2 * MAX,
    stream: Buffer.concat([frame(A), frame(Buffer.alloc(MAX + 1)), frame(A)]),
    frames: [A],
    fault: /a head of zeros/,
  },
  {
    name: 'a frame, and a negative length',
    stream: Buffer.concat([frame(A), NEGATIVE, A]),
    frames: [A],
    fault: /frame length -1 /,
  },
  {
    name: 'the greatest length there is',
    stream: new ByteBuilder().int(0x7fff_ffff).bytes(A).build(),
    frames: [],
    fault: /frame length 2147483647 /,
  },
  {
    name: 'the least length there is',
    stream: new ByteBuilder().int(-0x8000_0000).bytes(A).build(),
    frames: [],
    fault: /frame length -2147483648 /,
  },
];

/** Pushes the chunks, each a copy that is overwritten afterwards, as a driver reuses its memory. */
function decode(
  chunks: readonly Buffer[],
  maxSkipped?: number,
): { frames: Buffer[]; pending: number; fault?: unknown } {
  const frames: Buffer[] = [];
  const decoder = new FrameDecoder(MAX, (bytes, start, end) => {
    frames.push(Buffer.from(bytes.subarray(start, end)));
  });
  if (maxSkipped !== undefined) {
    decoder.longFrames = {
      maxSkipped,
      begin: (head, length) => {
        assert.is(head.length, FRAME_HEAD_SIZE);
        if (head[0] === 0) throw new JuteError('a head of zeros');
        head.writeInt32BE(length, 4);
      },
    };
  }
  try {
    for (const chunk of chunks) {
      const reused = Buffer.from(chunk);
      decoder.push(reused);
      reused.fill(0xee);
    }
  } catch (fault) {
    return { frames, pending: decoder.pending, fault };
  }
  return { frames, pending: decoder.pending };
}

function expectCase(expected: Case, chunks: readonly Buffer[], how: string): void {
  const { frames, pending, fault } = decode(chunks, expected.maxSkipped);
  assert.equal(frames, expected.frames, how);
  if (expected.fault === undefined) {
    assert.is(fault, undefined, how);
    assert.is(pending, expected.pending ?? 0, how);
  } else {
    assert.match(String(fault), expected.fault, how);
    assert.is((fault as { code?: string }).code, 'EJUTE', how);
  }
}

for (const one of CASES) {
  test(`${one.name}: whole`, () => {
    expectCase(one, [one.stream], 'whole');
  });

  test(`${one.name}: byte by byte`, () => {
    expectCase(
      one,
      Array.from(one.stream, (byte) => Buffer.from([byte])),
      'byte by byte',
    );
  });

  test(`${one.name}: at every split`, () => {
    for (let at = 0; at <= one.stream.length; at++) {
      const chunks = [one.stream.subarray(0, at), one.stream.subarray(at)];
      expectCase(one, chunks, `split at ${at}`);
    }
  });
}

test('at every two splits', () => {
  const stream = Buffer.concat([frame(A), frame(EMPTY), frame(Buffer.from('xyz'))]);
  const one: Case = { name: '', stream, frames: [A, EMPTY, Buffer.from('xyz')] };
  for (let a = 0; a <= stream.length; a++) {
    for (let b = a; b <= stream.length; b++) {
      const chunks = [stream.subarray(0, a), stream.subarray(a, b), stream.subarray(b)];
      expectCase(one, chunks, `split at ${a} and ${b}`);
    }
  }
});

test('a frame within one chunk is handed on in place', () => {
  const chunk = frame(LONG);
  let seen: Buffer | undefined;
  new FrameDecoder(MAX, (bytes) => {
    seen = bytes;
  }).push(chunk);
  assert.is(seen, chunk);
});

test('how many bytes of a frame are held is known', () => {
  const decoder = new FrameDecoder(MAX, () => undefined);
  decoder.push(frame(LONG).subarray(0, 3));
  assert.is(decoder.pending, 3);
  decoder.push(frame(LONG).subarray(3, 10));
  assert.is(decoder.pending, 10);
});

test('kept frames are passed on in order after release()', () => {
  const frames = ['1', '2', '3', '4', '5'].map((text) => frame(Buffer.from(text)));
  const stream = Buffer.concat(frames);
  for (let split = 0; split <= stream.length; split++) {
    const got: string[] = [];
    const decoder: FrameDecoder = new FrameDecoder(MAX, (bytes, start, end) => {
      got.push(bytes.toString('latin1', start, end));
      decoder.hold();
    });
    decoder.push(stream.subarray(0, split));
    decoder.push(stream.subarray(split));
    for (let count = 1; count <= frames.length; count++) {
      assert.equal(got, ['1', '2', '3', '4', '5'].slice(0, count), `split at ${split}`);
      decoder.release();
      decoder.push(EMPTY);
    }
    assert.is(decoder.isHeld, false);
  }
});

test('returned frames are passed on again before all else, split anywhere', () => {
  const texts = ['1', '2', '3', '4', '5'];
  const stream = Buffer.concat(texts.map((text) => frame(Buffer.from(text))));
  for (let split = 0; split <= stream.length; split++) {
    const got: string[] = [];
    const decoder: FrameDecoder = new FrameDecoder(MAX, (bytes, start, end) => {
      got.push(bytes.toString('latin1', start, end));
      if (got.length === 3) decoder.hold();
    });
    decoder.push(stream.subarray(0, split));
    decoder.push(stream.subarray(split));
    decoder.putBack([Buffer.from('3')]);
    decoder.putBack([Buffer.from('1'), Buffer.from('2')]);
    decoder.release();
    decoder.push(EMPTY);
    assert.equal(got, ['1', '2', '3', ...texts], `split at ${split}`);
  }
});

test('after stop() nothing is handed on, not even of the chunk being pushed', () => {
  for (const split of [false, true]) {
    const got: string[] = [];
    const decoder: FrameDecoder = new FrameDecoder(MAX, (bytes, start, end) => {
      got.push(bytes.toString('latin1', start, end));
      if (got.length === 2) decoder.stop();
    });
    const stream = Buffer.concat(['1', '2', '3', '4'].map((text) => frame(Buffer.from(text))));
    if (split) for (const byte of stream) decoder.push(Buffer.from([byte]));
    else decoder.push(stream);
    decoder.push(frame(A));
    assert.equal(got, ['1', '2']);
    assert.is(decoder.pending, 0);
  }
});

test('after stop() a broken stream is not looked at', () => {
  const decoder: FrameDecoder = new FrameDecoder(MAX, () => decoder.stop());
  decoder.push(Buffer.concat([frame(A), NEGATIVE]));
  decoder.push(TOO_LONG);
  assert.is(decoder.pending, 0);
});

test.run();
