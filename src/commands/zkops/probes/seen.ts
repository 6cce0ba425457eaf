import { setTimeout as delay } from 'node:timers/promises';
import { ZooKeeperError } from '../../../client/base/errors.js';

/** A read did not return the written value yet, but a later read may. */
export class NotSeenError extends Error {
  override readonly name = 'NotSeenError';
}

const PAUSE_MS = 10;

function mayAppearLater(error: unknown): boolean {
  return (
    error instanceof NotSeenError || (error instanceof ZooKeeperError && error.code === 'NONODE')
  );
}

/**
 * Repeats a sync and `read` until `read` succeeds or `timeoutMs` have passed. The first read may
 * lag by one write: Apache's leader answers the sync of its own clients before it applies the last
 * commit.
 * @throws the last error of `read`, or at once an error that does not pass
 */
export async function seenWithin(timeoutMs: number, read: () => Promise<void>): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!mayAppearLater(error) || performance.now() >= until) throw error;
    }
    await delay(PAUSE_MS);
  }
}
