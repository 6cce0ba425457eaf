/**
 * The path of a write on a learner: REQUEST to the leader, back as PROPOSAL (logged and acked when
 * durable) and COMMIT, or as INFORM. It decides nothing. A commit answers the first pending request
 * of its session.
 */
import { assert, halfDone } from '../../../base/assert.js';
import { Fifo } from '../../../base/fifo.js';
import { LongMap } from '../../../base/long-map.js';
import type { Txn, TxnEntry, TxnHead } from '../../../files/txn.js';
import type { ByteRange } from '../../../jute/byte-range.js';
import type { InputArchive } from '../../../jute/input-archive.js';
import { OutputArchive } from '../../../jute/output-archive.js';
import type { Id } from '../../../protocol/data.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import { OpCode } from '../../../protocol/op-code.js';
import type { Effect } from '../../effects.js';
import { LogBatch } from '../../pipeline/log-batch.js';
import type { SnapshotTrigger } from '../../pipeline/snapshot-trigger.js';
import type { EnsemblePipeline, PipelineHost } from '../../pipeline/write-pipeline.js';
import { isTxnOf } from '../../prep/keeper-parts.js';
import { lengthOf } from '../../session/auth.js';
import { SessionIds } from '../../session/session-ids.js';
import type { Session } from '../../session/session-tracker.js';
import { draftAudit } from '../../state/audit.js';
import type { ClientConnection } from '../../state/client-connection.js';
import { Request, type RequestOrigin } from '../../state/request.js';
import type { ServerState } from '../../state/server-state.js';

export interface Upstream {
  request(data: Uint8Array, ids: readonly Id[]): void;
  /** long sessionId | int timeout */
  revalidate(data: Buffer): void;
}

export interface Proposal extends TxnEntry {
  readonly bytes: ByteRange;
}

/** Compares the tree here with the tree of the leader. */
export interface TreeComparison {
  agreed(): void;
  /** @param offset the leader's digest minus the digest here */
  differs(zxid: bigint, offset: bigint): void;
}

export interface LearnerPipelineOptions {
  readonly snapshots: SnapshotTrigger;
  readonly upstream: Upstream;
  readonly comparison: TreeComparison;
  readonly isObserver: boolean;
}

export class LearnerPipeline implements EnsemblePipeline {
  readonly state: ServerState;
  private readonly host: PipelineHost;
  private readonly upstream: Upstream;
  private readonly comparison: TreeComparison;
  private readonly isObserver: boolean;
  private readonly batch: LogBatch;
  /** The last zxid that was sent to the disk; at most `lastLogged`; never falls. */
  private lastAppended: bigint;
  private readonly snapshots: SnapshotTrigger;
  private readonly sessionIds: SessionIds;
  private readonly forwarded = new ForwardedRequests();
  /** Syncs that the leader has not answered, in its order; of this server and its observers. */
  private readonly syncs = new Fifo<Request>();
  private readonly resumptions = new Resumptions();
  private readonly scratch = new OutputArchive();
  /** Digests are compared after this zxid: the leader's snapshot is fuzzy. */
  private compareAfter = 0n;
  /** The last digest compared was equal; false before the first. */
  private isAgreed = false;
  /** A digest of the sync differed: the tree that SNAP brought, and its snapshot, never existed. */
  private hasFuzzySnapshot = false;

  constructor(state: ServerState, host: PipelineHost, options: LearnerPipelineOptions) {
    this.state = state;
    this.host = host;
    this.upstream = options.upstream;
    this.comparison = options.comparison;
    this.isObserver = options.isObserver;
    this.lastAppended = state.tree.lastProcessedZxid;
    this.batch = new LogBatch(this.lastAppended);
    this.snapshots = options.snapshots;
    this.sessionIds = new SessionIds(state.settings.serverId);
    if (state.tree.isFuzzy) this.compareAfter = NEVER;
    state.tree.startDigesting();
    state.sessions.reportTouched();
  }

  get inProcess(): number {
    return this.forwarded.length + this.syncs.length;
  }

