import { JuteError } from './jute-error.js';
import { getInt } from './long.js';

export class FrameTooLongError extends JuteError {
  /** In bytes. */
  readonly length: number;

  constructor(message: string, length: number) {
    super(message);
    this.length = length;
  }
}

/** Receives a frame: `bytes` between `start` and `end`, valid only during the call. */
export type FrameHandler = (bytes: Buffer, start: number, end: number) => void;

/** The first bytes of a frame that is too long, which may be passed on in its place. */
export const FRAME_HEAD_SIZE = 8;

/** What to do with frames of more than `maxLength` bytes. */
export interface LongFrames {
  /** Longer ones are errors. */
  readonly maxSkipped: number;
  /**
   * May change the head, which is passed on as the frame once the rest was skipped.
   * @throws JuteError if the frame is an error after all
   */
  begin(head: Buffer, length: number): void;
}

interface SkippedFrame {
  readonly length: number;
  readonly head: Buffer;
  /** Its bytes that came; less than `length`. */
  taken: number;
}

/**
 * Cuts a byte stream into frames of {int length, length bytes}. A push parser: it keeps only a
 * cursor and the unfinished rest. A frame inside one chunk is passed on in place; a frame that
 * spans chunks is copied, at most `maxLength` bytes.
 *
 * ```
 *   chunk:  [len|.....frame.....][len|..frame..][len|..fra      <- the rest is kept
 *   next:   me.....][len|...
 * ```
 */
export class FrameDecoder {
  private readonly maxLength: number;
  private readonly onFrame: FrameHandler;
  /** The frame that spans chunks, with its length; null outside of one. */
  private rest: Buffer | null = null;
  /** The bytes of `rest` that came; 0 without it. */
  private restLength = 0;
  /** Null: a frame that is too long is an error. */
  longFrames: LongFrames | null = null;
  /** The frame that is being skipped; null outside of one. */
  private skipped: SkippedFrame | null = null;
  /** While true, no frame is passed on. */
  isHeld = false;
  /** No frame is passed on anymore; stays true. */
  private isStopped = false;
  /** Frames to repeat before any other, in reverse order. */
  private returned: Buffer[] | null = null;
  /** Chunks that arrived while held. */
  private waiting: Buffer[] | null = null;

  /**
   * @param maxLength longest frame in bytes (jute.maxbuffer); a longer one, without `longFrames`,
   * or a negative length throws a JuteError, and the stream is unusable then
   */
  constructor(maxLength: number, onFrame: FrameHandler) {
    this.maxLength = maxLength;
    this.onFrame = onFrame;
  }

  get pending(): number {
    return this.restLength;
  }

  /** Stops passing on frames, even of the current chunk. */
  stop(): void {
    this.isStopped = true;
    this.rest = null;
    this.restLength = 0;
    this.skipped = null;
    this.waiting = null;
    this.returned = null;
  }

  /** Takes back frames. After `release`, the next push passes them on first, in this order. */
  putBack(frames: readonly Buffer[]): void {
    if (this.isStopped) return;
    this.returned = [...(this.returned ?? []), ...frames.toReversed()];
  }

  /** Takes back a frame that comes after those that were taken back before. */
  putLast(frame: Buffer): void {
    if (!this.isStopped) this.returned = [frame, ...(this.returned ?? [])];
  }

  /** Stops passing on frames until `release`. Keeps later chunks without a copy. */
  hold(): void {
    this.isHeld = true;
  }

  /** The next push passes on the kept chunks before its own. */
  release(): void {
    this.isHeld = false;
  }

  push(chunk: Buffer): void {
    while (!this.isHeld) {
      const frame = this.returned?.pop();
      if (frame === undefined) break;
      this.onFrame(frame, 0, frame.length);
    }
    if (!this.isHeld && this.waiting === null) {
      this.cut(chunk);
      return;
    }
    if (chunk.length > 0 && !this.isStopped) this.wait().push(chunk);
    while (!this.isHeld) {
      const next = this.waiting?.shift();
      if (next === undefined) {
        this.waiting = null;
        return;
      }
      this.cut(next);
    }
  }

