import type { InputArchive } from '../../jute/input-archive.js';
import type { Id } from '../../protocol/data.js';
import type { ChangeRecord } from '../prep/change-record.js';
import type { SessionOwner } from '../session/session-tracker.js';
import type { Txn, TxnHead } from '../tree/txn.js';
import type { AuditDraft } from './audit.js';
import type { ClientConnection } from './client-connection.js';

/** Who sent a request that no connection of this server did: a learner, mostly. */
export interface RequestOrigin extends SessionOwner {
  /** Its oldest sync has its turn. */
  synced(): void;
}

/** A request that a learner forwarded. */
export interface Forwarded {
  /** Who sent it; the session belongs to it from then on. */
  readonly origin: RequestOrigin;
  readonly sessionId: bigint;
  readonly cxid: number;
  readonly type: number;
  /** Its body. */
  readonly input: InputArchive;
  readonly ids: readonly Id[];
}

/**
 * A request between accept and reply. A write gets its txn from prep and waits for its commit; a
 * read exists only while it waits behind a write of its own session, or is answered where it
 * arrived.
 */
export class Request {
  /** Null when the server closes a session itself, or another server's client asked. */
  readonly connection: ClientConnection | null;
  readonly sessionId: bigint;
  readonly xid: number;
  readonly type: number;
  readonly startedMs: number;
  /** Of its client when it came; an auth that follows it counts for later requests. */
  readonly ids: readonly Id[];
  /** The body of a read that waits: a view of the chunk it came in. */
  body: Buffer | null = null;
  /** Header and body as they came, in bytes; 0 where no client sent it. */
  size = 0;
  /** A sync that waits for writes of other sessions, too. */
  isBarrier = false;
  /** The learner that forwarded it to this leader; null where it came from a client of its own. */
  origin: RequestOrigin | null = null;
  /** The last zxid that this learner had logged when it forwarded the request. */
  sentAfter = 0n;
  /** An ephemeral of a local session that may not become one of the ensemble. */
  isRefusedEphemeral = false;
  /** What it counts for among the large requests, in bytes; 0 when it is none. */
  largeBytes = 0;
  head: TxnHead | null = null;
  txn: Txn | null = null;
  /** What the txn leaves outstanding until it is applied. */
  records: readonly ChangeRecord[] = [];
  /** The digest of the tree behind the txn; null for errors, and where none is kept. */
  digest: bigint | null = null;
  /** What a client asked for, where that is audited. */
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

/** The type of what was refused for having waited too long, in the queue of its connection. */
export const THROTTLED = Number.MIN_SAFE_INTEGER;

const NO_IDS: readonly Id[] = [];