  submit(request: Request, _session: Session, input: InputArchive): void {
    const isServed = request.parts === null || this.state.keeperDialect !== 'off';
    assert(isServed, 'request: an operation that the leader does not serve', request.type);
    if (this.state.reporter.options.isAudited) request.audit = draftAudit(request.type, input);
    this.forward(request, input.bytes.subarray(input.at, input.end));
  }

  sync(request: Request): boolean {
    this.send(request, NOTHING, this.syncs);
    return true;
  }

  /** An observer's sync goes to the leader, which answers all syncs in order. */
  expectSync(observer: RequestOrigin): void {
    this.syncs.push(this.syncOf(0n, observer));
  }

  private barrier(resumption: Resumption): void {
    const request = this.syncOf(resumption.sessionId, resumption);
    this.send(request, NOTHING, this.syncs);
  }

  private syncOf(sessionId: bigint, origin: RequestOrigin): Request {
    const request = new Request(null, sessionId, 0, OpCode.sync, this.state.monotonicMs);
    request.origin = origin;
    return request;
  }

  openSession(connection: ClientConnection, timeoutMs: number): void {
    const id = this.sessionIds.next(this.state.sessions, this.state.wallMs);
    this.create(connection, id, timeoutMs);
  }

  upgrade({ id, timeoutMs }: Session): void {
    this.create(null, id, timeoutMs);
  }

  private create(connection: ClientConnection | null, id: bigint, timeoutMs: number): void {
    const request = new Request(connection, id, 0, OpCode.createSession, this.state.monotonicMs);
    const body = Buffer.alloc(4);
    body.writeInt32BE(timeoutMs);
    this.forward(request, body);
  }

  /** Only the leader knows whether the session lives, even if this server never saw it. */
  resume(connection: ClientConnection, sessionId: bigint, timeoutMs: number): void {
    const resumption = new Resumption(connection, sessionId, timeoutMs, this.answer);
    assert(!resumption.isValid, 'request: a session resumed before the leader knows', sessionId);
    this.resumptions.add(resumption);
    const data = Buffer.alloc(12);
    data.writeBigInt64BE(BigInt.asIntN(64, sessionId), 0);
    data.writeInt32BE(timeoutMs, 8);
    this.upstream.revalidate(data);
    // All txns that other servers' clients requested in this session must arrive before this
    // client's request numbers count, and an observer sees only committed ones.
    if (this.isObserver) this.barrier(resumption);
  }

  closeSession(session: Session, connection: ClientConnection, xid: number): void {
    const { monotonicMs } = this.state;
    this.forward(
      new Request(connection, session.id, xid, OpCode.closeSession, monotonicMs),
      NOTHING,
    );
  }

  private forward(request: Request, body: Uint8Array): void {
    this.send(request, body, this);
  }

  /** Called by `send` for what `forward` gives it: a txn of the leader will answer the request. */
  push(request: Request): void {
    this.forwarded.push(request, this.lastLogged);
    this.host.keep(request);
  }

  /**
   * After any exception but an InvariantError, nothing has happened.
   * @param sent keeps the request until its answer; an object, because a closure costs memory
   */
  private send(request: Request, body: Uint8Array, sent: { push(one: Request): void }): void {
    const { scratch } = this;
    scratch.reset();
    scratch.writeLong(request.sessionId);
    scratch.writeInt(request.xid);
    scratch.writeInt(request.type);
    scratch.writeBytes(body);
    const ids = request.connection?.ids ?? [];
    request.made = scratch.length + lengthOf(ids);
    try {
      sent.push(request);
      this.upstream.request(scratch.view(), ids);
    } catch (error) {
      throw halfDone(error);
    }
  }

  /** Logs the txn in the leader's bytes. Returns them in their permanent place. */
  log(zxid: bigint, entry: Buffer): ByteRange {
    assert(
      zxid > this.batch.lastZxid,
      'zxid order: logged out of order',
      zxid,
      this.batch.lastZxid,
    );
    const size = this.batch.addEntry(zxid, entry);
    const logged = this.batch.lastEntry();
    if (this.snapshots.isDue(size, this.state.tree)) this.takeSnapshot();
    return logged;
  }

