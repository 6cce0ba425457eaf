import { ErrorCode } from '../../../src/protocol/error-code.js';
import { parentPath } from '../../../src/protocol/path.js';
import { SetWatches2 } from '../../../src/protocol/proto.js';
import type { Ledger } from '../ledger.js';
import type { Author } from '../requests-sent.js';
import { hex, Violation } from '../violation.js';
import { CONFIG, type LedgerEvent } from '../znode-history.js';
import { EventType, nameOf, type WatchedEvent } from './watched-event.js';

/** The sets of SetWatches2 that a watch can be in. */
export type WatchKind = 'data' | 'child' | 'persistent' | 'recursive';

/** Below it, ACLs differ. */
export const GUARDED = '/guarded';
const READ = 1;
const ALL: readonly WatchKind[] = ['data', 'child', 'persistent', 'recursive'];

/**
 * The watches of one connection, and their expected events: exactly one for each change that a
 * watch covers, in order, before any response that shows a later state. The ledger alone gives the
 * expected events.
 */
export class Watches {
  private readonly ledger: Ledger;
  private readonly armed: Record<WatchKind, Set<string>> = {
    data: new Set(),
    child: new Set(),
    persistent: new Set(),
    recursive: new Set(),
  };
  /** The identities of its client. */
  author: Author;
  /** Events that no response has confirmed yet. */
  private received: WatchedEvent[] = [];
  /** Events and changes agree up to this zxid. */
  private judgedZxid = 0n;
  /** SetWatches2 is in flight, and the server has no watch yet. */
  private rearmedSince: bigint | null = null;
  events = 0;

  constructor(ledger: Ledger, author: Author) {
    this.ledger = ledger;
    this.author = author;
  }

  get size(): number {
    return ALL.reduce((sum, kind) => sum + this.armed[kind].size, 0);
  }

  /** Whether ACLs decide about its events. */
  get isGuarded(): boolean {
    return ALL.some((kind) => this.paths(kind).some((path) => path.startsWith(GUARDED)));
  }

  /** The response at the last checked zxid has set it. */
  arm(kind: WatchKind, path: string): void {
    this.armed[kind].add(path);
  }

  /** A response says that all watches of the path are removed. */
  disarm(path: string): void {
    for (const kind of ALL) this.armed[kind].delete(path);
  }

  has(path: string): boolean {
    return ALL.some((kind) => this.armed[kind].has(path));
  }

  private paths(kind: WatchKind): string[] {
    return [...this.armed[kind]];
  }

  clear(): void {
    for (const kind of ALL) this.armed[kind].clear();
    this.received = [];
    this.rearmedSince = null;
  }

  /** Drops unconfirmed events of a lost connection. */
  disconnected(): void {
    for (const event of this.received) this.consume(event);
    this.received = [];
    this.rearmedSince = null;
    for (const kind of ALL) for (const path of this.paths(kind)) this.forgetGuarded(kind, path);
  }

  /** A client sets no watch again on a znode that it may not be allowed to read. */
  private forgetGuarded(kind: WatchKind, path: string): void {
    if (path.startsWith(GUARDED)) this.armed[kind].delete(path);
  }

  /** The body of SetWatches2. Changes after `lastZxid` arrive as events before its response. */
  rearming(lastZxid: bigint): Buffer {
    this.rearmedSince = lastZxid;
    return SetWatches2.encode({
      relativeZxid: lastZxid,
      dataWatches: this.existing(lastZxid, true),
      existWatches: this.existing(lastZxid, false),
      childWatches: this.paths('child'),
      persistentWatches: this.paths('persistent'),
      persistentRecursiveWatches: this.paths('recursive'),
    });
  }

  event(event: WatchedEvent): void {
    this.events++;
    this.received.push(event);
  }

  /** SetWatches2 is answered at `zxid`, after the events of all missed changes. */
  rearmed(zxid: bigint, err: number): void {
    // Another client of the session may have closed it. The connection ends next.
    if (err === ErrorCode.SESSIONEXPIRED) return;
    const since = this.rearmedSince;
    if (since === null) throw new Violation('SetWatches2 is answered twice');
    this.rearmedSince = null;
    if (this.ledger.znodes.isUnseenBetween(since, zxid)) {
      this.trust(zxid);
      return;
    }
    this.compare(this.missed(since, zxid), zxid, 'after a reconnect');
  }

