/** The part of an input that is repeated, and how one repeat differs from the next. */
import type { Random } from '../support/random.js';
import { framesOf, type Part, withLength } from './lengths.js';
import { type TextField, textsOf, withCounter } from './varied-frames.js';

export interface Repeat {
  /** Sent once, before the repeats. */
  readonly lead: Buffer;
  readonly unit: Buffer;
  /** The text that differs in each repeat. */
  readonly varied: TextField | null;
  /** Repeats of the same kind give the same result. */
  readonly kind: string;
}

/** The bytes that a stranger sends at once. */
const CHUNK = 16 * 1024;
/** No operation has a higher number. */
const MAX_TYPE = 127;

/**
 * Each frame of the input, after the frames before it: unchanged, with a varying text, truncated,
 * or empty. The smallest frames best show memory kept per frame.
 * @param units repeats after the whole input, for formats without such frames
 */
export function repeatsOf(input: Buffer, units: readonly Buffer[], random: Random): Repeat[] {
  if (units.length > 0) {
    return units.map((unit, i) => ({ lead: input, unit, varied: null, kind: `unit ${i}` }));
  }
  const frames = framesOf(input);
  if (frames.length > 0) return frames.flatMap((frame) => formsOf(input, frame, random));
  const whole = { lead: Buffer.alloc(0), unit: input, varied: null };
  return input.length > 0 ? [{ ...whole, kind: `false ${kindOf(input)}` }] : [];
}

function formsOf(input: Buffer, { at, length }: Part, random: Random): Repeat[] {
  const lead = input.subarray(0, at);
  const unit = input.subarray(at, at + 4 + length);
  const kind = `${at > 0} ${kindOf(unit)}`;
  const empty = withLength(Buffer.alloc(0));
  const cut = withLength(unit.subarray(4, 4 + random.below(length + 1)));
  return [
    ...textsOf(unit).map((varied, i) => ({ lead, unit, varied, kind: `${kind} text ${i}` })),
    { lead, unit, varied: null, kind },
    { lead, unit: empty, varied: null, kind: `${at > 0} empty` },
    { lead, unit: cut, varied: null, kind: `${at > 0} ${kindOf(cut)} cut` },
  ];
}

/** The first number after the length and the xid: the operation of a request. */
function kindOf(unit: Buffer): string {
  if (unit.length < 12) return `of ${unit.length} bytes`;
  const type = unit.readInt32BE(8);
  return Math.abs(type) <= MAX_TYPE ? `of type ${type}` : 'of another type';
}

/** The repeats in pieces, about `bytes` in total. */
export function piecesOf({ unit, varied }: Repeat, bytes: number): Buffer[] {
  const pieces: Buffer[] = [];
  const times = Math.ceil(bytes / unit.length);
  const perChunk = Math.max(1, Math.floor(CHUNK / unit.length));
  for (let done = 0; done < times; done += perChunk) {
    const repeats = Array.from({ length: Math.min(perChunk, times - done) }, (_, i) =>
      varied === null ? unit : withCounter(unit, varied, done + i),
    );
    pieces.push(Buffer.concat(repeats));
  }
  return pieces;
}
