/** What of an input is sent again and again, and how one repeat differs from the next. */
import type { Random } from '../support/random.js';
import { framesOf, withLength } from './lengths.js';
import { type TextField, textsOf, withCounter } from './varied-frames.js';

export interface Repeat {
  /** Sent once, before the repeats. */
  readonly lead: Buffer;
  readonly unit: Buffer;
  /** The text that differs in each repeat. */
  readonly varied: TextField | null;
  /** Repeats of the same kind tell the same. */
  readonly kind: string;
}

/** A piece of what a stranger sends at once. */
const CHUNK = 16 * 1024;
/** No operation has a greater number. */
const MAX_TYPE = 127;

/**
 * One frame of the input behind those before it: as it is, with a text that differs, or cut short,
 * since what is kept for each frame shows best in the smallest.
 * @param units what is repeated behind the whole input, where the format has no such frames
 * @returns null when there is nothing to repeat
 */
export function chooseRepeat(
  input: Buffer,
  units: readonly Buffer[],
  random: Random,
): Repeat | null {
  if (units.length > 0) {
    const number = random.below(units.length);
    return { lead: input, unit: units[number] as Buffer, varied: null, kind: `unit ${number}` };
  }
  const frames = framesOf(input);
  const { at, length } = frames.length > 0 ? random.pick(frames) : { at: 0, length: input.length };
  const lead = input.subarray(0, at);
  const unit = input.subarray(at, frames.length > 0 ? at + 4 + length : input.length);
  if (unit.length === 0) return null;
  const kind = `${at > 0} ${kindOf(unit)}`;
  const texts = textsOf(unit);
  const form = random.below(3);
  if (form === 0 && frames.length > 0) {
    const cut = withLength(unit.subarray(4, 4 + (random.oneIn(2) ? 0 : random.below(length + 1))));
    return { lead, unit: cut, varied: null, kind: `${at > 0} ${kindOf(cut)} cut` };
  }
  if (form === 1 && texts.length > 0) {
    const text = random.below(texts.length);
    const varied = texts[text] as TextField;
    return { lead, unit, varied, kind: `${kind} text ${text}` };
  }
  return { lead, unit, varied: null, kind };
}

/** The first number behind the length and the xid: the operation of a request. */
function kindOf(unit: Buffer): string {
  if (unit.length < 12) return `of ${unit.length} bytes`;
  const type = unit.readInt32BE(8);
  return Math.abs(type) <= MAX_TYPE ? `of type ${type}` : 'of another type';
}

/** The repeats in pieces, `bytes` in all, about. */
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
