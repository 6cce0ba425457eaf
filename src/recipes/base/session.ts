/**
 * Listens to session states, and retries idempotent requests after a lost connection. A sequential
 * create is not idempotent: sequence-node.ts looks for its znode first.
 */
import { abortError, onAbort } from '../../client/base/abort.js';
import type { CallOptions, ClientState, ZooKeeperClient } from '../../client/base/client.js';
import {
  endOfSession,
  hasUnknownOutcome,
  isCode,
  isLost,
  withOutcome,
} from '../../client/base/errors.js';
import { RecipeError } from './errors.js';

type SessionListener = (state: ClientState, reason?: Error) => void;

/** A closing client fails requests before its state changes: prevents a busy loop. */
const RETRY_PAUSE_MS = 50;

const listeners = new WeakMap<ZooKeeperClient, Set<SessionListener>>();

/**
 * One shared listener per client: Node.js reports many on one emitter as a leak.
 * @returns a function that removes `listener`
 */
export function watchSession(client: ZooKeeperClient, listener: SessionListener): () => void {
  const known = listeners.get(client);
  const all = known ?? new Set<SessionListener>();
  if (known === undefined) {
    listeners.set(client, all);
    client.on('state', (state, reason) => {
      for (const each of [...all]) each(state, reason);
    });
  }
  all.add(listener);
  return () => {
    all.delete(listener);
  };
}

export interface Wait {
  readonly client: ZooKeeperClient;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  /** See asChange(). */
  readonly isChange?: boolean;
}

/**
 * A wait whose request is the change that the caller asked for: a failure after a lost reply has an
 * unknown outcome. Other requests of a call may be made again in a new session.
 */
export function asChange(wait: Wait): Wait {
  return { ...wait, isChange: true };
}

/**
 * A promise that `start` settles. It rejects when the session ends (ZooKeeperError) or the signal
 * aborts (abortError).
 * @param start must not settle before it returns; its result is called when the wait is over
 */
export function whileAlive<T>(
  { client, path, signal }: Wait,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): Error => abortError(path, signal?.reason, false);
    const ended = signal?.aborted ? aborted() : endOfSession(client.state, path);
    if (ended !== undefined) {
      reject(ended);
      return;
    }
    const finish = (): void => {
      unwatch();
      unlisten();
      stop();
    };
    const fail = (error: unknown): void => {
      finish();
      reject(error);
    };
    const unwatch = watchSession(client, (state, reason) => {
      const end = endOfSession(state, path, reason);
      if (end !== undefined) fail(end);
    });
    const unlisten = onAbort(signal, () => fail(aborted()));
    const stop = start((value) => {
      finish();
      resolve(value);
    }, fail);
  });
}

/** A request of a wait, within its limits: one that waits for a connection is never sent later. */
export type Send<T> = (call: CallOptions) => Promise<T>;

export function once<T>({ signal }: Wait, send: Send<T>): Promise<T> {
  return send({ signal });
}

/** A server closes the connection on a request above its jute.maxbuffer. */
const OVERSIZE_TRIES = 3;

/** The lost connections of one request. */
export class Losses {
  private readonly wait: Wait;
  private oversize = 0;

  constructor(wait: Wait) {
    this.wait = wait;
  }

  /** Whether to repeat it after this error: only a few times if a server may never accept it. */
  mayRepeat(error: unknown): boolean {
    if (this.wait.signal?.aborted || !isLost(error)) return false;
    if (error.oversizeBytes === undefined) return true;
    this.oversize++;
    return this.oversize < OVERSIZE_TRIES;
  }
}

/** Makes an idempotent request, and retries it after each lost connection. */
export async function retried<T>(wait: Wait, send: Send<T>): Promise<T> {
  const losses = new Losses(wait);
  let isUnknown = false;
  try {
    for (;;) {
      try {
        return await once(wait, send);
      } catch (error) {
        if (!losses.mayRepeat(error)) throw error;
        isUnknown ||= wait.isChange === true && hasUnknownOutcome(error);
      }
      await untilConnected(wait);
    }
  } catch (error) {
    throw isUnknown ? withOutcome(error, true) : error;
  }
}

/** Runs `work` again in a new session, if one follows and no change may have happened. */
export async function inAnySession<T>(wait: Wait, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isRenewed(wait, error)) throw error;
    }
    await untilRenewed(wait);
  }
}

/**
 * Whether a new session follows the one whose end this error tells of, and nothing of the work may
 * have happened. A client may hear of its deleted ephemerals (ELOST) before it hears of the end.
 */
export function isRenewed({ client }: Pick<Wait, 'client'>, error: unknown): boolean {
  const isLoss = error instanceof RecipeError && error.code === 'ELOST';
  return (
    client.renewsSession && (isLoss || isCode(error, 'SESSIONEXPIRED')) && !hasUnknownOutcome(error)
  );
}

/** Waits for the new session, through any number that expire. */
export async function untilRenewed(wait: Wait): Promise<void> {
  for (;;) {
    try {
      await untilConnected(wait);
      return;
    } catch (error) {
      if (!isRenewed(wait, error)) throw error;
    }
  }
}

/** Why a wait ends whose place in the line is lost: with its session, or by the loss alone. */
export function endOfWait(loss: unknown): unknown {
  const cause = loss instanceof RecipeError ? loss.cause : undefined;
  const isEnd = ENDS.some((code) => isCode(cause, code));
  return isEnd ? cause : loss;
}

const ENDS = ['ECLOSED', 'SESSIONEXPIRED', 'AUTHFAILED'] as const;

/** Whether a znode of the session is gone with it. */
export function hasEnded(client: ZooKeeperClient, error: unknown): boolean {
  return isCode(error, 'SESSIONEXPIRED') || endOfSession(client.state, '') !== undefined;
}

/** Waits until a retry after a lost connection makes sense. */
export function untilConnected(wait: Wait): Promise<void> {
  return whileAlive(wait, (resolve) => {
    if (wait.client.state === 'connected') {
      const timer = setTimeout(resolve, RETRY_PAUSE_MS);
      return () => clearTimeout(timer);
    }
    return watchSession(wait.client, (state) => {
      if (state === 'connected') resolve();
    });
  });
}
