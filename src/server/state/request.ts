import type { Txn, TxnHead } from '../../files/txn.js';
import type { InputArchive } from '../../jute/input-archive.js';
import type { Id } from '../../protocol/data.js';
import type { ChangeRecord } from '../prep/change-record.js';
import type { KeeperPart } from '../prep/keeper-parts.js';
import type { SessionOwner } from '../session/session-tracker.js';
import type { AuditDraft } from './audit.js';
import type { ClientConnection } from './client-connection.js';

/** The sender of a request without a connection here, mostly a learner. */
export interface RequestOrigin extends SessionOwner {
  synced(): void;
}

export interface Forwarded {
  /** Owns the session from then on. */
  readonly origin: RequestOrigin;
  readonly sessionId: bigint;
  readonly cxid: number;
  readonly type: number;
  readonly input: InputArchive;
  readonly ids: readonly Id[];
  /** Its server knows which txns answer an operation of ClickHouse Keeper. */
  readonly isOfKeeper: boolean;
}

/**
 * A request between accept and reply. A write gets its txn from prep and waits for its commit. A
 * read exists only while it waits for a write of its own session.
 */
export class Request {
  /** Null if the server itself closes a session, or another server's client sent the request. */
  readonly connection: ClientConnection | null;
  readonly sessionId: bigint;
  readonly xid: number;
  readonly type: number;
  readonly startedMs: number;
  /** The ids of its client on arrival; a later auth counts only for later requests. */
  readonly ids: readonly Id[];
  /** The body of a waiting read, a view of the chunk it came in; null for a write. */
  body: Buffer | null = null;
  /** The bytes of its txn, or of its packet to the leader; 0 for a read, and before either. */
  made = 0;
  /** Header and body, or what it made if that is more. Set once, before the request is queued. */
  size = 0;
  /** A sync that also waits for writes of other sessions; false once they are applied. */
  isBarrier = false;
  /** The sender on another server; null for a client of this server. Set before it is proposed. */
  origin: RequestOrigin | null = null;
  /** The last zxid in this learner's log when it forwarded the request. */
  sentAfter = 0n;
  /** It creates an ephemeral of a local session that may not become global. */
  isRefusedEphemeral = false;
  /** The bytes counted as large until the answer; 0 if it is not large. */
  largeBytes = 0;
  /** The head of its txn; null for a read, and before prep or the leader decides. Set once. */
  head: TxnHead | null = null;
  /** Its txn, set together with `head`. */
  txn: Txn | null = null;
  /** Its pending changes until the txn is applied; empty on a learner. */
  records = NO_RECORDS;
  /** The digest of the tree after the txn; null for errors and without digests. */
  digest: bigint | null = null;
  /** The parts of a request with operations of ClickHouse Keeper; null for any other request. */
  parts: readonly KeeperPart[] | null = null;
  /** What the audit log needs of the request; null without an audit log. */
  audit: AuditDraft | null = null;

  constructor(
    connection: ClientConnection | null,
    sessionId: bigint,
    xid: number,
    type: number,
    startedMs: number,
  ) {
    this.connection = connection;
    this.sessionId = sessionId;
    this.xid = xid;
    this.type = type;
    this.startedMs = startedMs;
    this.ids = connection === null ? NO_IDS : connection.ids;
  }
}

/** int xid, int type */
export const REQUEST_HEADER_SIZE = 8;

export const NO_RECORDS: readonly ChangeRecord[] = [];

/** The type of a request whose body was skipped, because it exceeds jute.maxbuffer. */
export const TOO_LONG = -0x8000_0000;

/** Marks requests that were refused because they waited too long. */
export const THROTTLED = Number.MIN_SAFE_INTEGER;

const NO_IDS: readonly Id[] = [];
