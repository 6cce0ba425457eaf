// Prevents concurrent runs: the second run finds the file of the first one and does nothing.

import {
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hasCode } from './file-error.js';

export interface RunLock {
  release(): void;
}

const GRACE_MS = 60_000;

/**
 * Returns the process that holds it, if any. Dead and long overdue processes do not count.
 * @throws Error of the file system, or for a file that is not a lock
 */
export function takeRunLock(
  file: string,
  deadlineMs: number,
  nowMs: number,
): RunLock | { readonly heldBy: string } {
  const content = `${process.pid} ${nowMs + deadlineMs + GRACE_MS}\n`;
  for (let tries = 0; tries < 3; tries += 1) {
    if (create(file, content)) return { release: () => release(file, content) };
    const found = readIfThere(file);
    if (found === undefined) continue;
    if (!isStale(file, found, nowMs)) return { heldBy: holderOf(found) };
    moveAside(file, found);
  }
  return { heldBy: holderOf(readIfThere(file) ?? '') };
}

/** An empty lock is one that another run is writing. */
function holderOf(content: string): string {
  return content.split(' ')[0] || 'another one';
}

function create(file: string, content: string): boolean {
  let handle: number;
  try {
    handle = openSync(file, 'wx');
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  let isWritten = false;
  try {
    writeFileSync(handle, content);
    isWritten = true;
  } finally {
    closeSync(handle);
    // On a full disk, an empty lock would stop the next runs.
    if (!isWritten) rmSync(file, { force: true });
  }
  return true;
}

function readIfThere(file: string): string | undefined {
  try {
    if (!lstatSync(file).isFile()) throw new Error('is not a regular file');
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** @throws Error for a file of another program */
function isStale(file: string, content: string, nowMs: number): boolean {
  const [, pid = '', until = ''] = /^(\d*)(?: (\d*))?\n?$/.exec(content) ?? [];
  if (pid === '' && content !== '') throw new Error('has something else than a lock of zkops');
  if (!content.endsWith('\n')) return isOld(file, nowMs);
  if (nowMs > Number(until)) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

/** A run that died between the creation and the write leaves a part, or nothing. */
function isOld(file: string, nowMs: number): boolean {
  return nowMs - lstatSync(file).mtimeMs > GRACE_MS;
}

/** If two runs find the same stale lock, one moves it, and moves back a lock that is newer. */
function moveAside(file: string, stale: string): void {
  const aside = `${file}.${process.pid}.tmp`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== stale) linkSync(aside, file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function release(file: string, content: string): void {
  if (readIfThere(file) === content) rmSync(file, { force: true });
}
