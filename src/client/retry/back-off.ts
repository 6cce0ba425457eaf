import { setTimeout as pause } from 'node:timers/promises';

const LONGEST_MS = 250;

/**
 * A pause after a write that lost against another writer, at random and longer each time: without
 * it, many writers keep disturbing each other. An abort ends it; the next request rejects.
 * @param attempt the number of attempts so far
 */
export async function backOff(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  const mostMs = Math.min(2 ** attempt, LONGEST_MS);
  const limit = signal === undefined ? {} : { signal };
  await pause(Math.random() * mostMs, undefined, limit).catch(() => undefined);
}
