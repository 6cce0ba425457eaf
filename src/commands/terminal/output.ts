import type { Writable } from 'node:stream';

const FLUSH_LENGTH = 64 * 1024;

/**
 * Standard output of a script. Joins the small pieces of one turn into one write, and waits for
 * slow readers. When the reader leaves, it calls `onGone` once and drops the rest.
 */
export class Output {
  readonly #stream: Writable;
  #pieces: Buffer[] = [];
  #length = 0;
  #timer: NodeJS.Immediate | undefined;
  #isGone = false;

  constructor(stream: Writable, onGone: () => void) {
    this.#stream = stream;
    stream.on('error', () => {
      if (this.#isGone) return;
      this.#isGone = true;
      onGone();
    });
  }

  /** Resolves when the stream can take more. */
  write(piece: string | Buffer): Promise<void> | void {
    if (piece.length === 0 || this.#isGone) return;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    if (this.#length >= FLUSH_LENGTH) return this.flush();
    this.#timer ??= setImmediate(() => void this.flush());
  }

  /** Resolves when all text is written; never rejects. */
  flush(): Promise<void> {
    if (this.#timer !== undefined) clearImmediate(this.#timer);
    this.#timer = undefined;
    if (this.#length === 0 || this.#isGone) return Promise.resolve();
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return new Promise((resolve) => {
      this.#stream.write(bytes, () => resolve());
    });
  }
}
