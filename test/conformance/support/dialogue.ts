import type { ChildProcess } from 'node:child_process';
import { waitFor } from '../../support/wait-for.js';

/** A talk with a program over its standard input and output. */
export class Dialogue {
  /** What it wrote so far on each stream. */
  out = '';
  err = '';
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  /** Of both streams, as it came. */
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
    // One that ended early says so by its output; a broken pipe tells nothing more.
    child.stdin?.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => resolve(code));
    });
  }

  say(...lines: readonly string[]): void {
    this.child.stdin?.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Waits until what it wrote since `say` was called matches; returns all it wrote since. */
  async ask(line: string, answer: RegExp): Promise<string> {
    const from = this.text.length;
    this.say(line);
    await waitFor(`an answer to "${line}" like ${answer}, so far: ${this.text.slice(from)}`, () =>
      answer.test(this.text.slice(from)),
    );
    return this.text.slice(from);
  }

  /** Ends its input; resolves with its exit code. */
  finish(): Promise<number | null> {
    this.child.stdin?.end();
    return this.ended;
  }

  kill(): Promise<number | null> {
    this.child.kill('SIGKILL');
    return this.ended;
  }
}