  private cut(chunk: Buffer): void {
    let at = 0;
    while (this.rest !== null && at < chunk.length) at = this.fillRest(chunk, at);
    if (this.skipped !== null) at = this.skip(this.skipped, chunk, at);
    while (!this.isStopped && !this.isHeld && chunk.length - at >= 4) {
      const length = this.checkedLength(getInt(chunk, at));
      if (length > this.maxLength) {
        at = this.skip(this.beginSkip(length), chunk, at + 4);
        continue;
      }
      const end = at + 4 + length;
      if (end > chunk.length) break;
      this.onFrame(chunk, at + 4, end);
      at = end;
    }
    if (this.isStopped || at === chunk.length) return;
    if (this.isHeld) this.wait().unshift(chunk.subarray(at));
    else this.keep(chunk, at);
  }

  private wait(): Buffer[] {
    this.waiting ??= [];
    return this.waiting;
  }

  /** Completes the frame of earlier chunks. @returns its end in `chunk` */
  private fillRest(chunk: Buffer, at: number): number {
    let rest = this.rest as Buffer;
    if (this.restLength < 4) {
      const taken = chunk.copy(rest, this.restLength, at, at + 4 - this.restLength);
      this.restLength += taken;
      if (this.restLength < 4) return at + taken;
      const length = this.checkedLength(getInt(rest, 0));
      if (length > this.maxLength) {
        this.rest = null;
        this.restLength = 0;
        this.beginSkip(length);
        return at + taken;
      }
      rest = grow(rest, 4, 4 + length);
      this.rest = rest;
      if (length > 0) return at + taken;
      this.deliver(rest, 4);
      return at + taken;
    }
    const total = 4 + getInt(rest, 0);
    const taken = chunk.copy(rest, this.restLength, at, at + total - this.restLength);
    this.restLength += taken;
    if (this.restLength === total) this.deliver(rest, total);
    return at + taken;
  }

  private beginSkip(length: number): SkippedFrame {
    this.skipped = { length, head: Buffer.allocUnsafe(FRAME_HEAD_SIZE), taken: 0 };
    return this.skipped;
  }

  /** @returns where the frame ends in the chunk, or the end of the chunk */
  private skip(frame: SkippedFrame, chunk: Buffer, at: number): number {
    const { head, length, taken } = frame;
    const end = Math.min(chunk.length, at + length - taken);
    frame.taken += end - at;
    if (taken < FRAME_HEAD_SIZE) {
      chunk.copy(head, taken, at, end);
      if (frame.taken >= FRAME_HEAD_SIZE) this.longFrames?.begin(head, length);
    }
    if (frame.taken < length) return end;
    this.skipped = null;
    if (!this.isStopped) this.onFrame(head, 0, FRAME_HEAD_SIZE);
    return end;
  }

  private deliver(frame: Buffer, end: number): void {
    this.rest = null;
    this.restLength = 0;
    if (!this.isStopped) this.onFrame(frame, 4, end);
  }

  private keep(chunk: Buffer, at: number): void {
    const available = chunk.length - at;
    const size = available >= 4 ? 4 + getInt(chunk, at) : 4;
    this.rest = Buffer.allocUnsafe(size);
    this.restLength = chunk.copy(this.rest, 0, at);
  }

  private checkedLength(length: number): number {
    const isSkipped = length >= FRAME_HEAD_SIZE && length <= (this.longFrames?.maxSkipped ?? 0);
    if (length < 0 || (length > this.maxLength && !isSkipped)) {
      const message = `frame length ${length} is not between 0 and ${this.maxLength}`;
      throw length < 0 ? new JuteError(message) : new FrameTooLongError(message, length);
    }
    return length;
  }
}

function grow(from: Buffer, used: number, size: number): Buffer {
  const grown = Buffer.allocUnsafe(size);
  from.copy(grown, 0, 0, used);
  return grown;
}
