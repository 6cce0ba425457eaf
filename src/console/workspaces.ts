import type { ZooKeeperClient } from '../client/base/client.js';
import { inBackground } from '../commands/program/in-background.js';
import { compareNames } from '../protocol/path.js';
import { LiveEvents } from './live-events.js';
import { ConsoleSession, type Credentials, type SessionOptions } from './session.js';

/** The sessions of the console: one for all logins, and one for each login with own credentials. */

/** Time without a request and a watch after which the session of a login is closed. */
const MAX_IDLE_MS = 600_000;

/** What the requests of a login use. Two logins share it only if they share credentials. */
export interface Workspace {
  readonly session: ConsoleSession;
  readonly live: LiveEvents;
  readonly listings: Listings;
  readonly credentials: Credentials;
}

export interface WorkspaceOptions extends Pick<SessionOptions, 'members' | 'tls'> {
  readonly now: () => Date;
  readonly shared: Credentials;
  readonly own: ReadonlyMap<string, Credentials>;
  /** Paths whose events the shared session records from the start. */
  readonly recorded: readonly string[];
}

export class Workspaces {
  private readonly options: WorkspaceOptions;
  private readonly shared: Workspace;
  private readonly own = new Map<string, Workspace & { usedAtMs: number }>();

  constructor(options: WorkspaceOptions) {
    this.options = options;
    this.shared = this.make(options.shared);
    for (const path of options.recorded) this.shared.live.need(path);
  }

  of(user: string | null): Workspace {
    const credentials = this.options.own.get(user ?? '');
    if (user === null || credentials === undefined) return this.shared;
    const known = this.own.get(user) ?? { ...this.make(credentials), usedAtMs: 0 };
    known.usedAtMs = performance.now();
    this.own.set(user, known);
    return known;
  }

  /** Reopens a session that records, and closes idle ones. */
  maintain(): void {
    const { session, live } = this.shared;
    // A new session needs a watch for each recorded path: open it even without requests.
    inBackground(live.isNeeded ? session.client() : undefined, () => undefined);
    for (const [user, { session: old, live: watches, usedAtMs }] of this.own) {
      if (watches.isNeeded || performance.now() - usedAtMs < MAX_IDLE_MS) continue;
      this.own.delete(user);
      inBackground(old.close(), () => undefined);
    }
  }

  async close(): Promise<void> {
    const all = [this.shared, ...this.own.values()];
    await Promise.all(all.map(({ session }) => session.close()));
  }

  private make(credentials: Credentials): Workspace {
    const { members, tls, now } = this.options;
    const live = new LiveEvents(now);
    const onState = (isConnected: boolean) => {
      if (isConnected) live.onGap();
    };
    const session = new ConsoleSession({ members, tls, credentials, onOpen: live.onOpen, onState });
    return { session, live, listings: new Listings(), credentials };
  }
}

// Sorted names of children, kept until they change: a page does not read a million again.

/** Characters of names and paths, with the memory of each beside its characters. */
const MAX_KEPT_SIZE = 128 * 1024 * 1024;
const SIZE_BESIDE = 32;

interface Listing {
  readonly pzxid: bigint;
  readonly names: readonly string[];
  readonly size: number;
}

class Listings {
  /** Least recently used first. */
  private readonly kept = new Map<string, Listing>();
  private size = 0;

  async names(client: ZooKeeperClient, path: string): Promise<readonly string[]> {
    const known = this.kept.get(path);
    if (known !== undefined && (await client.exists(path))?.pzxid === known.pzxid) {
      this.keep(path, known);
      return known.names;
    }
    const { children, stat } = await client.getChildren(path);
    const names = [...children].sort(compareNames);
    const size = [path, ...names].reduce((sum, name) => sum + name.length + SIZE_BESIDE, 0);
    this.keep(path, { pzxid: stat.pzxid, names, size });
    return names;
  }

  private keep(path: string, listing: Listing): void {
    this.drop(path);
    this.kept.set(path, listing);
    this.size += listing.size;
    for (const oldest of this.kept.keys()) {
      if (this.size <= MAX_KEPT_SIZE) return;
      this.drop(oldest);
    }
  }

  private drop(path: string): void {
    this.size -= this.kept.get(path)?.size ?? 0;
    this.kept.delete(path);
  }
}
