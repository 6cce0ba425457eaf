import { checkSignal } from '../../protocol/check-argument.js';
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
export async function readOwner(line: Line): Promise<LockOwner | undefined> {
  const wait = { client: line.client, path: line.parent };
  const place = await firstPlace(line, wait, () => undefined);
  return place && ownerOf(place);
}

/** See Lock.owners. */
export function watchOwner(
  line: Line,
  signal: AbortSignal | undefined,
): AsyncGenerator<LockOwner | undefined, never> {
  checkSignal('signal', signal);
  return firstPlaces(line, signal, ownerOf, (a, b) => a.fencingToken === b.fencingToken);
}
