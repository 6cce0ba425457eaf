/**
 * What every recipe needs of a session: to hear of its states, to stop waiting when it ends, and
 * to ask again after a lost connection. A request is asked again only where its doing twice is
 * harmless; a sequential create is not, so sequence-node.ts looks for its znode first.
 */
import type { ClientState, ZooKeeperClient } from '../client/client.js';
import { closedError, ZooKeeperError } from '../client/errors.js';
import { ErrorCode, type ErrorName } from '../protocol/error-code.js';

type SessionListener = (state: ClientState, reason?: Error) => void;

/** A request of a client that is closing fails at once, while its state is still connected. */
const RETRY_PAUSE_MS = 50;

const LOSSES: readonly string[] = ['CONNECTIONLOSS', 'OPERATIONTIMEOUT', 'REQUESTTIMEOUT'];

const listeners = new WeakMap<ZooKeeperClient, Set<SessionListener>>();

/**
 * Tells `listener` every change of state until the function returned is called. A client gets one
 * listener for all, since Node takes many of them on one emitter for a leak.
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

/** Why nothing can be asked in this state any more, or undefined when it can. */
export function endOfSession(
  state: ClientState,
  path: string,
  cause?: Error,
): ZooKeeperError | undefined {
  if (state === 'closed') return closedError(path);
  if (state === 'expired') return new ZooKeeperError(ErrorCode.SESSIONEXPIRED, path, { cause });
  if (state === 'auth-failed') return new ZooKeeperError(ErrorCode.AUTHFAILED, path, { cause });
  return undefined;
}

/** For whom something is waited, and what ends the waiting besides the end of the session. */
export interface Wait {
  readonly client: ZooKeeperClient;
  /** For the words of errors. */
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A promise that `start` settles, and that rejects before when the session ends (ZooKeeperError)
 * or the signal aborts (its reason).
 * @param start must not settle before it returns; what it returns is called when the wait is over
 */
export function whileAlive<T>(
  { client, path, signal }: Wait,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = signal?.aborted ? signal.reason : endOfSession(client.state, path);
    if (ended !== undefined) {
      reject(ended);
      return;
    }
    const finish = (): void => {
      unwatch();
      signal?.removeEventListener('abort', abort);
      stop();
    };
    const fail = (error: unknown): void => {
      finish();
      reject(error);
    };
    const abort = (): void => fail(signal?.reason);
    const unwatch = watchSession(client, (state, reason) => {
      const end = endOfSession(state, path, reason);
      if (end !== undefined) fail(end);
    });
    signal?.addEventListener('abort', abort);
    const stop = start((value) => {
      finish();
      resolve(value);
    }, fail);
  });
}

/** Makes one request; the wait may end before its answer comes, which then is not looked at. */
export function once<T>(wait: Wait, send: () => Promise<T>): Promise<T> {
  return whileAlive(wait, (resolve, reject) => {
    send().then(resolve, reject);
    return () => undefined;
  });
}

/** Makes a request that may be done twice, until a connection lives for as long as it takes. */
export async function retried<T>(wait: Wait, send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await once(wait, send);
    } catch (error) {
      if (!isLoss(error)) throw error;
    }
    await untilConnected(wait);
  }
}

/** Resolves when it makes sense to ask again after a loss. */
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

/** Is it unknown whether the request was done? */
export function isLoss(error: unknown): boolean {
  return error instanceof ZooKeeperError && LOSSES.includes(error.code);
}

export function hasCode(error: unknown, code: ErrorName): boolean {
  return error instanceof ZooKeeperError && error.code === code;
}
