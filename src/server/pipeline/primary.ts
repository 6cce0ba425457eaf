/**
 * The path of a write on a server that decides: prep -> propose + append -> ack -> commit, in zxid
 * order. A standalone server is a quorum of one; a leader has a listener that sends proposals and
 * counts acks. It never applies or answers a write before its commit.
 */

import { assert, halfDone, InvariantError } from '../../base/assert.js';
import { Fifo } from '../../base/fifo.js';
import type { Txn, TxnHead } from '../../files/txn.js';
import type { InputArchive } from '../../jute/input-archive.js';
import { lowOf } from '../../jute/long.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode } from '../../protocol/op-code.js';
import { WRITES } from '../../protocol/operation-table.js';
import type { Effect } from '../effects.js';
import type { ChangeRecord } from '../prep/change-record.js';
import { keeperParts } from '../prep/keeper-parts.js';
import type { Prepared } from '../prep/prep.js';
import { SessionIds } from '../session/session-ids.js';
import type { Session, SessionOwner } from '../session/session-tracker.js';
import { draftAudit } from '../state/audit.js';
import type { ClientConnection } from '../state/client-connection.js';
import { type Forwarded, Request } from '../state/request.js';
import type { ServerState } from '../state/server-state.js';
import type { TreeAudit } from '../tree/tree-audit.js';
import type { ContainerManager } from './container-manager.js';
import { reportForwarded } from './failed-request.js';
import { LogBatch } from './log-batch.js';
import { openForwarded } from './open-forwarded.js';
import type { ProposalListener } from './proposal-listener.js';
import type { SnapshotTrigger } from './snapshot-trigger.js';
import type { EnsemblePipeline, PipelineHost } from './write-pipeline.js';

/** Far more sessions than close while a forwarded request is on its way. */
const CLOSED_KEPT = 10_000;

export interface PrimaryOptions {
  readonly snapshots: SnapshotTrigger;
  readonly containers: ContainerManager;
  /** Null on a standalone server. */
  readonly listener: ProposalListener | null;
}

export class Primary implements EnsemblePipeline {
  private readonly state: ServerState;
  private readonly host: PipelineHost;
  private readonly containers: ContainerManager;
  private readonly listener: ProposalListener | null;
  private readonly snapshots: SnapshotTrigger;
  private readonly sessionIds: SessionIds;
  /** The uncommitted proposals in zxid order, and syncs between them, which have no txn. */
  private readonly proposals = new Fifo<Request>();
  /** The last txns of the two latest slices of expired sessions: `before` is not after `last`. */
  private expired = { before: 0n, last: 0n };
  /** The last global sessions that closed, oldest first; empty without local sessions. */
  private readonly closed = new Set<bigint>();
  private readonly treeAudit: TreeAudit;
  /** The last zxid that was sent to the disk: not after the last proposed one. */
  private lastAppended: bigint;
  private readonly batch: LogBatch;

  constructor(state: ServerState, host: PipelineHost, options: PrimaryOptions) {
    this.state = state;
    this.host = host;
    this.containers = options.containers;
    this.listener = options.listener;
    this.lastAppended = state.tree.lastProcessedZxid;
    this.batch = new LogBatch(this.lastAppended);
    this.snapshots = options.snapshots;
    this.sessionIds = new SessionIds(state.settings.serverId);
    this.treeAudit = state.tree.audit(state.settings.tickTimeMs);
    state.tree.stopDigesting();
  }

  get inProcess(): number {
    return this.proposals.length;
  }

  get lastLogged(): bigint {
    return this.batch.lastZxid;
  }

  submit(request: Request, session: Session, input: InputArchive): void {
    const { type, ids } = request;
    if (this.state.reporter.options.isAudited) request.audit = draftAudit(type, input);
    const { id: sessionId, isLocal } = session;
    const author = { sessionId, ids, isLocal };
    const head = this.nextHead(request);
    const refusal = session.isClosing ? ErrorCode.SESSIONEXPIRED : this.state.refusedWrites;
    const prepared =
      refusal === null ? this.state.prep.prepare(type, input, author, head) : errorOf(refusal);
    this.propose(request, prepared, head);
  }

