import { setTimeout as delay } from 'node:timers/promises';
import { ZooKeeperError } from '../../../client/errors.js';

/** What was looked at is not what was written; it may be there at the next look. */
export class NotSeenError extends Error {
  override readonly name = 'NotSeenError';
}

const PAUSE_MS = 10;

function mayComeYet(error: unknown): boolean {
  return (
    error instanceof NotSeenError || (error instanceof ZooKeeperError && error.code === 'NONODE')
  );
}

/**
 * Looks again, behind a sync of its own each time, until `look` holds or `timeoutMs` are over.
 * One look is not enough: Apache's leader answers the sync of its own clients before it has applied
 * what its followers have applied already, so the first read may be one write behind.
 * @throws the error of the last look, or at once one that no waiting mends
 */
export async function seenWithin(timeoutMs: number, look: () => Promise<void>): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (!mayComeYet(error) || performance.now() >= until) throw error;
    }
    await delay(PAUSE_MS);
  }
}
