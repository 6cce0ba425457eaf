/**
 * What is held by whoever has the turn of a queue, and how it is noticed to be lost. A client learns
 * of its expiry only when it reaches a server again, by when someone else may have the turn. So it
 * counts as lost earlier: when the connection is gone for a sixth of the session's timeout. A client
 * leaves a silent server after two thirds of the timeout; half of the third that remains is for the
 * way of the last answer, from which on the server and the client count.
 */
import type { ClientState, WatchEvent } from '../client/client.js';
import type { Stat } from '../protocol/data.js';
import { RecipeError } from './errors.js';
import { type Queue, SequenceNode } from './sequence-node.js';
import { endOfSession, hasCode, retried, watchSession } from './session.js';

const GRACE_PART = 6;

export interface TurnOptions {
  /** Ends the waiting, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Waits for so long and then rejects with a RecipeError ETIMEDOUT. Default: without end. */
  readonly timeoutMs?: number;
}

export interface Turn {
  /** The czxid of the znode: greater for every later holder. */
  readonly fencingToken: bigint;
  /** Aborted when the turn is lost, or may be; its reason is a RecipeError ELOST. */
  readonly signal: AbortSignal;
  /** Aborts the signal, and leaves the turn where it is. */
  abort(reason: unknown): void;
  /** Gives the turn to the next; see SequenceNode.leave. */
  leave(): Promise<void>;
}

/**
 * Queues up and resolves when the turn has come. When it rejects, its znode is taken out in the
 * background, after a lost connection too, for as long as the session lives.
 */
export async function takeTurn(
  queue: Queue,
  data: Buffer,
  { signal, timeoutMs }: TurnOptions,
): Promise<Turn> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const abort = (): void => limit.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  const timer = timeoutMs === undefined ? undefined : setTimeout(timeOut, timeoutMs);
  const node = new SequenceNode(queue);
  function timeOut(): void {
    const message = `${queue.parent}: the turn did not come within ${timeoutMs} ms`;
    limit.abort(new RecipeError('ETIMEDOUT', message));
  }
  try {
    await node.enter(data, limit.signal);
    await node.waitForTurn(limit.signal);
    return await holdTurn(queue, node, limit.signal);
  } catch (error) {
    // The caller is told why it has no turn; a znode that cannot be deleted goes with the session.
    node.leave().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

async function holdTurn(queue: Queue, node: SequenceNode, limit: AbortSignal): Promise<Turn> {
  const { client } = queue;
  const { path } = node;
  const lost = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    unwatch();
    clearTimeout(timer);
    timer = undefined;
  };
  const lose = (why: string, cause?: unknown): void => {
    stop();
    lost.abort(new RecipeError('ELOST', `${path}: ${why}`, cause));
  };
  const judge = (state: ClientState, reason?: Error): void => {
    const end = endOfSession(state, path, reason);
    if (end !== undefined) {
      lose('the session has ended', end);
    } else if (state === 'connected') {
      clearTimeout(timer);
      timer = undefined;
    } else {
      const graceMs = client.sessionTimeoutMs / GRACE_PART;
      timer ??= setTimeout(
        lose,
        graceMs,
        'no server can be reached; the session may expire',
        reason,
      );
    }
  };
  const unwatch = watchSession(client, judge);
  judge(client.state);

  const released = new AbortController();
  const watch = (event: WatchEvent): void => {
    if (released.signal.aborted) return;
    if (event.type === 'NodeDeleted') lose('it was deleted by someone else');
    else guard(released.signal).catch(cannotWatch);
  };
  const cannotWatch = (error: unknown): void => {
    if (released.signal.aborted) return;
    const isDeleted = hasCode(error, 'NONODE');
    lose(isDeleted ? 'it was deleted by someone else' : 'it cannot be watched any more', error);
  };
  const guard = async (signal: AbortSignal): Promise<Stat> => {
    const wait = node.wait(signal);
    return (await retried(wait, () => client.getData(path, { watch }))).stat;
  };
  try {
    const { czxid } = await guard(limit);
    lost.signal.throwIfAborted();
    return {
      fencingToken: czxid,
      signal: lost.signal,
      abort: (reason) => lost.abort(reason),
      leave: () => {
        released.abort();
        stop();
        return node.leave();
      },
    };
  } catch (error) {
    released.abort();
    stop();
    throw error;
  }
}
