// A watch as a stream of changes in the order of events, each with the value before and after. A
// value is read when its event arrives, so it may be newer than the event. Later events of changes
// that were already read are marked.

import { Fifo } from '../../../base/fifo.js';
import type { ClientState, WatchEvent, ZooKeeperClient } from '../../../client/base/client.js';
import { ZooKeeperError } from '../../../client/base/errors.js';
import { AddWatchMode, WatcherType } from '../../../protocol/watch-event.js';
import { CommandError } from '../../program/command-error.js';
import { ExitCode } from '../../program/exit-status.js';
import type { Change } from '../../results/change.js';
import { KnownTree } from './known-tree.js';
import { type Read, readNames, readZnode } from './snapshot.js';

export interface FeedOptions {
  readonly client: ZooKeeperClient;
  readonly path: string;
  readonly isRecursive: boolean;
  /** False reports only events, and reads no values. */
  readonly hasValues: boolean;
  readonly signal: AbortSignal;
}

export type FeedItem =
  | { readonly kind: 'change'; readonly change: Change }
  /** Events that arrived faster than they were taken. */
  | { readonly kind: 'missed'; readonly count: number }
  /** The watch was removed, or the signal aborted. */
  | { readonly kind: 'over' };

interface Pending {
  readonly event: WatchEvent;
  readonly reading: Promise<Read> | undefined;
}

const MAX_PENDING = 100_000;
const MAX_READS = 256;
const ENDED: ReadonlySet<ClientState> = new Set(['expired', 'closed', 'auth-failed']);
const CONNECTED: ReadonlySet<ClientState> = new Set(['connected', 'connected-readonly']);
const OVER: FeedItem = { kind: 'over' };

export class ChangeFeed {
  private readonly options: FeedOptions;
  private readonly known: KnownTree;
  private readonly queue = new Fifo<Pending | 'catch-up'>();
  private isCatchUpDue = false;
  /** Changes found after a reconnect, not taken yet. */
  private found: Change[] = [];
  private isArmed = false;
  private reads = 0;
  private missed = 0;
  private wasLost = false;
  private wake: () => void = () => undefined;

  constructor(options: FeedOptions) {
    this.options = options;
    this.known = new KnownTree(options);
  }

  /** Adds the watch, then reads the current values, the old values of later changes. */
  async start(): Promise<void> {
    const { client, path, isRecursive, signal } = this.options;
    client.on('state', this.onState);
    signal.addEventListener('abort', this.onAbort);
    const mode = isRecursive ? AddWatchMode.PERSISTENT_RECURSIVE : AddWatchMode.PERSISTENT;
    await client.addWatch(path, mode, this.onEvent);
    this.isArmed = true;
    if (this.options.hasValues) await this.known.readValues();
  }

  /** Waits for the next change. @throws CommandError if the session, and so the watch, has ended */
  async next(): Promise<FeedItem> {
    for (;;) {
      if (this.options.signal.aborted) return OVER;
      const found = this.found.shift();
      if (found !== undefined) return { kind: 'change', change: found };
      const item = this.queue.shift();
      if (item === 'catch-up') this.found = await this.catchUp();
      else if (item !== undefined) return this.take(item);
      else if (this.missed > 0) return this.takeMissed();
      else if (ENDED.has(this.options.client.state)) {
        throw sessionEnded(this.options.client.state);
      } else await this.something();
    }
  }

  /** Removes the watch if the session is still connected. */
  async stop(): Promise<void> {
    const { client, path, isRecursive, signal } = this.options;
    client.off('state', this.onState);
    signal.removeEventListener('abort', this.onAbort);
    if (!this.isArmed || !CONNECTED.has(client.state)) return;
    const kind = isRecursive ? WatcherType.PersistentRecursive : WatcherType.Persistent;
    try {
      await client.removeWatches(path, kind, true, { watcher: this.onEvent });
    } catch (error) {
      // Already removed.
      if (!(error instanceof ZooKeeperError)) throw error;
    }
  }

  private readonly onAbort = (): void => this.wake();

  private readonly onState = (state: ClientState): void => {
    if (state === 'disconnected') this.wasLost = true;
    else if (this.wasLost && CONNECTED.has(state)) {
      this.wasLost = false;
      if (this.options.hasValues && !this.isCatchUpDue) this.queue.push('catch-up');
      this.isCatchUpDue = true;
    }
    this.wake();
  };

  private readonly onEvent = (event: WatchEvent): void => {
    if (this.queue.length >= MAX_PENDING) this.missed++;
    else {
      const reading = this.reads < MAX_READS ? this.read(event) : undefined;
      reading?.catch(() => undefined);
      this.queue.push({ event, reading });
    }
    this.wake();
  };

  private something(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private takeMissed(): FeedItem {
    const count = this.missed;
    this.missed = 0;
    return { kind: 'missed', count };
  }

  private async take({ event, reading }: Pending): Promise<FeedItem> {
    if (event.type.endsWith('WatchRemoved')) return OVER;
    const read = await (reading ?? this.read(event));
    return { kind: 'change', change: this.known.changeOf(event, read) };
  }

  /** Undefined if the event needs no read. */
  private read(event: WatchEvent): Promise<Read> | undefined {
    if (!this.options.hasValues || event.type.endsWith('WatchRemoved')) return undefined;
    if (event.type === 'NodeDeleted') return undefined;
    const { client } = this.options;
    this.reads++;
    const isList = event.type === 'NodeChildrenChanged';
    const read: Promise<Read> = isList
      ? readNames(client, event.path)
      : readZnode(client, event.path);
    return read.finally(() => this.reads--);
  }

  private catchUp(): Promise<Change[]> {
    this.isCatchUpDue = false;
    return this.known.catchUp();
  }
}

function sessionEnded(state: ClientState): CommandError {
  return new CommandError(`session is ${state}; its watches ended`, {
    code: state === 'expired' ? 'SESSIONEXPIRED' : 'NOTCONNECTED',
    exitCode: ExitCode.connection,
  });
}
