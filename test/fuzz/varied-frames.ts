/** Frames of the client protocol in which one text differs from repeat to repeat. */

export interface TextField {
  /** The start of its frame, with the length. */
  readonly frame: number;
  /** The start of the text, after its length. */
  readonly at: number;
  readonly length: number;
}

const DIGITS = 6;
/** After the length, the xid, and the type. */
const HEAD = 12;

/** Bytes that look like a text with its length, in the complete frames. */
export function textsOf(frames: Buffer): TextField[] {
  const found: TextField[] = [];
  for (let frame = 0; frame + 4 <= frames.length; ) {
    const end = frame + 4 + frames.readInt32BE(frame);
    if (end < frame + 4 || end > frames.length) break;
    for (let at = frame + HEAD + 4; at < end; at++) {
      const length = frames.readInt32BE(at - 4);
      if (length < 1 || at + length > end || !isText(frames.subarray(at, at + length))) continue;
      found.push({ frame, at, length });
      at += length;
    }
    frame = end;
  }
  return found;
}

function isText(bytes: Buffer): boolean {
  return bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
}

/** The frames with the number at the end of that text. */
export function withCounter(frames: Buffer, field: TextField, number: number): Buffer {
  const { frame, at, length } = field;
  const counter = Buffer.from(number.toString(36).padStart(DIGITS, '0'));
  const end = at + length;
  const varied = Buffer.concat([frames.subarray(0, end), counter, frames.subarray(end)]);
  varied.writeInt32BE(length + counter.length, at - 4);
  varied.writeInt32BE(varied.readInt32BE(frame) + counter.length, frame);
  return varied;
}
