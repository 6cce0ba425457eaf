// The history file: one entry a line, oldest first, readable by its owner alone, shared by all
// shells of a person. Line breaks and backslashes inside an entry are escaped.
//
// An append is one write, made under a lock file: without it, a shell that shortens the file by
// replacing it would lose what another appends to the old one meanwhile.
import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Entries kept in memory, and in the file when it is shortened. */
export const MAX_HISTORY_ENTRIES = 5000;
/** Longer entries, a pasted value for instance, are recalled in this shell but not stored. */
const MAX_STORED_LENGTH = 10_000;
/** The file may grow to twice the entries kept before it is shortened. */
const SLACK = 2;
const LOCK_WAIT_MS = 2000;
const LOCK_STALE_MS = 5000;

/**
 * ZKSH_HISTFILE, or `zksh/history` in XDG_STATE_HOME, or `~/.zksh_history`. Undefined when
 * ZKSH_HISTFILE is set and empty: then nothing is stored.
 */
export function historyFile(env: NodeJS.ProcessEnv): string | undefined {
  const chosen = env['ZKSH_HISTFILE'];
  if (chosen !== undefined) return chosen === '' ? undefined : chosen;
  const state = env['XDG_STATE_HOME'];
  if (state?.startsWith('/')) return join(state, 'zksh', 'history');
  return join(homedir(), '.zksh_history');
}

/** The history with one more entry, which then stands at its end only. */
export function remember(history: readonly string[], entry: string): readonly string[] {
  return [...history.filter((older) => older !== entry), entry].slice(-MAX_HISTORY_ENTRIES);
}

export class HistoryFile {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * The stored entries without repetitions, oldest first; none when there is no file yet.
   * Shortens the file when it has grown too long.
   * @throws the system's error when the file is there and cannot be read
   */
  async load(): Promise<readonly string[]> {
    const stored = this.#read();
    const entries = collapse(stored);
    if (stored.length > MAX_HISTORY_ENTRIES * SLACK) await this.#shorten();
    return entries;
  }

  /** @throws the system's error, when the file cannot be written */
  async append(entry: string): Promise<void> {
    if (entry.length > MAX_STORED_LENGTH) return;
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    await this.#locked(() => {
      appendFileSync(this.#file, `${encode(entry)}\n`, { mode: 0o600 });
      // The mode above counts for a new file only.
      chmodSync(this.#file, 0o600);
    });
  }

  #read(): string[] {
    try {
      return readFileSync(this.#file, 'utf8').split('\n').filter(Boolean).map(decode);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  #shorten(): Promise<void> {
    return this.#locked(() => {
      // Read again: another shell may have appended before the lock was ours.
      const text = collapse(this.#read()).map((entry) => `${encode(entry)}\n`);
      const draft = `${this.#file}.${process.pid}`;
      writeFileSync(draft, text.join(''), { mode: 0o600 });
      renameSync(draft, this.#file);
    });
  }

  async #locked(work: () => void): Promise<void> {
    const lock = `${this.#file}.lock`;
    await acquire(lock);
    try {
      work();
    } finally {
      removeIfThere(lock);
    }
  }
}

async function acquire(lock: string): Promise<void> {
  const deadline = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx', 0o600));
      return;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      if (Date.now() > deadline) throw new Error(`${lock} is held by another shell`);
    }
    if (isStale(lock)) removeIfThere(lock);
    else await delay(5);
  }
}

/** A lock is held for one write; an old one was left by a shell that died. */
function isStale(lock: string): boolean {
  try {
    return Date.now() - statSync(lock).mtimeMs > LOCK_STALE_MS;
  } catch {
    return false;
  }
}

function removeIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function collapse(entries: readonly string[]): readonly string[] {
  // A Set keeps the place of the first of equals; reversed, that is the last.
  const latestFirst = new Set([...entries].reverse());
  return [...latestFirst].slice(0, MAX_HISTORY_ENTRIES).reverse();
}

function encode(entry: string): string {
  return entry.replace(/[\\\n\r]/g, (char) => `\\${ESCAPES[char] ?? char}`);
}

function decode(line: string): string {
  return line.replace(/\\(.)/g, (_, letter: string) => UNESCAPES[letter] ?? letter);
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r' };
const UNESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r' };

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