  sync(request: Request): boolean {
    if (this.listener === null && this.proposals.length === 0) return false;
    this.listener?.syncAsked();
    this.proposals.push(request);
    return true;
  }

  openSession(connection: ClientConnection, timeoutMs: number): void {
    const id = this.sessionIds.next(this.state.sessions, this.state.wallMs);
    const request = new Request(connection, id, 0, OpCode.createSession, this.state.monotonicMs);
    this.propose(request, this.state.prep.prepareSession(timeoutMs));
  }

  resume(connection: ClientConnection, sessionId: bigint, timeoutMs: number): void {
    const session = this.state.sessions.find(sessionId);
    if (session === undefined || session.isClosing) this.host.expired(connection);
    else this.host.attach(connection, session, timeoutMs);
  }

  upgrade({ id, timeoutMs }: Session): void {
    const request = new Request(null, id, 0, OpCode.createSession, this.state.monotonicMs);
    this.propose(request, this.state.prep.prepareSession(timeoutMs));
  }

  closeSession(session: Session, connection: ClientConnection, xid: number): void {
    this.close(
      session,
      new Request(connection, session.id, xid, OpCode.closeSession, this.state.monotonicMs),
    );
  }

  private close(session: Session, request: Request): void {
    const isAsked = request.connection !== null || request.origin !== null;
    const head = this.nextHead(request);
    const prepared =
      isAsked && session.isClosing
        ? errorOf(ErrorCode.SESSIONEXPIRED)
        : this.state.prep.prepareClose(session.id, head);
    this.propose(request, prepared, head);
    session.isClosing = true;
    if (this.state.sessions.local !== null) this.rememberClosed(session.id);
  }

  private rememberClosed(sessionId: bigint): void {
    this.closed.add(sessionId);
    if (this.closed.size <= CLOSED_KEPT) return;
    for (const oldest of this.closed) {
      this.closed.delete(oldest);
      return;
    }
  }

  /** Takes a request that a learner forwards; the answer is the committed txn. */
  forwarded(forwarded: Forwarded): void {
    const { origin, sessionId, cxid, type } = forwarded;
    const request = new Request(null, sessionId, cxid, type, this.state.monotonicMs);
    request.origin = origin;
    try {
      this.decide(request, forwarded);
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      reportForwarded(this.state, request, origin, error);
      this.propose(request, errorOf(ErrorCode.MARSHALLINGERROR));
    }
  }

  /** Proposes a txn that changes nothing, as that of a refused request. */
  proposeNothing(): void {
    const request = new Request(null, 0n, 0, OpCode.error, this.state.monotonicMs);
    this.propose(request, errorOf(ErrorCode.OK));
  }

  private decide(request: Request, forwarded: Forwarded): void {
    const { origin, sessionId, type, input, ids } = forwarded;
    if (type === OpCode.sync) {
      this.sync(request);
      return;
    }
    if (type === OpCode.createSession) {
      this.closed.delete(sessionId);
      this.propose(request, openForwarded(this.state, request, input));
      return;
    }
    const session = this.state.sessions.find(sessionId);
    // A local session is closed by its own server: only one that became global is forwarded.
    const isClose = type === OpCode.closeSession;
    const isLocal = session === undefined && !isClose && this.isElsewhere(sessionId);
    const refusal = isLocal ? null : this.refusalOf(session, origin, type);
    if (refusal !== null) {
      this.propose(request, errorOf(refusal));
    } else if (isClose && session !== undefined) {
      this.close(session, request);
    } else if (WRITES.has(type) && this.isKnown(forwarded)) {
      const author = { sessionId, ids, isLocal };
      const head = this.nextHead(request);
      this.propose(request, this.state.prep.prepare(type, input, author, head), head);
    } else {
      this.propose(request, errorOf(ErrorCode.UNIMPLEMENTED));
    }
  }

