/**
 * Listens to session states, and retries idempotent requests after a lost connection. A sequential
 * create is not idempotent: sequence-node.ts looks for its znode first.
 */
import type { ClientState, ZooKeeperClient } from '../../client/base/client.js';
import { endOfSession, ZooKeeperError } from '../../client/base/errors.js';

type SessionListener = (state: ClientState, reason?: Error) => void;

/** A closing client fails requests before its state changes: prevents a busy loop. */
const RETRY_PAUSE_MS = 50;

const LOSSES: readonly string[] = ['CONNECTIONLOSS', 'OPERATIONTIMEOUT', 'REQUESTTIMEOUT'];

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
}

/**
 * A promise that `start` settles. It rejects when the session ends (ZooKeeperError) or the signal
 * aborts (its reason).
 * @param start must not settle before it returns; its result is called when the wait is over
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

export function once<T>(wait: Wait, send: () => Promise<T>): Promise<T> {
  return whileAlive(wait, (resolve, reject) => {
    send().then(resolve, reject);
    return () => undefined;
  });
}

/** A server closes the connection on a request above its jute.maxbuffer. */
const OVERSIZE_TRIES = 3;

/** The lost connections of one request. */
export class Losses {
  private oversize = 0;

  /** Whether to repeat it after this error: only a few times if a server may never accept it. */
  mayRepeat(error: unknown): boolean {
    if (!isLoss(error)) return false;
    if (error.oversizeBytes === undefined) return true;
    this.oversize++;
    return this.oversize < OVERSIZE_TRIES;
  }
}

/** Makes an idempotent request, and retries it after each lost connection. */
export async function retried<T>(wait: Wait, send: () => Promise<T>): Promise<T> {
  const losses = new Losses();
  for (;;) {
    try {
      return await once(wait, send);
    } catch (error) {
      if (!losses.mayRepeat(error)) throw error;
    }
    await untilConnected(wait);
  }
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

/** Whether the outcome of the request is unknown, and it may be repeated. */
export function isLoss(error: unknown): error is ZooKeeperError {
  if (!(error instanceof ZooKeeperError) || error.oversizeReplyBytes !== undefined) return false;
  return LOSSES.includes(error.code);
}
