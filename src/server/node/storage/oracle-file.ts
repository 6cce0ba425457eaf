/**
 * The file of oraclePath, in which a failure detector says whether this one of two voters may go on
 * alone. "1" says yes. Anything else, and a file that cannot be read, says no.
 */
import { constants, type FileHandle, open } from 'node:fs/promises';
import { messageOf } from '../../../protocol/message-of.js';

/** A longer file says no. */
const MAX_BYTES = 16;

export class OracleFile {
  private readonly path: string;
  private readonly onWarning: (message: string) => void;
  private isReading = false;
  /** Takes the answer of the next reading. */
  private next: ((isGranted: boolean) => void) | null = null;
  private lastProblem = '';

  constructor(path: string, onWarning: (message: string) => void) {
    this.path = path;
    this.onWarning = onWarning;
  }

  /**
   * Reads the file anew, never twice at a time: on a disk that hangs, each reading occupies a
   * thread of those that write the log. Only the last of several waiting questions is answered.
   */
  ask(answer: (isGranted: boolean) => void): void {
    this.next = answer;
    if (this.isReading) return;
    this.readAll().catch((error: unknown) => this.onWarning(`oraclePath: ${messageOf(error)}`));
  }

  private async readAll(): Promise<void> {
    this.isReading = true;
    try {
      for (let answer = this.take(); answer !== null; answer = this.take()) {
        answer(await this.read());
      }
    } finally {
      this.isReading = false;
    }
  }

  private take(): ((isGranted: boolean) => void) | null {
    const { next } = this;
    this.next = null;
    return next;
  }

  private async read(): Promise<boolean> {
    let file: FileHandle | undefined;
    try {
      // Without O_NONBLOCK, the open of a named pipe would wait for its writer.
      file = await open(this.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0);
      const isWhole = bytesRead <= MAX_BYTES;
      this.noteProblem('');
      return isWhole && /^1\s*$/.test(buffer.toString('latin1', 0, bytesRead));
    } catch (error) {
      this.noteProblem(messageOf(error));
      return false;
    } finally {
      await file?.close().catch(() => undefined);
    }
  }

  /** Once, until it changes. */
  private noteProblem(problem: string): void {
    if (problem !== '' && problem !== this.lastProblem) {
      this.onWarning(`oraclePath: ${this.path}: cannot read, which means no: ${problem}`);
    }
    this.lastProblem = problem;
  }
}