  private takeSnapshot(): void {
    this.host.emit({ kind: 'snapshot', content: this.host.snapshotContent() });
  }

  /** NEWLEADER: earlier txns may be part of the tree that was sent, so comparisons start here. */
  caughtUp(): void {
    if (this.compareAfter === NEVER) this.compareAfter = this.lastLogged;
    this.state.tree.isFuzzy = false;
    assert(this.compareAfter !== NEVER, 'history: never compares digests', this.lastLogged);
  }

  /**
   * UPTODATE. A start of Apache's server from the snapshot of a tree that never existed counts
   * mismatches, so one of this tree follows.
   */
  serving(): void {
    if (this.hasFuzzySnapshot) this.takeSnapshot();
    this.hasFuzzySnapshot = false;
  }

  get lastLogged(): bigint {
    return this.batch.lastZxid;
  }

  commit({ head, txn, digest }: Proposal): void {
    const { state } = this;
    const request = this.answeredBy(head, txn) ?? foreignRequest(head, state.monotonicMs);
    assert(request.head === null, 'request: answered twice', request.head?.zxid, head.zxid);
    request.head = head;
    request.txn = txn;
    this.host.commit(request);
    state.tree.noteDigest(head.zxid);
    if (digest === null || !state.tree.isDigestEnabled) return;
    const own = state.tree.digest.value;
    if (head.zxid <= this.compareAfter) {
      if (digest !== own) this.hasFuzzySnapshot = true;
    } else if (digest !== own) {
      this.isAgreed = false;
      state.stats.count('digest_mismatches_count');
      this.comparison.differs(head.zxid, BigInt.asUintN(64, digest - own));
    } else if (!this.isAgreed) {
      this.isAgreed = true;
      this.comparison.agreed();
    }
  }

  /**
   * The request that the txn answers. A client whose session moved gets no answer: its connection
   * is closed, as by Apache's servers.
   */
  private answeredBy(head: TxnHead, txn: Txn): Request | undefined {
    const request = this.forwarded.take(head, txn);
    const connection = request?.connection ?? null;
    if (request === undefined || connection === null) return request;
    const isNext = connection.pending.peek() === request;
    if (isNext && !isMoved(txn)) return request;
    this.host.drop(connection);
    return isNext ? request : undefined;
  }

  synced(): void {
    const request = this.syncs.shift();
    if (request === undefined) return;
    if (request.origin === null) this.host.synced(request);
    else request.origin.synced();
  }

  revalidated(sessionId: bigint, isValid: boolean): void {
    const resumption = this.resumptions.take(sessionId);
    if (resumption === undefined) return;
    resumption.isValid = isValid;
    if (!this.isObserver) this.answer(resumption);
  }

  private readonly answer = ({ connection, sessionId, timeoutMs, isValid }: Resumption): void => {
    if (!isValid) {
      this.host.expired(connection);
      return;
    }
    const { sessions, monotonicMs } = this.state;
    const session = sessions.get(sessionId) ?? sessions.add(sessionId, timeoutMs, monotonicMs);
    this.host.attach(connection, session, timeoutMs);
  };

  /** The sessions active since the last call, encoded for PING. */
  touched(): Buffer {
    const { scratch } = this;
    scratch.reset();
    for (const { id, timeoutMs } of this.state.sessions.takeTouched()) {
      scratch.writeLong(id);
      scratch.writeInt(timeoutMs);
    }
    return Buffer.from(scratch.view());
  }

  /** Once a turn: each COMMIT is a packet, and the packets of a turn are one batch. */
  released(): void {
    this.host.released();
  }

  durable(zxid: bigint): void {
    if (zxid > this.lastAppended)
      assert(false, 'disk: stored a txn that was never appended', zxid, this.lastAppended);
  }