  /** A server without ClickHouse Keeper's dialect would misread the txn of its operations. */
  private isKnown({ isOfKeeper, type, input }: Forwarded): boolean {
    const isAny = isOfKeeper || this.state.settings.isKeeperDialect !== true;
    return isAny || keeperParts(type, input) === null;
  }

  /**
   * A session has one owner (SessionTrackerImpl.checkSession): the first server that uses it.
   * Apache's PrepRequestProcessor does not ask who closes it: a client may on any connection.
   */
  private refusalOf(
    session: Session | undefined,
    origin: SessionOwner,
    type: number,
  ): ErrorCode | null {
    if (session === undefined || session.isClosing) return ErrorCode.SESSIONEXPIRED;
    if (type === OpCode.closeSession) return null;
    session.owner ??= origin;
    return session.owner === origin ? null : ErrorCode.SESSIONMOVED;
  }

  /**
   * Whether the session may be local to another server (LeaderSessionTracker.checkSession). Unlike
   * at Apache's, one that was global and closed may not: its late requests would be out of order.
   */
  private isElsewhere(sessionId: bigint): boolean {
    const { sessions, settings } = this.state;
    if (sessions.local === null || this.closed.has(sessionId)) return false;
    return Number(BigInt.asUintN(8, sessionId >> 56n)) !== (settings.serverId & 0xff);
  }

  private nextHead({ sessionId, xid }: Request): TxnHead {
    return { sessionId, cxid: xid, zxid: this.batch.lastZxid + 1n, time: this.state.wallTime };
  }

  private propose(
    request: Request,
    { txn, records, digest }: Prepared,
    head = this.nextHead(request),
  ): void {
    const { zxid } = head;
    if (request.head !== null || request.txn !== null)
      assert(false, 'one txn: a request gets another', zxid);
    if (txn.type === OpCode.error && records.length > 0)
      assert(false, 'one txn: an error changes', zxid);
    // A leader starts a new epoch before; a standalone server continues, like Apache's.
    if (this.listener !== null && lowOf(zxid) === 0)
      assert(false, 'zxid order: no zxid is left in this epoch', zxid);
    const size = this.log(head, txn, records, digest);
    try {
      request.head = head;
      request.txn = txn;
      request.records = records;
      this.state.stats.metrics.changesQueued += records.length;
      request.digest = digest;
      request.made = size;
      this.proposals.push(request);
      this.host.keep(request);
      this.listener?.proposed(zxid, this.batch.lastEntry(), txn);
      if (this.snapshots.isDue(size, this.state.tree)) {
        this.host.emit({ kind: 'snapshot', content: this.host.snapshotContent() });
      }
    } catch (error) {
      throw halfDone(error);
    }
  }

  /** After an exception, nothing has happened. Returns the size of the record in bytes. */
  private log(
    head: TxnHead,
    txn: Txn,
    records: readonly ChangeRecord[],
    digest: bigint | null,
  ): number {
    try {
      return this.batch.add(head, txn, digest);
    } catch (error) {
      const { outstanding } = this.state.prep;
      outstanding.undo(records, outstanding.puts - records.length, head.zxid);
      throw error;
    }
  }

  durable(zxid: bigint): void {
    if (zxid > this.lastAppended)
      assert(false, 'disk: stored a txn that was never appended', zxid, this.lastAppended);
    if (this.listener === null) this.commit(zxid);
  }

