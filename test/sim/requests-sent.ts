import { createHash } from 'node:crypto';
import type { ACL } from '../../src/protocol/data.js';
import { zxidEpoch } from '../../src/protocol/zxid.js';
import type { NaiveAuthor } from '../model/naive-prep.js';

/** A write as its client sent it. */
export interface SentWrite {
  readonly type: number;
  readonly body: Buffer;
  /** The number of the session's connection, over all of its clients. */
  readonly connection: number;
  /** The server of that connection. */
  readonly at: number;
  readonly author: Author;
  /** The last committed txn at that time. */
  readonly after: bigint;
}

/** What the server knows of a client: its address, and the digests of the auth packets so far. */
export class Author implements NaiveAuthor {
  /** Set by the judge, who knows the session. */
  isLocal = false;
  private readonly ip: string;
  private readonly digests: readonly string[];
  /** Without it, ACLs grant everything. */
  private readonly isAclChecked: boolean;

  constructor(ip: string, users: readonly string[], isAclChecked: boolean) {
    this.ip = ip;
    this.digests = users.map(digestOf);
    this.isAclChecked = isAclChecked;
  }

  may(acl: readonly ACL[], perm: number): boolean {
    if (!this.isAclChecked || acl.length === 0) return true;
    return acl.some(({ perms, id }) => (perms & perm) !== 0 && this.is(id.scheme, id.id));
  }

  private is(scheme: string, id: string): boolean {
    if (scheme === 'world') return id === 'anyone';
    return scheme === 'ip' ? id === this.ip : scheme === 'digest' && this.digests.includes(id);
  }

  fixUp(acl: readonly ACL[]): readonly ACL[] | undefined {
    const fixed: ACL[] = [];
    for (const { perms, id } of acl) {
      if (id.scheme !== 'auth') fixed.push({ perms, id });
      else for (const own of this.digests) fixed.push({ perms, id: { scheme: 'digest', id: own } });
      if (id.scheme === 'auth' && this.digests.length === 0) return undefined;
    }
    const texts = fixed.map(({ perms, id }) => `${perms} ${id.scheme} ${id.id}`);
    const unique = fixed.filter((_, at) => texts.indexOf(texts[at] as string) === at);
    return unique.length === 0 ? undefined : unique;
  }
}

function digestOf(userAndPassword: string): string {
  const [user = ''] = userAndPassword.split(':', 1);
  return `${user}:${createHash('sha1').update(userAndPassword).digest('base64')}`;
}

/** Where a session lives. */
interface Place {
  /** Connections that tried to use it. */
  connections: number;
  /** The last one that a server welcomed, and this server. */
  welcomed: number;
  at: number;
  /** How many were welcomed. The handshakes of the others may still be on their way. */
  welcomes: number;
  /** No request of an earlier connection may succeed after this zxid. */
  movedAt: bigint;
}

/** All writes that clients sent, and the connections that they used. */
export class RequestsSent {
  private readonly writes = new Map<string, SentWrite[]>();
  private readonly places = new Map<bigint, Place>();
  /** Sessions of several clients: nobody knows which of them moved it last. */
  private readonly shared: ReadonlySet<bigint>;

  constructor(shared: ReadonlySet<bigint>) {
    this.shared = shared;
  }

  private placeOf(sessionId: bigint): Place {
    const known = this.places.get(sessionId) ?? {
      connections: 0,
      welcomed: 0,
      at: 0,
      welcomes: 0,
      movedAt: 0n,
    };
    this.places.set(sessionId, known);
    return known;
  }

  /** A client connects with the session. Returns the number of the connection. */
  connects(sessionId: bigint): number {
    const place = this.placeOf(sessionId);
    place.connections++;
    return place.connections;
  }

  /** @param proposed the last zxid that any leader has proposed */
  welcomed(
    sessionId: bigint,
    { connection, at }: { readonly connection: number; readonly at: number },
    proposed: bigint,
  ): void {
    const place = this.placeOf(sessionId);
    place.at = at;
    place.connections = Math.max(place.connections, connection);
    place.welcomed = connection;
    place.welcomes++;
    place.movedAt = proposed;
  }

  sent(sessionId: bigint, cxid: number, write: SentWrite): void {
    const key = `${sessionId} ${cxid}`;
    const known = this.writes.get(key);
    if (known === undefined) this.writes.set(key, [write]);
    else known.push(write);
  }

  /** Two, if clients share the session. */
  find(sessionId: bigint, cxid: number): readonly SentWrite[] {
    return this.writes.get(`${sessionId} ${cxid}`) ?? [];
  }

  /** Whether the session may be elsewhere: even a late handshake of an old connection moves it. */
  mayHaveMoved(sessionId: bigint): boolean {
    return this.placeOf(sessionId).connections > 1;
  }

  /** Whether it had moved to another server before the txn was proposed. */
  hadMoved(sessionId: bigint, { connection, at }: SentWrite, zxid: bigint): boolean {
    if (this.shared.has(sessionId)) return false;
    const place = this.placeOf(sessionId);
    const { connections, welcomes, welcomed, movedAt } = place;
    if (welcomes < connections || at === place.at) return false;
    const isLater = zxid > movedAt && zxidEpoch(zxid) === zxidEpoch(movedAt);
    return connection < welcomed && isLater;
  }
}
