/** Writes answers that may be long and are made while they are written. */
import type { Writable } from 'node:stream';
import { Fifo } from '../../../base/fifo.js';

interface Answer {
  readonly out: Writable;
  readonly slices: Iterator<string>;
  readonly onEnd: (error?: unknown) => void;
}

/** All long answers of a process together take the time of one slice in a turn. */
export class SliceWriter {
  /** Each of them takes a turn, unless it returns false: nobody waits for it anymore. */
  private readonly waiting = new Fifo<() => boolean>();
  private isScheduled = false;

  /**
   * Takes the next slice when the reader has read the last one.
   * @param onEnd called when all are written, or with the error of a slice; never if `out` closes
   */
  write(out: Writable, slices: Iterator<string>, onEnd: (error?: unknown) => void): void {
    const answer = { out, slices, onEnd };
    this.wait(() => this.writeOne(answer));
  }

  /**
   * Waits for the turn of an answer that is made at once, which may be long, too. Returns false if
   * it is not wanted anymore: it takes no turn, or closed connections would pile up.
   */
  turnCame(isWanted: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      this.wait(() => {
        const isNow = isWanted();
        resolve(isNow);
        return isNow;
      });
    });
  }

  private wait(task: () => boolean): void {
    this.waiting.push(task);
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.turn());
  }

  private turn(): void {
    this.isScheduled = false;
    while (this.waiting.shift()?.() === false);
    if (this.waiting.length === 0 || this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.turn());
  }

  private writeOne(answer: Answer): boolean {
    const { out, slices, onEnd } = answer;
    const goOn = (): void => this.wait(() => this.writeOne(answer));
    if (out.destroyed || out.writableEnded) return false;
    try {
      const { value, done } = slices.next();
      if (done === true) onEnd();
      else if (out.write(value)) goOn();
      else out.once('drain', goOn);
    } catch (error) {
      onEnd(error);
    }
    return true;
  }
}

export const sliceWriter = new SliceWriter();
