/**
 * Parts with a length: four bytes of length, then that many bytes. Frames, texts, and buffers are
 * nested parts. Random bytes sometimes look like one.
 */

export interface Part {
  /** The offset of its length. */
  readonly at: number;
  /** The length of its body, in bytes. */
  readonly length: number;
}

const LENGTH = 4;

/** Everything in it that could be such a part, including empty ones. */
export function partsOf(input: Buffer): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at + LENGTH <= input.length; at++) {
    const length = input.readInt32BE(at);
    if (length >= 0 && at + LENGTH + length <= input.length) parts.push({ at, length });
  }
  return parts;
}

/** The consecutive parts from the start, without a rest that is not a part. */
export function framesOf(input: Buffer): Part[] {
  const frames: Part[] = [];
  for (let at = 0; at + LENGTH <= input.length; ) {
    const length = input.readInt32BE(at);
    if (length < 0 || at + LENGTH + length > input.length) break;
    frames.push({ at, length });
    at += LENGTH + length;
  }
  return frames;
}

/** Replaces a part, and corrects the lengths of the parts around it. */
export function replacePart(input: Buffer, part: Part, parts: readonly Part[], by: Buffer): Buffer {
  const end = part.at + LENGTH + part.length;
  const changed = Buffer.concat([input.subarray(0, part.at), by, input.subarray(end)]);
  const more = by.length - (end - part.at);
  for (const { at, length } of parts) {
    const isAround = at + LENGTH <= part.at && end <= at + LENGTH + length && length > 0;
    if (isAround && length + more >= 0) changed.writeInt32BE(length + more, at);
  }
  return changed;
}

/** @returns the bytes with their length before them */
export function withLength(body: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}
