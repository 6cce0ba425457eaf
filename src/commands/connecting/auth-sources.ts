import { readFile, stat } from 'node:fs/promises';
import { CommandError, ExitCode } from '../program/command-error.js';

/**
 * The first line of a file that only its owner may read: user:password.
 * @throws CommandError USAGE
 */
export async function readAuthFile(file: string): Promise<string> {
  let text: string;
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) {
      throw fault(`${file} can be read by others than its owner`, `chmod 600 ${file}`);
    }
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw fault(`cannot read credentials from ${file}: ${why}`);
  }
  const [line = ''] = text.split(/\r?\n/);
  if (!line.includes(':')) throw fault(`${file} holds no user:password in its first line`);
  return line;
}

/**
 * Asks for the password of a user, at the terminal, and shows nothing of it.
 * @returns user:password
 * @throws CommandError USAGE without a terminal, INTERRUPTED for Ctrl-C
 */
export async function askAuth(user: string): Promise<string> {
  if (process.stdin.isTTY !== true) {
    throw fault(
      'there is no terminal to ask for a password',
      'give it in ZKSH_AUTH, or in a file with --auth-file',
    );
  }
  return `${user}:${await askHidden(`password of ${user}: `)}`;
}

/**
 * Asks at the terminal, which must be one, and shows nothing of the answer.
 * @throws CommandError INTERRUPTED for Ctrl-C
 */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    return await readHidden(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

const INTERRUPTS = new Set(['\x03', '\x04']);

function readHidden(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    const line = new HiddenLine();
    const onData = (chunk: Buffer) => {
      const end = line.type(chunk.toString());
      if (end === undefined) return;
      stdin.off('data', onData);
      if (end === 'interrupted') reject(interrupted());
      else resolve(line.text);
    };
    stdin.on('data', onData);
    stdin.resume();
  });
}

/** A line typed without being shown. */
export class HiddenLine {
  #typed: string[] = [];

  get text(): string {
    return this.#typed.join('');
  }

  /** How it ended, if it did: by Enter, or by Ctrl-C or Ctrl-D. */
  type(chars: string): 'entered' | 'interrupted' | undefined {
    for (const char of chars) {
      if (char === '\r' || char === '\n') return 'entered';
      if (INTERRUPTS.has(char)) return 'interrupted';
      if (char === '\x7f' || char === '\b') this.#typed.pop();
      else if (char === '\x15') this.#typed = [];
      else this.#typed.push(char);
    }
    return undefined;
  }
}

function interrupted(): CommandError {
  return new CommandError('no password was given', {
    code: 'INTERRUPTED',
    exitCode: ExitCode.interrupted,
  });
}

function fault(sentence: string, hint?: string): CommandError {
  return new CommandError(sentence, { code: 'USAGE', exitCode: ExitCode.usage, hint });
}
