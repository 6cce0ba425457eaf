import {
  checkBoolean,
  checkFields,
  checkSignal,
  checkWhole,
} from '../../protocol/check-argument.js';
import { AddWatchMode, WatcherType } from '../../protocol/watch-event.js';
import type {
  ClientState,
  WatchChange,
  WatchEvent,
  Watcher,
  WatchGap,
  WatchOptions,
  ZooKeeperClient,
} from '../base/client.js';
import { endOfSession, RequestAbortedError, ZooKeeperError } from '../base/errors.js';

const DEFAULT_MAX_QUEUED = 10_000;

export async function* watchChanges(
  client: ZooKeeperClient,
  path: string,
  given: WatchOptions = {},
): AsyncGenerator<WatchChange, void, undefined> {
  const options = checkFields('options', given, {
    recursive: checkBoolean,
    signal: checkSignal,
    maxQueued: (name, value) => checkWhole(name, value, 1),
  });
  const { recursive = false, signal, maxQueued = DEFAULT_MAX_QUEUED } = options;
  const feed = new Feed(path, maxQueued);
  const mode = recursive ? AddWatchMode.PERSISTENT_RECURSIVE : AddWatchMode.PERSISTENT;
  await client.addWatch(path, mode, feed.onEvent, signal === undefined ? {} : { signal });
  const abort = (): void => feed.end(new RequestAbortedError(path, signal?.reason, false));
  signal?.addEventListener('abort', abort);
  client.on('state', feed.onState);
  try {
    feed.addGap('started');
    feed.onState(client.state);
    for (;;) {
      const change = feed.take();
      if (change !== undefined) yield change;
      else await feed.filled();
    }
  } finally {
    client.off('state', feed.onState);
    signal?.removeEventListener('abort', abort);
    await unwatch(client, path, recursive, feed.onEvent);
  }
}

async function unwatch(
  client: ZooKeeperClient,
  path: string,
  isRecursive: boolean,
  watcher: Watcher,
): Promise<void> {
  const type = isRecursive ? WatcherType.PersistentRecursive : WatcherType.Persistent;
  const remove = (each: WatcherType) => client.removeWatches(path, each, true, { watcher });
  await remove(type)
    .catch((error: unknown) => {
      // Servers before 3.9 do not know the types of persistent watches.
      const isOld = error instanceof ZooKeeperError && error.code === 'MARSHALLINGERROR';
      return isOld ? remove(WatcherType.Any) : undefined;
    })
    .catch(() => undefined);
}

class Feed {
  private readonly path: string;
  private readonly maxQueued: number;
  private queue: WatchChange[] = [];
  private failure: Error | undefined;
  private wasLost = false;
  private wake: () => void = () => undefined;

  constructor(path: string, maxQueued: number) {
    this.path = path;
    this.maxQueued = maxQueued;
  }

  readonly onEvent = (event: WatchEvent): void => {
    if (event.type === 'PersistentWatchRemoved') return;
    if (this.queue.length < this.maxQueued) this.add(event);
    else {
      this.queue = [];
      this.addGap('overflow');
    }
  };

  readonly onState = (state: ClientState, reason?: Error): void => {
    const end = endOfSession(state, this.path, reason);
    if (end !== undefined) this.end(end);
    else if (state === 'disconnected') this.wasLost = true;
    else if (this.wasLost) {
      this.wasLost = false;
      this.addGap('reconnected');
    }
  };

  addGap(reason: WatchGap['reason']): void {
    this.add({ type: 'Gap', path: this.path, reason });
  }

  end(error: Error): void {
    this.failure ??= error;
    this.wake();
  }

  /** The next change, if there is one. @throws the reason of the end, after all changes */
  take(): WatchChange | undefined {
    const change = this.queue.shift();
    if (change === undefined && this.failure !== undefined) throw this.failure;
    return change;
  }

  filled(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private add(change: WatchChange): void {
    this.queue.push(change);
    this.wake();
  }
}
