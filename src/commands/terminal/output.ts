import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';

const FLUSH_LENGTH = 64 * 1024;

/** Writes all bytes, then calls back, with the error if it could not. */
type Sink = (bytes: Buffer, done: (error?: Error | null) => void) => void;

/**
 * Standard output of every program. Joins the small pieces of one turn into one write, waits for
 * slow readers, and notices every write that fails. Then it drops the rest, and `ended` aborts: the
 * program stops. A reader that left is not a fault.
 */
export class Output {
  /** Aborts when nothing more can be written. */
  readonly ended: AbortSignal;
  private readonly controller = new AbortController();
  private readonly sink: Sink;
  private pieces: Buffer[] = [];
  private length = 0;
  private inFlight = 0;
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Immediate | undefined;
  private error: NodeJS.ErrnoException | undefined;

  constructor(stream: Writable & { readonly fd?: number }) {
    this.ended = this.controller.signal;
    this.sink = sinkOf(stream);
    stream.on('error', (error) => this.end(error));
  }

  /** The reader closed the pipe. */
  get isGone(): boolean {
    return this.error?.code === 'EPIPE';
  }

  /** Why a write failed, unless the reader left: a full disk. */
  get fault(): NodeJS.ErrnoException | undefined {
    return this.isGone ? undefined : this.error;
  }

  /** Resolves when the stream can take more; never rejects. */
  write(piece: string | Buffer): Promise<void> | void {
    if (piece.length === 0 || this.ended.aborted) return;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.pieces.push(bytes);
    this.length += bytes.length;
    if (this.length + this.inFlight >= FLUSH_LENGTH) return this.flush();
    this.timer ??= setImmediate(() => void this.flush());
  }

  /** Resolves when all text is written, or never will be; never rejects. */
  flush(): Promise<void> {
    if (this.timer !== undefined) clearImmediate(this.timer);
    this.timer = undefined;
    if (this.length > 0 && !this.ended.aborted) this.send();
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private send(): void {
    const bytes = Buffer.concat(this.pieces);
    this.pieces = [];
    this.length = 0;
    this.inFlight += bytes.length;
    this.sink(bytes, (error) => {
      this.inFlight -= bytes.length;
      if (error) this.end(error);
      if (this.inFlight > 0) return;
      for (const resolve of this.waiting.splice(0)) resolve();
    });
  }

  private end(error: NodeJS.ErrnoException): void {
    if (this.ended.aborted) return;
    this.error = error;
    this.pieces = [];
    this.length = 0;
    this.controller.abort();
  }
}

/** Node.js writes once to a file, and ignores that a full disk took only a part. */
function sinkOf(stream: Writable & { readonly fd?: number }): Sink {
  const { fd } = stream;
  if (fd === undefined || !isFile(fd)) return (bytes, done) => void stream.write(bytes, done);
  return (bytes, done) => {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  };
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

/** As a shell reports SIGPIPE. */
const READER_GONE = 141;
const INTERRUPTED = 130;

/**
 * Writes the rest, and says on standard error why output was lost.
 * @param code the status of the program
 * @param faultCode its status if output was lost
 */
export async function closeOutput(
  output: Output,
  name: string,
  code: number,
  faultCode: number,
): Promise<number> {
  await output.flush();
  const { fault } = output;
  // Only a program that was stopped did less than asked.
  if (fault === undefined) return output.isGone && code === INTERRUPTED ? READER_GONE : code;
  const why = fault.message.replace(/, write$/, '');
  process.stderr.write(`${name}: cannot write standard output: ${why}\n`);
  return faultCode;
}

/** A program must not end because nobody can read its errors. */
export function ignoreLostErrors(): void {
  process.stderr.on('error', () => undefined);
}

/**
 * Ends the process as a terminal that hangs up does. Without this, Node.js would abort at the exit,
 * because it cannot restore the settings of a terminal that is gone.
 */
export function endWithTerminal(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  const end = (code: number): void => {
    if (terminals.every((fd) => isatty(fd))) return;
    // The others, such as those that remove files, were registered later.
    for (const listener of process.listeners('exit')) if (listener !== end) listener(code);
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
    // For a program that ignores SIGHUP, as under nohup.
    process.kill(process.pid, 'SIGKILL');
  };
  process.on('exit', end);
}
