import type { ZooKeeperClient } from '../../client/base/client.js';
import { ZooKeeperError } from '../../client/base/errors.js';
import { walkTree } from '../../client/znodes/walk.js';
import { inBackground } from '../../commands/program/in-background.js';
import type { ShellSession } from '../../commands/zksh/session/shell-session.js';
import type { Stat } from '../../protocol/data.js';
import { baseName, isWithin } from '../../protocol/path.js';
import type { Key } from '../terminal/key-decoder.js';
import {
  type BrowserEffect,
  type BrowserEvent,
  type BrowserState,
  openBrowser,
} from './browser-state.js';
import { stepBrowser } from './browser-step.js';
import { ancestorsOf, isMatch } from './tree-rows.js';

export class BrowserDriver {
  private readonly session: ShellSession;
  private readonly client: ZooKeeperClient;
  private readonly listeners = new Set<() => void>();
  readonly left: Promise<string>;
  private resolveLeft: (path: string) => void = () => undefined;
  private current: BrowserState;
  /** One read at a time: a held key passes many znodes. */
  private isReading = false;
  private nextRead: string | undefined;
  private unsubscribe: () => void;
  private isOver = false;
  private search = new AbortController();

  constructor(session: ShellSession, client: ZooKeeperClient, root: string) {
    this.session = session;
    this.client = client;
    this.left = new Promise((resolve) => {
      this.resolveLeft = resolve;
    });
    const { state, effects } = openBrowser(root, this.server());
    this.current = state;
    this.unsubscribe = session.subscribe((event) => {
      if (event.kind !== 'state') return;
      const isBack = event.state === 'connected' || event.state === 'connected-readonly';
      this.dispatch({ type: 'server', server: this.server(), isBack });
    });
    for (const effect of effects) this.perform(effect);
  }

  get state(): BrowserState {
    return this.current;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  press(key: Key): void {
    if (key.type === 'key') this.dispatch({ type: 'key', key: key.name });
    else this.dispatch({ type: 'text', text: key.text });
  }

  dispatch(event: BrowserEvent): void {
    if (this.isOver) return;
    const before = this.current;
    const { state, effects } = stepBrowser(before, event);
    this.current = state;
    if (state !== before) for (const listener of this.listeners) listener();
    for (const effect of effects) this.perform(effect);
  }

  /** Does not wait for pending reads. */
  leave(path = this.current.selected): void {
    if (this.isOver) return;
    this.isOver = true;
    this.search.abort();
    this.unsubscribe();
    this.resolveLeft(path);
  }

  private readonly ignore = (): void => undefined;

  private perform(effect: BrowserEffect): void {
    switch (effect.type) {
      case 'list':
        inBackground(this.list(effect.path), this.ignore);
        return;
      case 'read':
        inBackground(this.read(effect.path), this.ignore);
        return;
      case 'read-stats':
        inBackground(this.readStats(effect.paths), this.ignore);
        return;
      case 'find':
        inBackground(this.find(effect.text, effect.after), this.ignore);
        return;
      case 'leave':
        this.leave(effect.path);
        return;
    }
  }

  private async list(path: string): Promise<void> {
    try {
      const watch = () => this.dispatch({ type: 'stale', path });
      const { children, stat } = await this.client.getChildren(path, { watch });
      this.dispatch({ type: 'listed', path, children, stat });
    } catch (error) {
      this.dispatch({ type: 'unlisted', path, reason: reasonOf(error) });
    }
  }

  private async read(path: string): Promise<void> {
    if (this.isReading) {
      this.nextRead = path;
      return;
    }
    this.isReading = true;
    try {
      const watch = () => this.dispatch({ type: 'stale', path });
      const { data, stat } = await this.client.getData(path, { watch });
      this.dispatch({ type: 'read', path, data, stat });
    } catch (error) {
      this.dispatch({ type: 'unread', path, reason: reasonOf(error) });
    } finally {
      this.isReading = false;
    }
    const next = this.nextRead;
    this.nextRead = undefined;
    if (next !== undefined) await this.read(next);
  }

  private async readStats(paths: readonly string[]): Promise<void> {
    const stats = new Map<string, Stat>();
    const reads = paths.map(async (path) => {
      const stat = await this.client.exists(path);
      if (stat !== null) stats.set(path, stat);
    });
    // Unreadable znodes keep their marks.
    await Promise.allSettled(reads);
    if (stats.size > 0) this.dispatch({ type: 'stats', stats });
  }

  /** A later search replaces a running one. */
  private async find(text: string, after: string): Promise<void> {
    this.search.abort();
    this.search = new AbortController();
    const { signal } = this.search;
    const { root } = this.current;
    const path =
      (await this.firstMatch(text, { signal, after })) ?? (await this.firstMatch(text, { signal }));
    if (signal.aborted) return;
    if (path === undefined) {
      this.dispatch({ type: 'not-found', text });
      return;
    }
    for (const ancestor of ancestorsOf(path)) {
      const isListed = this.current.tree.get(ancestor)?.children !== undefined;
      if (isWithin(ancestor, root) && !isListed) await this.list(ancestor);
    }
    if (!signal.aborted) this.dispatch({ type: 'found', path });
  }

  private async firstMatch(
    text: string,
    options: { readonly signal: AbortSignal; readonly after?: string },
  ): Promise<string | undefined> {
    for await (const { path } of walkTree(this.client, this.current.root, options)) {
      if (isMatch(baseName(path), text)) return path;
    }
    return undefined;
  }

  private server(): string {
    const { target, state } = this.session;
    return `${this.client.server ?? target} (${state})`;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ZooKeeperError) return REASONS[error.code] ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

const REASONS: Readonly<Record<string, string>> = {
  NOAUTH: 'no read permission',
  NONODE: 'is gone',
  CONNECTIONLOSS: 'connection lost',
};
