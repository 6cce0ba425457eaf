import type { ChildProcess } from 'node:child_process';
import { waitFor } from '../../support/wait-for.js';

/** A conversation with a program over its standard input and output. */
export class Dialogue {
  /** The output of each stream so far. */
  out = '';
  err = '';
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  /** The output of both streams, in order of arrival. */
  private text = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (chunk) => {
      this.out += chunk;
      this.text += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      this.err += chunk;
      this.text += chunk;
    });
    // The output shows whether it ended early, so ignore a broken pipe.
    child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => resolve(code));
    });
  }

  say(...lines: readonly string[]): void {
    this.child.stdin?.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Waits until the output since the last `say` matches. Returns that output. */
  async ask(line: string, answer: RegExp): Promise<string> {
    const from = this.text.length;
    this.say(line);
    await waitFor(`an answer to "${line}" like ${answer}, so far: ${this.text.slice(from)}`, () =>
      answer.test(this.text.slice(from)),
    );
    return this.text.slice(from);
  }

  /** Ends its input. Resolves with its exit code. */
  finish(): Promise<number | null> {
    this.child.stdin?.end();
    return this.ended;
  }

  kill(): Promise<number | null> {
    this.child.kill('SIGKILL');
    return this.ended;
  }
}
