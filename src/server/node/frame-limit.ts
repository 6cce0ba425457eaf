import { LIMITS } from '../limits/limits.js';

/** More than an election ever needs; who sends more is in disorder, and slows the others. */
export const MAX_FRAMES_PER_SECOND = LIMITS.electionFramesPerSecond.value;

/** Counts the frames of an election connection. */
export class FrameLimit {
  private since = 0;
  private count = 0;

  isExceeded(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.since >= 1000) {
      this.since = nowMs;
      this.count = 0;
    }
    return ++this.count > MAX_FRAMES_PER_SECOND;
  }
}
