import type { ClientOutput } from './client-port.js';

/** Sends replies to clients late or never, for tests of clients. */
export class FaultyOutput implements ClientOutput {
  delayMs = 0;
  isDropping = false;
  private readonly output: ClientOutput;
  /** When the last delayed output is due, since the order must not change. */
  private dueMs = 0;

  constructor(output: ClientOutput) {
    this.output = output;
  }

  send(id: number, bytes: Buffer): void {
    if (!this.isDropping) this.inTurn(() => this.output.send(id, bytes));
  }

  close(id: number): void {
    this.inTurn(() => this.output.close(id));
  }

  finish(id: number, slices: Iterator<string>): void {
    this.inTurn(() => this.output.finish(id, slices));
  }

  hold(id: number): void {
    this.output.hold(id);
  }

  release(id: number): void {
    this.output.release(id);
  }

  awaitReading(id: number): void {
    this.output.awaitReading(id);
  }

  private inTurn(act: () => void): void {
    const nowMs = performance.now();
    this.dueMs = Math.max(this.dueMs, nowMs + this.delayMs);
    const waitMs = this.dueMs - nowMs;
    if (waitMs > 0) setTimeout(act, Math.ceil(waitMs));
    else act();
  }
}
