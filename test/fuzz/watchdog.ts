import { Worker } from 'node:worker_threads';

const MAX_INPUT = 1 << 16;
/** An input that takes this long counts as endless. */
const HANG_MS = 60_000;

/** In a separate thread, which still runs if the tested code never returns. */
const THREAD = `
const { workerData } = require('node:worker_threads');
const { writeFileSync, mkdirSync } = require('node:fs');
const { shared, folder, hangMs } = workerData;
const numbers = new Int32Array(shared, 0, 2);
let last = -1;
let sinceMs = Date.now();
setInterval(() => {
  const now = Atomics.load(numbers, 0);
  if (now !== last || now === 0) { last = now; sinceMs = Date.now(); return; }
  if (Date.now() - sinceMs < hangMs) return;
  mkdirSync(folder, { recursive: true });
  const path = folder + '/hang-' + process.pid;
  writeFileSync(path, Buffer.from(shared, 8, Atomics.load(numbers, 1)));
  require('node:fs').writeSync(2, 'hang: ' + path + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, 1000).unref();
setInterval(() => {}, 1 << 30);
`;

/** Ends the process if an input hangs, and leaves the input in a file. */
export class Watchdog {
  private readonly shared = new SharedArrayBuffer(MAX_INPUT + 8);
  private readonly numbers = new Int32Array(this.shared, 0, 2);
  private readonly bytes = new Uint8Array(this.shared, 8);
  private readonly worker: Worker;
  private count = 0;

  constructor(folder: string) {
    const workerData = { shared: this.shared, folder, hangMs: HANG_MS };
    this.worker = new Worker(THREAD, { eval: true, workerData });
    this.worker.unref();
  }

  readonly announce = (input: Buffer): void => {
    const part = input.subarray(0, MAX_INPUT);
    this.bytes.set(part);
    this.numbers[1] = part.length;
    this.count = (this.count + 1) | 0 || 1;
    Atomics.store(this.numbers, 0, this.count);
  };

  async close(): Promise<void> {
    await this.worker.terminate();
  }
}
