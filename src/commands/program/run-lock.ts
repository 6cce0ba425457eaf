// Prevents concurrent runs: the second run finds the file of the first one and does nothing.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hasCode } from './file-error.js';

export interface RunLock {
  release(): void;
}

const GRACE_MS = 60_000;

/** Returns the process that holds it, if any. Dead and long overdue processes do not count. */
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
  // Another program owns this file, or a run is writing it: do not touch it.
  if (!pid || !until) return false;
  if (nowMs > until) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
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