  tick(): void {
    // The leader expires sessions and deletes containers.
  }

  drainInto(effects: Effect[]): void {
    const append = this.batch.take();
    if (append === undefined) return;
    this.lastAppended = append.lastZxid;
    effects.push(append);
  }
}

const NOTHING = Buffer.alloc(0);
/** Later than every zxid. */
const NEVER = 0x7fff_ffff_ffff_ffffn;

function foreignRequest(head: Proposal['head'], nowMs: number): Request {
  return new Request(null, head.sessionId, head.cxid, 0, nowMs);
}

/**
 * Requests that the leader has not decided, and which of them a txn answers.
 *
 * A txn names only its session and the client's request number (cxid), as in Apache's
 * CommitProcessor. That is ambiguous when a session moves: a new client process counts from 1 again
 * while the old one's requests commit.
 */
export class ForwardedRequests {
  /** By session, in the order in which the leader decides them. */
  private readonly bySession = new LongMap<Fifo<Request>>();
  /** Requests in all queues, none of which is empty. */
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** @param lastLogged only txns after this one can answer the request */
  push(request: Request, lastLogged: bigint): void {
    assert(request.head === null, 'request: forwarded after its answer', request.head?.zxid);
    request.sentAfter = lastLogged;
    const { sessionId } = request;
    let queue = this.bySession.get(sessionId);
    if (queue === undefined) {
      queue = new Fifo<Request>();
      this.bySession.set(sessionId, queue);
    }
    queue.push(request);
    this.count++;
  }

  /** Undefined if no client here sent the request of the txn. */
  take({ sessionId, cxid, zxid }: TxnHead, txn: Txn): Request | undefined {
    if (this.count === 0) return undefined;
    const queue = this.bySession.get(sessionId);
    const request = queue?.peek();
    if (queue === undefined || request === undefined) return undefined;
    const isAnswer =
      request.xid === cxid && zxid > request.sentAfter && isOfType(txn, request.type);
    if (!isAnswer) return undefined;
    queue.shift();
    if (queue.length === 0) this.bySession.delete(sessionId);
    this.count--;
    assert(this.count >= 0, 'request: more answered than forwarded', this.count);
    return request;
  }
}

/** Another server has the session now, so no answer may be given here. */
export function isMoved(txn: Txn): boolean {
  return txn.type === OpCode.error && txn.err === ErrorCode.SESSIONMOVED;
}

function isOfType(txn: Txn, type: number): boolean {
  return txn.type === type || txn.type === OpCode.error || isTxnOf(type, txn);
}

/** A client that resumes its session, until the leader says whether the session lives. */
export class Resumption implements RequestOrigin {
  readonly name = 'a client that resumes its session';
  readonly connection: ClientConnection;
  readonly sessionId: bigint;
  readonly timeoutMs: number;
  /** As the leader says; false until then. */
  isValid = false;
  private readonly answer: (resumption: Resumption) => void;

  constructor(
    connection: ClientConnection,
    sessionId: bigint,
    timeoutMs: number,
    answer: (resumption: Resumption) => void,
  ) {
    this.connection = connection;
    this.sessionId = sessionId;
    this.timeoutMs = timeoutMs;
    this.answer = answer;
  }

  synced(): void {
    this.answer(this);
  }
}

/** By session; the leader answers in the order asked. */
export class Resumptions {
  /** Those of a session in the order asked; none is empty. */
  private readonly bySession = new LongMap<Resumption[]>();

  add(resumption: Resumption): void {
    const { sessionId } = resumption;
    const waiting = this.bySession.get(sessionId);
    if (waiting === undefined) this.bySession.set(sessionId, [resumption]);
    else waiting.push(resumption);
  }

  take(sessionId: bigint): Resumption | undefined {
    const waiting = this.bySession.get(sessionId);
    assert(waiting?.length !== 0, 'request: an empty queue of a session', sessionId);
    const resumption = waiting?.shift();
    if (waiting?.length === 0) this.bySession.delete(sessionId);
    return resumption;
  }
}
