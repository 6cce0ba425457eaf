// The history file: one entry per line, oldest first, readable only by its owner, shared by all
// shells of a user. Line breaks and backslashes in an entry are escaped.
//
// An append is one write under a lock: without it, a shell that shortens the file could lose
// entries of another shell.

import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeAtomically } from '../../commands/program/atomic-file.js';
import { hasCode } from '../../commands/program/file-error.js';
import { homeFolder } from '../../commands/program/home-folder.js';

export const MAX_HISTORY_ENTRIES = 5000;
/** Longer entries, such as pasted values, are only kept in memory. */
const MAX_STORED_LENGTH = 10_000;
/** The file is shortened when it has this many times as many entries. */
const SLACK = 2;
const LOCK_WAIT_MS = 2000;
const LOCK_STALE_MS = 5000;

/**
 * Undefined if ZKSH_HISTFILE is empty, which disables the file, and without a home: users of
 * services have a home that must never exist (/nonexistent).
 */
export function historyFile(env: NodeJS.ProcessEnv): string | undefined {
  const chosen = env['ZKSH_HISTFILE'];
  if (chosen !== undefined) return chosen === '' ? undefined : chosen;
  const state = env['XDG_STATE_HOME'];
  const home = homeFolder();
  const file = state?.startsWith('/')
    ? join(state, 'zksh', 'history')
    : join(home, '.zksh_history');
  return file.startsWith(join(home, '/')) && !existsSync(home) ? undefined : file;
}

/** Removes earlier duplicates. */
export function remember(history: readonly string[], entry: string): readonly string[] {
  return [...history.filter((older) => older !== entry), entry].slice(-MAX_HISTORY_ENTRIES);
}

export class HistoryFile {
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** Without duplicates, oldest first. @throws the system's error if the file cannot be read */
  async load(): Promise<readonly string[]> {
    const stored = this.read();
    const entries = collapse(stored);
    if (stored.length > MAX_HISTORY_ENTRIES * SLACK) await this.shorten();
    return entries;
  }

  async append(entry: string): Promise<void> {
    if (entry.length > MAX_STORED_LENGTH) return;
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    await this.locked(() => {
      appendFileSync(this.file, `${encode(entry)}\n`, { mode: 0o600 });
      // Correct the mode of an old file, but never that of /dev/null.
      if (statSync(this.file).isFile()) chmodSync(this.file, 0o600);
    });
  }

  private read(): string[] {
    try {
      return readFileSync(this.file, 'utf8').split('\n').filter(Boolean).map(decode);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  private shorten(): Promise<void> {
    return this.locked(() => {
      // Read again: another shell may have appended before this one got the lock.
      const text = collapse(this.read()).map((entry) => `${encode(entry)}\n`);
      writeAtomically(this.file, text.join(''));
      chmodSync(this.file, 0o600);
    });
  }

  private async locked(work: () => void): Promise<void> {
    const lock = `${this.file}.lock`;
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
      if (Date.now() > deadline) throw new Error(`${lock}: held by another shell`);
    }
    if (isStale(lock)) removeIfThere(lock);
    else await delay(5);
  }
}

/** A lock is held only for one write, so an old one belongs to a dead shell. */
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
  // Reversed, because a Set keeps the first of equal entries.
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