  /** Applies and answers everything up to `zxid`, which a quorum has on disk. */
  commit(zxid: bigint): void {
    const { lastZxid } = this.batch;
    if (zxid > lastZxid) assert(false, 'zxid order: committed, proposed', zxid, lastZxid);
    for (let request = this.proposals.peek(); request; request = this.proposals.peek()) {
      const { head } = request;
      if (head !== null && head.zxid > zxid) break;
      if (head === null && this.listener?.takeSync() === false) break;
      this.proposals.shift();
      if (head !== null) {
        this.checkNext(head.zxid);
        this.listener?.committed(head.zxid);
        this.host.commit(request);
      } else if (request.origin === null) {
        if (request.type !== OpCode.sync)
          assert(false, 'one txn: a proposal without one', request.type);
        this.host.synced(request);
      } else {
        this.listener?.synced(request);
      }
    }
    this.checkApplied();
    this.host.released();
    if (this.state.monotonicMs >= this.state.sessions.nextExpiryMs)
      this.host.emit({ kind: 'wake' });
  }

  /** Every txn is committed once: none is left out, and none comes again. */
  private checkNext(zxid: bigint): void {
    const step = (lowOf(zxid) - this.state.zxidLow) | 0;
    if (step === 1) return;
    assert(false, 'zxid order: committed, applied', zxid, this.state.tree.lastProcessedZxid);
  }

  /** The replies show what the tree shows. */
  private checkApplied(): void {
    const { tree, zxidLow } = this.state;
    const isShown = lowOf(tree.lastProcessedZxid) === zxidLow;
    assert(isShown, 'zxid order: applied, shown', tree.lastProcessedZxid, zxidLow);
  }

  tick(): void {
    const { state } = this;
    this.treeAudit.poll(state.monotonicMs);
    if (state.monotonicMs >= state.sessions.nextExpiryMs) this.expireSessions();
    for (const path of this.containers.poll(state.monotonicMs, state.wallMs)) {
      if (!this.containers.isDue(state.prep.outstanding.get(path), state.wallMs)) continue;
      const request = new Request(null, 0n, 0, OpCode.deleteContainer, state.monotonicMs);
      const head = this.nextHead(request);
      this.propose(request, state.prep.prepareReap(path, head), head);
    }
  }

  /** Keeps at most two slices uncommitted, so that no turn applies more. */
  private expireSessions(): void {
    const { sessions, stats, reporter, tree, monotonicMs } = this.state;
    if (tree.lastProcessedZxid < this.expired.before) return;
    for (let left = EXPIRY_SLICE; left > 0; ) {
      const [session] = sessions.expire(monotonicMs, 1);
      if (session === undefined) return;
      if (!session.isClosing) assert(false, 'sessions: an expired one is not closing', session.id);
      left -= 1 + tree.ephemeralsOf(session.id).size;
      stats.count('stale_sessions_expired');
      reporter.add({ kind: 'session-expired', sessionId: session.id });
      this.close(session, new Request(null, session.id, 0, OpCode.closeSession, monotonicMs));
    }
    const { last: before } = this.expired;
    this.expired = { before, last: this.batch.lastZxid };
    if (before > this.expired.last) assert(false, 'zxid order: expired', before, this.expired.last);
    this.host.emit({ kind: 'wake' });
  }

  drainInto(effects: Effect[]): void {
    const append = this.batch.take();
    if (append === undefined) return;
    const gap = (lowOf(append.firstZxid) - lowOf(this.lastAppended)) | 0;
    if (gap !== 1) assert(false, 'zxid order: appended', append.firstZxid, this.lastAppended);
    this.lastAppended = append.lastZxid;
    const count = Number(append.lastZxid - append.firstZxid) + 1;
    const { stats } = this.state;
    stats.count('prep_processor_request_queued', count);
    stats.count('sync_processor_request_queued', count);
    stats.metrics.record('sync_processor_batch_size', count);
    stats.metrics.record('sync_processor_queue_size', this.proposals.length);
    effects.push(append);
  }
}

function errorOf(err: ErrorCode): Prepared {
  return { txn: { type: OpCode.error, err }, records: [], digest: null };
}

/** Sessions and ephemerals to end in one turn. */
const EXPIRY_SLICE = 100;
