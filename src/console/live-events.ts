/**
 * Changes of znodes, from persistent recursive watches, which streams of the same path share.
 * Recent events are kept, so that a page can show changes before it opened.
 */
import type { WatchEvent, ZooKeeperClient } from '../client/base/client.js';
import { inBackground } from '../commands/program/in-background.js';
import { isWithin } from '../protocol/path.js';
import { AddWatchMode, WatcherType } from '../protocol/watch-event.js';
import { formatZxid } from '../protocol/zxid.js';
import type { LiveEvent } from './api/shapes.js';

const MAX_EVENTS = 5000;
/** Characters of their paths: one path may have a million. */
const MAX_PATHS_LENGTH = 16 * 1024 * 1024;
const CHANGES: readonly string[] = ['NodeCreated', 'NodeDeleted', 'NodeDataChanged'];

export interface LiveListener {
  readonly path: string;
  readonly onEvent: (event: LiveEvent) => void;
  /** The session was disconnected: events may be missing. */
  readonly onGap: () => void;
}

export class LiveEvents {
  /** Number of users of each watched path. */
  private readonly counts = new Map<string, number>();
  private readonly listeners = new Set<LiveListener>();
  private readonly events: LiveEvent[] = [];
  private pathsLength = 0;
  private readonly now: () => Date;
  readonly since: string;

  constructor(now: () => Date) {
    this.now = now;
    this.since = now().toISOString();
  }

  onOpen = (client: ZooKeeperClient): void => {
    for (const path of this.counts.keys()) inBackground(this.add(client, path), () => undefined);
    this.onGap();
  };

  onGap(): void {
    for (const listener of this.listeners) listener.onGap();
  }

  get isNeeded(): boolean {
    return this.counts.size > 0;
  }

  /** Watches a path from the next session on, permanently. */
  need(path: string): void {
    this.counts.set(path, (this.counts.get(path) ?? 0) + 1);
  }

  /** @returns a function that ends the watch @throws ZooKeeperError */
  async watch(client: ZooKeeperClient, path: string): Promise<() => void> {
    const count = this.counts.get(path) ?? 0;
    if (count === 0) await this.add(client, path);
    this.need(path);
    let isDone = false;
    return () => {
      if (!isDone) this.release(client, path);
      isDone = true;
    };
  }

  listen(listener: LiveListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Newest first. */
  history(path: string, sinceMs: number, limit: number): readonly LiveEvent[] {
    const found = this.events.filter(
      (event) => isWithin(event.path, path) && Date.parse(event.time) >= sinceMs,
    );
    return found.reverse().slice(0, limit);
  }

  private add(client: ZooKeeperClient, path: string): Promise<void> {
    return client.addWatch(path, AddWatchMode.PERSISTENT_RECURSIVE, this.onEvent);
  }

  private release(client: ZooKeeperClient, path: string): void {
    const left = (this.counts.get(path) ?? 1) - 1;
    if (left > 0) this.counts.set(path, left);
    else {
      this.counts.delete(path);
      const watcher = this.onEvent;
      const removed = client.removeWatches(path, WatcherType.PersistentRecursive, true, {
        watcher,
      });
      // An ended session has no watch.
      inBackground(removed, () => undefined);
    }
  }

  /** One function for all watches, so that an event of several watches arrives once. */
  private readonly onEvent = ({ type, path, zxid }: WatchEvent): void => {
    if (!CHANGES.includes(type)) return;
    const time = this.now().toISOString();
    const event = { time, type, path, zxid: zxid < 0n ? null : formatZxid(zxid) };
    this.pathsLength += path.length;
    const count = this.events.push(event);
    if (count > MAX_EVENTS * 1.2 || this.pathsLength > MAX_PATHS_LENGTH) this.forgetOldest();
    for (const listener of this.listeners) {
      if (isWithin(path, listener.path)) listener.onEvent(event);
    }
  };

  private forgetOldest(): void {
    const { events } = this;
    let gone = 0;
    while (events.length - gone > MAX_EVENTS || this.pathsLength > MAX_PATHS_LENGTH / 2) {
      this.pathsLength -= events[gone++]?.path.length ?? 0;
    }
    events.splice(0, gone);
  }
}
