import type { WatchEvent } from '../../../client/client.js';

export interface WatchOnce {
  readonly watcher: (event: WatchEvent) => void;
  /** Resolves when the event has come; rejects when it does not come in time, or is another. */
  readonly fired: () => Promise<void>;
}

/** A watcher that is waited for, no longer than `timeoutMs` from the call of `fired`. */
export function watchOnce(type: WatchEvent['type'], timeoutMs: number): WatchOnce {
  let resolveEvent: (event: WatchEvent) => void = () => undefined;
  const event = new Promise<WatchEvent>((resolve) => {
    resolveEvent = resolve;
  });
  const fired = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`no event of a watch within ${timeoutMs} ms`);
      timer = setTimeout(() => reject(error), timeoutMs);
    });
    const found = await Promise.race([event, late]).finally(() => clearTimeout(timer));
    if (found.type !== type) throw new Error(`expected the event ${type}, found ${found.type}`);
  };
  return { watcher: (found) => resolveEvent(found), fired };
}
