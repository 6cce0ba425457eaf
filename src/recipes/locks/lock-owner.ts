import { checkLoopOptions } from '../base/arguments.js';
import { type LoopOptions, limited, type WaitOptions } from '../base/limit.js';
import type { Line } from '../base/sequence-node.js';
import type { Znode } from '../base/znodes.js';
import { firstPlace, firstPlaces } from './first-place.js';

/** The first place in the line of a lock. */
export interface LockOwner {
  /** As the owner knows it (Held.fencingToken). */
  readonly fencingToken: bigint;
  /** The session of the owner. */
  readonly sessionId: bigint;
  /** When it entered the line, in milliseconds since 1970 by the clock of the server. */
  readonly enteredAt: number;
}

function ownerOf({ stat }: Znode): LockOwner {
  const { czxid, ephemeralOwner, ctime } = stat;
  return { fencingToken: czxid, sessionId: ephemeralOwner, enteredAt: Number(ctime) };
}

/** See Lock.owner. */
export function readOwner(line: Line, options: WaitOptions): Promise<LockOwner | undefined> {
  const { client, parent } = line;
  return limited(options, { client, path: parent }, 'no answer', async (signal) => {
    const place = await firstPlace(line, { client, path: parent, signal });
    return place && ownerOf(place);
  });
}

/** See Lock.owners. */
export function watchOwner(
  line: Line,
  options: LoopOptions,
): AsyncGenerator<LockOwner | undefined, never> {
  const { signal } = checkLoopOptions(options);
  return firstPlaces(line, signal, ownerOf, (a, b) => a.fencingToken === b.fencingToken);
}
