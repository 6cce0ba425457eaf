/**
 * A hold by an ephemeral znode, and the detection of its loss. A client learns late that its
 * session expired, when another process may be the holder. So the hold counts as lost earlier: when
 * the client is disconnected for 1/6 of the session timeout, or when no server has answered for
 * 5/6. A client leaves a silent server after 2/3. Half of the remaining 1/3 covers the travel time
 * of the last answer. A process that was stopped loses its hold when it continues.
 */
import type { ClientState, WatchEvent } from '../../client/base/client.js';
import { endOfSession, isCode } from '../../client/base/errors.js';
import { RecipeError } from './errors.js';
import { retried, type Wait, watchSession } from './session.js';
import type { Znode } from './znodes.js';

const GRACE_PART = 1 / 6;
const LONGEST_SILENCE_PART = 5 / 6;
/** A waiter writes it into a holder's znode (Recipes page, "Revocable Shared Locks"). */
export const UNLOCK = Buffer.from('unlock');

export interface Hold {
  /** The czxid of the znode: each new znode has a greater one. */
  readonly fencingToken: bigint;
  /** Aborted with a RecipeError ELOST when the hold is lost or may be lost. */
  readonly signal: AbortSignal;
  /** Aborted when another process writes `unlock` into the znode. */
  readonly revoked: AbortSignal;
  abort(reason: unknown): void;
  stop(): void;
}

export interface HoldOptions {
  readonly revoked?: AbortController | undefined;
  /**
   * Whether it only orders waits, and protects nothing: then it lasts as long as its session, and
   * not only as long as a server is reachable. Default false.
   */
  readonly isPlace?: boolean | undefined;
}

/** Watches the znode of `wait` during the hold. @throws RecipeError ELOST if it does not exist */
export async function hold(
  { client, path, signal: limit }: Wait,
  { revoked = new AbortController(), isPlace = false }: HoldOptions = {},
): Promise<Hold> {
  const lost = new AbortController();
  const released = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    released.abort();
    unwatch();
    clearTimeout(timer);
    timer = undefined;
  };
  const lose = (why: string, cause?: unknown): void => {
    stop();
    lost.abort(new RecipeError('ELOST', path, why, cause));
  };
  const judge = (state: ClientState, reason?: Error): void => {
    const end = endOfSession(state, path, reason);
    if (end !== undefined) {
      lose('the session has ended', end);
    } else if (isPlace || state === 'connected') {
      clearTimeout(timer);
      timer = undefined;
    } else {
      const { sessionTimeoutMs: ofMs, silentMs } = client;
      const graceMs = Math.min(ofMs * GRACE_PART, ofMs * LONGEST_SILENCE_PART - silentMs);
      const why = 'no server is reachable; the session may expire';
      if (graceMs <= 0) lose(why, reason);
      else timer ??= setTimeout(lose, graceMs, why, reason);
    }
  };
  const unwatch = watchSession(client, judge);
  judge(client.state);

  const watch = (event: WatchEvent): void => {
    if (released.signal.aborted) return;
    if (event.type === 'NodeDeleted') lose('its znode was deleted');
    else guard(released.signal).catch(cannotWatch);
  };
  const cannotWatch = (error: unknown): void => {
    if (released.signal.aborted) return;
    const isDeleted = isCode(error, 'NONODE');
    lose(isDeleted ? 'its znode was deleted' : 'its watch cannot be set', error);
  };
  const guard = async (signal: AbortSignal | undefined): Promise<Znode> => {
    const found = await retried({ client, path, signal }, (call) =>
      client.getData(path, { watch, ...call }),
    );
    if (found.data?.equals(UNLOCK)) revoked.abort();
    return found;
  };
  try {
    const { stat } = await guard(limit);
    lost.signal.throwIfAborted();
    return {
      fencingToken: stat.czxid,
      signal: lost.signal,
      revoked: revoked.signal,
      abort: (reason) => lost.abort(reason),
      stop,
    };
  } catch (error) {
    stop();
    if (!isCode(error, 'NONODE')) throw error;
    throw new RecipeError('ELOST', path, 'its znode was deleted', error);
  }
}