  /** The events of the changes after `since`. Removes the watches that they fire. */
  private missed(since: bigint, zxid: bigint): WatchedEvent[] {
    const expected: WatchedEvent[] = [];
    const expect = (type: EventType, path: string, kind: WatchKind) => {
      expected.push({ type, path });
      this.armed[kind].delete(path);
    };
    for (const path of this.existing(since, true)) {
      const now = this.ledger.znodes.valueAt(path, zxid);
      if (now === undefined || now.data === null) expect(EventType.deleted, path, 'data');
      else if (now.zxid > since || this.isFirstConfig(path, now.zxid)) {
        expect(EventType.dataChanged, path, 'data');
      }
    }
    for (const path of this.existing(since, false)) {
      const now = this.ledger.znodes.valueAt(path, zxid);
      if (now !== undefined && now.data !== null) expect(EventType.created, path, 'data');
    }
    for (const path of this.paths('child')) {
      const now = this.ledger.znodes.valueAt(path, zxid);
      const isGone = path !== '/' && (now === undefined || now.data === null);
      if (isGone) expect(EventType.deleted, path, 'child');
      else if (this.ledger.znodes.pzxidAt(path, zxid) > since) {
        expect(EventType.childrenChanged, path, 'child');
      }
    }
    return expected;
  }

  /**
   * The first NEWLEADER of a leader gives the first configuration its version. No txn shows it.
   */
  private isFirstConfig(path: string, zxid: bigint): boolean {
    return path === CONFIG && zxid === 0n && this.received.some((event) => event.path === CONFIG);
  }

  /** Data watches on znodes that the client believes to exist, or not to exist. */
  private existing(since: bigint, isThere: boolean): string[] {
    return this.paths('data').filter((path) => {
      const known = this.ledger.znodes.valueAt(path, since);
      return isThere === (known !== undefined && known.data !== null);
    });
  }

  /** For any response at `zxid`: all events up to it came before. */
  answered(zxid: bigint): void {
    if (this.rearmedSince !== null) return;
    const since = this.judgedZxid;
    if (this.size === 0 && this.received.length === 0) {
      this.judgedZxid = zxid;
      return;
    }
    if (this.ledger.znodes.isUnseenBetween(since, zxid)) {
      this.trust(zxid);
      return;
    }
    const expected: WatchedEvent[] = [];
    for (const event of this.ledger.znodes.eventsBetween(since, zxid)) {
      if (this.consume(event) && this.mayRead(event)) expected.push(event);
    }
    this.compare(expected, zxid, `since ${hex(since)}`);
  }

  /** An event of a znode goes only to those that may read it, or could when it was deleted. */
  private mayRead({ type, path, zxid }: LedgerEvent): boolean {
    if (!path.startsWith(GUARDED)) return true;
    const at = type === EventType.deleted ? zxid - 1n : zxid;
    const node = this.ledger.state.versionAt(path, at)?.node ?? null;
    return node === null || this.author.may(node.acl, READ);
  }

  private compare(expected: readonly WatchedEvent[], zxid: bigint, when: string): void {
    const { received } = this;
    this.received = [];
    this.judgedZxid = zxid;
    const texts = [expected, received].map((events) => events.map(nameOf).join(', ') || 'nothing');
    if (texts[0] === texts[1]) return;
    throw new Violation(
      `a response at ${hex(zxid)}: expected the events ${texts[0]} before it, found ${texts[1]} (${when})`,
    );
  }

  /** For a gap in the ledger, the events themselves are the record. */
  private trust(zxid: bigint): void {
    for (const event of this.received) this.consume(event);
    this.received = [];
    this.judgedZxid = zxid;
  }

  /** Whether any watch covers the event. A watch that is not persistent is then removed. */
  private consume({ type, path }: WatchedEvent): boolean {
    const { data, child, persistent, recursive } = this.armed;
    let isCovered = persistent.has(path);
    if (type !== EventType.childrenChanged && data.delete(path)) isCovered = true;
    const isOfChildren = type === EventType.childrenChanged || type === EventType.deleted;
    if (isOfChildren && child.delete(path)) isCovered = true;
    if (isCovered || type === EventType.childrenChanged) return isCovered;
    for (let at = path; ; at = parentPath(at)) {
      if (recursive.has(at)) return true;
      if (at === '/') return false;
    }
  }
}
