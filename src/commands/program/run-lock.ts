// Prevents concurrent runs: the second run finds the file of the first one and does nothing.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hasCode } from './file-error.js';

export interface RunLock {
  release(): void;
}

/** A run may need time after its deadline to write its result. */
const GRACE_MS = 60_000;

/**
 * Takes the lock, or returns the process that holds it. Takes over the lock of a dead process or of
 * a run that is long past its deadline.
 * @throws Error of the file system
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
    const pid = found.split(' ')[0] ?? '';
    if (!isStale(found, nowMs)) return { heldBy: pid };
    moveAside(file, found);
  }
  return { heldBy: readIfThere(file)?.split(' ')[0] ?? 'another one' };
}

function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isStale(content: string, nowMs: number): boolean {
  const [pid, until] = content.trim().split(' ').map(Number);
  // Another program's file, or a file that is being written: leave it alone.
  if (!pid || !until) return false;
  if (nowMs > until) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

/**
 * Of two runs that find the same stale lock, one moves it; if the other moved a newer lock, it
 * moves it back.
 */
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
