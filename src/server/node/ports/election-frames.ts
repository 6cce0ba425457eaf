/** Decodes the frames of an election connection and enforces their limits. */
import { FrameDecoder, FrameTooLongError } from '../../../jute/frame-decoder.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';

const MAX_LENGTH = LIMITS.electionFrameLength.value;
/** More than an election needs; a faster sender is broken, and slows the others. */
const MAX_PER_SECOND = LIMITS.electionFramesPerSecond.value;

export class ElectionFrames {
  private readonly decoder: FrameDecoder;
  private readonly onLimit: (limit: LimitName) => void;
  private secondBeganMs = 0;
  private count = 0;

  constructor(onFrame: (frame: Buffer) => void, onLimit: (limit: LimitName) => void) {
    this.onLimit = onLimit;
    this.decoder = new FrameDecoder(MAX_LENGTH, (bytes, start, end) => {
      if (start === end) throw new Error('an empty frame');
      this.countFrame();
      onFrame(Buffer.from(bytes.subarray(start, end)));
    });
  }

  /** @throws Error with the fault; no further frame is passed on then */
  push(bytes: Buffer): void {
    try {
      this.decoder.push(bytes);
    } catch (error) {
      this.decoder.stop();
      if (error instanceof FrameTooLongError) this.onLimit('electionFrameLength');
      throw error;
    }
  }

  private countFrame(): void {
    const nowMs = performance.now();
    if (nowMs - this.secondBeganMs >= 1000) {
      this.secondBeganMs = nowMs;
      this.count = 0;
    }
    if (++this.count <= MAX_PER_SECOND) return;
    this.onLimit('electionFramesPerSecond');
    throw new Error(`over ${MAX_PER_SECOND} frames a second`);
  }
}

export function framed(frame: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(4 + frame.length);
  bytes.writeInt32BE(frame.length, 0);
  frame.copy(bytes, 4);
  return bytes;
}
