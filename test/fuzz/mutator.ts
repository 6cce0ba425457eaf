import type { Random } from '../support/random.js';
import { partsOf, replacePart, withLength } from './lengths.js';

/** Numbers at the limits of the formats. */
const NUMBERS = [
  0,
  1,
  -1,
  4,
  16,
  127,
  128,
  255,
  256,
  65535,
  65536,
  1 << 20,
  0x7fffffff,
  -0x80000000,
];
const LONGS = [0n, -1n, 1n << 62n, (1n << 63n) - 1n, -(1n << 63n), 1n << 32n, (1n << 32n) - 1n];
const TEXTS = [
  '0',
  '-1',
  '2147483648',
  '9223372036854775808',
  '1e400',
  ' ',
  '\n',
  '\0',
  '%s',
  '\u202e',
];

/** A power of two: the maximum number of repeats of a part. */
const MAX_DOUBLINGS = 8;

/** Changes inputs at random: bytes, numbers, words of the format, parts of other inputs. */
export class Mutator {
  private readonly random: Random;
  private readonly words: readonly Buffer[];
  private readonly maxLength: number;

  constructor(random: Random, words: readonly (string | Buffer)[] = [], maxLength = 4096) {
    this.random = random;
    this.words = [...words, ...TEXTS].map((word) => Buffer.from(word));
    this.maxLength = maxLength;
  }

  mutate(input: Buffer, others: readonly Buffer[]): Buffer {
    let changed: Buffer = Buffer.from(input);
    for (let left = 1 + this.random.below(4); left > 0; left--)
      changed = this.change(changed, others);
    return changed.subarray(0, this.maxLength);
  }

  private change(input: Buffer, others: readonly Buffer[]): Buffer {
    const { random } = this;
    const at = random.below(input.length + 1);
    switch (random.below(14)) {
      case 0:
        if (at < input.length) input[at] = (input[at] ?? 0) ^ (1 << random.below(8));
        return input;
      case 1:
        if (at < input.length) input[at] = random.below(256);
        return input;
      case 2:
        if (at + 4 <= input.length) input.writeInt32BE(random.pick(NUMBERS), at);
        return input;
      case 3:
        if (at + 8 <= input.length) input.writeBigInt64BE(random.pick(LONGS), at);
        return input;
      case 4:
        return splice(input, at, 0, random.pick(this.words));
      case 5:
        return splice(input, at, this.length(input), Buffer.alloc(0));
      case 6:
        return splice(input, at, 0, input.subarray(at, at + this.length(input)));
      case 7:
        return this.cross(input, at, random.pick(others));
      case 8:
        return this.count(input, at);
      case 9:
        return this.overwrite(input, at, random.pick(this.words));
      case 10:
        return this.again(input, at);
      case 11:
      case 12:
        return this.changePart(input);
      default:
        return input.subarray(0, Math.max(1, at));
    }
  }

  private length(input: Buffer): number {
    return 1 + this.random.below(Math.max(1, Math.min(64, input.length)));
  }

  private cross(input: Buffer, at: number, other: Buffer): Buffer {
    const from = this.random.below(other.length + 1);
    const part = other.subarray(from, from + this.length(other));
    return splice(input, at, this.random.oneIn(2) ? part.length : 0, part);
  }

  private overwrite(input: Buffer, at: number, word: Buffer): Buffer {
    return splice(input, at, word.length, word);
  }

  /** Repeats a slice many times. */
  private again(input: Buffer, at: number): Buffer {
    const slice = input.subarray(at, at + this.length(input));
    return splice(input, at, 0, this.repeat(slice));
  }

  private repeat(bytes: Buffer): Buffer {
    const times = 1 << (1 + this.random.below(MAX_DOUBLINGS));
    const most = Math.max(1, Math.floor(this.maxLength / Math.max(1, bytes.length)));
    return Buffer.concat(Array.from({ length: Math.min(times, most) }, () => bytes));
  }

  /** Replaces a frame, a text, or a buffer, and corrects the lengths around it. */
  private changePart(input: Buffer): Buffer {
    const { random } = this;
    const parts = partsOf(input);
    const filled = parts.filter(({ length }) => length > 0);
    const from = filled.length > 0 && !random.oneIn(3) ? filled : parts;
    if (from.length === 0) return input;
    const part = random.pick(from);
    const whole = input.subarray(part.at, part.at + 4 + part.length);
    const body = whole.subarray(4);
    const cut = random.below(body.length + 1);
    switch (random.below(5)) {
      case 0:
        return replacePart(input, part, parts, withLength(body.subarray(0, cut)));
      case 1:
        return replacePart(input, part, parts, withLength(random.pick(this.words)));
      case 2:
        return replacePart(input, part, parts, Buffer.alloc(random.oneIn(2) ? 0 : 4));
      case 3: {
        const added = splice(body, cut, 0, random.pick(this.words));
        return replacePart(input, part, parts, withLength(added));
      }
      default:
        return replacePart(input, part, parts, this.repeat(whole));
    }
  }

  /** A length or a digit that is slightly off. */
  private count(input: Buffer, at: number): Buffer {
    if (at + 4 > input.length) return input;
    const by = this.random.below(9) - 4;
    input.writeInt32BE((input.readInt32BE(at) + by) | 0, at);
    return input;
  }
}

function splice(input: Buffer, at: number, remove: number, insert: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), insert, input.subarray(at + remove)]);
}
