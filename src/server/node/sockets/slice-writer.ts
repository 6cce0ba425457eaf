/** Writes answers that may be long and are made while they are written. */
import type { Writable } from 'node:stream';
import { Fifo } from '../../../protocol/fifo.js';

interface Answer {
  readonly out: Writable;
  readonly slices: Iterator<string>;
  readonly onEnd: (error?: unknown) => void;
}

/** All long answers of a process together take the time of one slice in a turn. */
export class SliceWriter {
  private readonly waiting = new Fifo<Answer>();
  private isScheduled = false;

  /**
   * Takes the next slice when the reader has read the last one.
   * @param onEnd called when all are written, or with the error of a slice; never if `out` closes
   */
  write(out: Writable, slices: Iterator<string>, onEnd: (error?: unknown) => void): void {
    this.wait({ out, slices, onEnd });
  }

  private wait(answer: Answer): void {
    this.waiting.push(answer);
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.turn());
  }

  private turn(): void {
    this.isScheduled = false;
    const answer = this.waiting.shift();
    if (answer === undefined) return;
    this.writeOne(answer);
    if (this.waiting.length === 0 || this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.turn());
  }

  private writeOne(answer: Answer): void {
    const { out, slices, onEnd } = answer;
    if (out.destroyed || out.writableEnded) return;
    try {
      const { value, done } = slices.next();
      if (done === true) onEnd();
      else if (out.write(value)) this.wait(answer);
      else out.once('drain', () => this.wait(answer));
    } catch (error) {
      onEnd(error);
    }
  }
}

export const sliceWriter = new SliceWriter();
