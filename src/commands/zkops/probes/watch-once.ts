import type { WatchEvent } from '../../../client/base/client.js';

export interface WatchOnce {
  readonly watcher: (event: WatchEvent) => void;
  /** Rejects on a timeout or another event. */
  readonly fired: () => Promise<void>;
}

/** @param timeoutMs starts with the call of `fired` */
export function watchOnce(type: WatchEvent['type'], timeoutMs: number): WatchOnce {
  let resolveEvent: (event: WatchEvent) => void = () => undefined;
  const event = new Promise<WatchEvent>((resolve) => {
    resolveEvent = resolve;
  });
  const fired = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`no watch event within ${timeoutMs} ms`);
      timer = setTimeout(() => reject(error), timeoutMs);
    });
    const found = await Promise.race([event, late]).finally(() => clearTimeout(timer));
    if (found.type !== type) throw new Error(`wrong watch event: ${found.type} (expected ${type})`);
  };
  return { watcher: (found) => resolveEvent(found), fired };
}
