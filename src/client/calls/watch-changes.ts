import {
  checkBoolean,
  checkFields,
  checkSignal,
  checkWhole,
} from '../../protocol/check-argument.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { AddWatchMode, WatcherType } from '../../protocol/watch-event.js';
import { abortError, onAbort } from '../base/abort.js';
import type {
  ClientState,
  WatchChange,
  WatchEvent,
  WatchGap,
  WatchOptions,
  ZooKeeperClient,
} from '../base/client.js';
import { endOfSession, ZooKeeperError } from '../base/errors.js';

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
  const feed = new Feed(path, maxQueued, client.renewsSession);
  const mode = recursive ? AddWatchMode.PERSISTENT_RECURSIVE : AddWatchMode.PERSISTENT;
  await client.addWatch(path, mode, feed.onEvent, { signal });
  const unlisten = onAbort(signal, () => feed.end(abortError(path, signal?.reason, false)));
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
    unlisten();
    const type = recursive ? WatcherType.PersistentRecursive : WatcherType.Persistent;
    const { onEvent: watcher } = feed;
    await client.removeWatches(path, type, true, { watcher }).catch(() => undefined);
  }
}

class Feed {
  private readonly path: string;
  private readonly maxQueued: number;
  private readonly renewsSession: boolean;
  private queue: WatchChange[] = [];
  private failure: Error | undefined;
  private wasLost = false;
  private wake: () => void = () => undefined;

  constructor(path: string, maxQueued: number, renewsSession: boolean) {
    this.renewsSession = renewsSession;
    this.path = path;
    this.maxQueued = maxQueued;
  }

  readonly onEvent = (event: WatchEvent): void => {
    if (event.type === 'PersistentWatchRemoved') {
      const detail = 'another part of this program removed the watch';
      this.end(new ZooKeeperError(ErrorCode.NOWATCHER, this.path, { detail }));
      return;
    }
    if (this.queue.length < this.maxQueued) this.add(event);
    else {
      this.queue = [];
      this.addGap('overflow');
    }
  };

  readonly onState = (state: ClientState, reason?: Error): void => {
    const isRenewed = state === 'expired' && this.renewsSession;
    const end = isRenewed ? undefined : endOfSession(state, this.path, reason);
    if (end !== undefined) this.end(end);
    else if (state === 'disconnected' || isRenewed) this.wasLost = true;
    else if (this.wasLost && state !== 'connecting') {
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
