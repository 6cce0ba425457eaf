/**
 * A ZooKeeper server as a value: `step` an event, `drain` the effects. It opens no socket, reads no
 * file and asks no clock, so the same code serves real clients and a simulation.
 *
 *   accept -> decode -> [write] prep -> propose + append -> (durable) ack -> commit -> final -> reply
 *                    -> [read]  commit gate (own session's writes) -> final -> reply
 *
 * A standalone server is a quorum of one: its own ack is the event that an append carries, and
 * nothing is applied, answered or announced before it.
 */

import type { ServerView } from '../fourlw/server-view.js';
import type { Whitelist } from '../fourlw/whitelist.js';
import { InputArchive } from '../jute/input-archive.js';
import { ErrorCode } from '../protocol/error-code.js';
import { OpCode } from '../protocol/op-code.js';
import { assert } from './assert.js';
import { draftAudit } from './audit.js';
import { answerSasl, authenticate } from './authenticate.js';
import { ClientConnection } from './client-connection.js';
import { Connections } from './connections.js';
import type { Effect } from './effects.js';
import type { Event } from './events.js';
import { Fifo } from './fifo.js';
import { readHandshake, writeConnectResponse } from './handshake.js';
import { RequestGate } from './limits/request-gate.js';
import { LogBatch } from './log-batch.js';
import type { ContainerManager } from './pipeline/container-manager.js';
import { FinalProcessor } from './pipeline/final.js';
import type { Prepared, Stamp } from './pipeline/prep.js';
import { ReadProcessor } from './pipeline/read.js';
import { Request } from './pipeline/request.js';
import { READS, WRITES } from './pipeline/request-kinds.js';
import { beginReply, endReply, replyWithZxid } from './reply.js';
import type { ServerState } from './server-state.js';
import { SessionIds } from './session/session-ids.js';
import type { Session } from './session/session-tracker.js';
import type { SnapshotContent } from './snapshot-content.js';
import { SnapshotTrigger } from './snapshot-trigger.js';
import { WatchNotifier } from './watch/watch-notifier.js';

/** Request header: int xid, int type. */
const REQUEST_HEADER_SIZE = 8;

export interface ServerParts {
  readonly state: ServerState;
  readonly whitelist: Whitelist;
  /** Connections from one address, and in all; 0 is no limit (maxClientCnxns, maxCnxns). */
  readonly maxClientCnxns: number;
  readonly maxCnxns: number;
  /** Seeds the random trigger of snapshots. */
  readonly seed: number;
  /** Txns since the last snapshot: they count towards the next one. */
  readonly replayed: number;
  readonly containers: ContainerManager;
  readonly makeView: (server: Server) => ServerView;
}

export class Server {
  readonly state: ServerState;
  /** Its answers to the words. */
  readonly view: ServerView;
  private readonly reads: ReadProcessor;
  private readonly final: FinalProcessor;
  private readonly containers: ContainerManager;
  private readonly connections: Connections;
  private readonly snapshots: SnapshotTrigger;
  /** Proposed and not yet committed, in zxid order; a sync waits among them without a txn. */
  private readonly proposals = new Fifo<Request>();
  /** This turn's records for the log. */
  private readonly batch: LogBatch;
  private readonly sessionIds: SessionIds;
  private readonly gate: RequestGate;
  private effects: Effect[] = [];
  private readonly input = new InputArchive(Buffer.alloc(0));

  constructor(parts: ServerParts) {
    this.state = parts.state;
    this.containers = parts.containers;
    this.batch = new LogBatch(parts.state.tree.lastProcessedZxid);
    this.sessionIds = new SessionIds(parts.state.settings.serverId);
    this.snapshots = new SnapshotTrigger(parts.state.settings, parts.seed, parts.replayed);
    const notifier = new WatchNotifier(this.state);
    this.state.tree.listener = notifier;
    this.state.tree.stopDigesting();
    this.reads = new ReadProcessor(this.state, notifier);
    this.final = new FinalProcessor(this.state);
    this.gate = new RequestGate(this.state, {
      inProcess: () => this.proposals.length,
      serve: (connection, bytes, start, end) => this.request(connection, bytes, start, end),
      refuse: this.refuse,
      close: (connection) => this.connections.close(connection),
    });
    this.view = parts.makeView(this);
    this.connections = new Connections(this.state, {
      whitelist: parts.whitelist,
      maxPerAddress: parts.maxClientCnxns,
      maxInAll: parts.maxCnxns,
      view: this.view,
      onFrame: this.onFrame,
    });
  }

  /** Requests received and not yet answered. */
  get outstandingRequests(): number {
    return this.proposals.length + this.gate.waiting;
  }

  step(event: Event): void {
    switch (event.kind) {
      case 'received':
        this.receive(event.connection, event.bytes);
        break;
      case 'ack':
        this.commit(event.zxid);
        break;
      case 'clock':
        this.tick(event.wallMs, event.monotonicMs);
        break;
      case 'connected':
        this.connections.accept(event);
        break;
      case 'disconnected':
        this.connections.disconnect(event.connection);
        break;
      case 'evicted':
        this.connections.evict(event.connection);
        break;
      case 'counted':
        this.state.stats.count(event.what);
        break;
      case 'measured':
        this.state.stats.measured(event.what, event.value);
        break;
    }
  }

  /** The effects of all steps since the last drain: one write a connection, one append. */
  drain(): readonly Effect[] {
    const { effects } = this;
    const append = this.batch.take();
    if (append !== undefined) {
      const count = Number(append.lastZxid - append.firstZxid) + 1;
      this.state.stats.metrics.record('sync_processor_batch_size', count);
      effects.push(append);
    }
    this.connections.drainInto(effects);
    if (effects.length > 0) this.effects = [];
    return effects;
  }

  private receive(id: number, bytes: Buffer): void {
    const connection = this.state.connections.get(id);
    if (connection === undefined) return;
    this.connections.receive(connection, bytes);
    this.connections.holdBack(connection, this.outstandingRequests);
  }

  // ── requests ─────────────────────────────────────────────────────────────────────────────────

  private readonly onFrame = (
    connection: ClientConnection,
    bytes: Buffer,
    start: number,
    end: number,
  ): void => {
    if (connection.phase === 'open') this.gate.enter(connection, bytes, start, end);
    else if (connection.phase === 'connecting') connection.early.push(bytes.subarray(start, end));
    else if (connection.phase === 'new') this.connect(connection, bytes, start, end);
  };

  private request(connection: ClientConnection, bytes: Buffer, start: number, end: number): void {
    const { state } = this;
    connection.stats.received++;
    state.stats.received++;
    if (end - start < REQUEST_HEADER_SIZE) {
      this.connections.close(connection);
      return;
    }
    const input = this.input.reset(bytes, start, end);
    const xid = input.readInt();
    const type = input.readInt();
    const session = connection.session as Session;
    state.sessions.touch(session, state.monotonicMs);
    connection.stats.lastOperation = type;
    connection.stats.lastCxid = xid;
    if (!state.auth.isServed(connection.ids) && type !== OpCode.auth && type !== OpCode.sasl) {
      replyWithZxid(state, connection, xid, 0n, ErrorCode.SESSIONCLOSEDREQUIRESASLAUTH);
      this.connections.close(connection);
      return;
    }
    if (WRITES.has(type)) {
      this.write(connection, session, xid, type, input);
    } else if (READS.has(type)) {
      this.read(connection, session, xid, type, input);
    } else {
      this.requestSpecial(connection, session, xid, type, input);
    }
  }

  private read(
    connection: ClientConnection,
    session: Session,
    xid: number,
    type: number,
    input: InputArchive,
  ): void {
    const isBarrier = type === OpCode.sync && this.proposals.length > 0;
    if (connection.pending.length === 0 && !isBarrier) {
      // Asked when it arrives: a read that waits behind its own writes came before the close.
      if (session.isClosing) {
        endReply(this.state, connection, beginReply(connection, xid), ErrorCode.SESSIONEXPIRED);
        return;
      }
      this.answerRead(connection, xid, type, input, this.state.monotonicMs);
      return;
    }
    const request = new Request(connection, session.id, xid, type, this.state.monotonicMs);
    request.body = input.bytes.subarray(input.at, input.end);
    connection.pending.push(request);
    this.gate.keep(request);
    request.isBarrier = isBarrier;
    if (isBarrier) this.proposals.push(request);
  }

  private answerRead(
    connection: ClientConnection,
    xid: number,
    type: number,
    input: InputArchive,
    startedMs: number,
  ): void {
    if (type === THROTTLED) {
      endReply(this.state, connection, beginReply(connection, xid), ErrorCode.THROTTLEDOP);
    } else {
      this.reads.process(connection, xid, type, input);
    }
    this.state.stats.answeredRead(connection.stats, this.state.monotonicMs, startedMs);
  }

  private write(
    connection: ClientConnection,
    session: Session,
    xid: number,
    type: number,
    input: InputArchive,
  ): void {
    const request = new Request(connection, session.id, xid, type, this.state.monotonicMs);
    const audit = this.state.reporter.options.isAudited ? draftAudit(type, input) : null;
    const prepared = session.isClosing
      ? SESSION_IS_OVER
      : this.state.prep.prepare(
          type,
          input,
          { sessionId: session.id, ids: connection.ids },
          this.nextStamp(),
        );
    request.audit = audit;
    this.propose(request, prepared);
  }

  private requestSpecial(
    connection: ClientConnection,
    session: Session,
    xid: number,
    type: number,
    input: InputArchive,
  ): void {
    switch (type) {
      case OpCode.closeSession:
        this.closeSession(session, connection, xid);
        break;
      case OpCode.auth:
        if (!authenticate(this.state, connection, xid, input)) this.connections.close(connection);
        break;
      case OpCode.sasl:
        if (!answerSasl(this.state, connection, xid, input)) this.connections.close(connection);
        break;
      default:
        replyWithZxid(this.state, connection, xid, -1n, ErrorCode.UNIMPLEMENTED);
        this.connections.close(connection);
    }
  }

  /** It waited too long to be served; the answer has its place behind those before it. */
  private readonly refuse = (
    connection: ClientConnection,
    frame: Buffer,
    startedMs: number,
  ): void => {
    const { session, pending } = connection;
    if (session === null) return;
    const request = new Request(connection, session.id, frame.readInt32BE(0), THROTTLED, startedMs);
    request.body = NOTHING;
    pending.push(request);
    if (pending.length === 1) this.answerWaiting(connection);
  };

  // ── sessions ─────────────────────────────────────────────────────────────────────────────────

  private connect(connection: ClientConnection, bytes: Buffer, start: number, end: number): void {
    const { state } = this;
    connection.stats.received++;
    state.stats.received++;
    const handshake = readHandshake(state, connection, this.input.reset(bytes, start, end));
    connection.stats.lastOperation = OpCode.createSession;
    switch (handshake.kind) {
      case 'refuse':
        state.reporter.add({ ...handshake, kind: 'refused', remoteIp: connection.remoteIp });
        this.connections.close(connection);
        break;
      case 'expired':
        writeConnectResponse(state, connection, null);
        this.connections.close(connection);
        break;
      case 'attach':
        handshake.session.timeoutMs = handshake.timeoutMs;
        this.attach(connection, handshake.session);
        break;
      case 'create':
        this.createSession(connection, handshake.timeoutMs);
        break;
    }
  }

  private attach(connection: ClientConnection, session: Session): void {
    const before = session.holder;
    if (before instanceof ClientConnection) this.connections.close(before);
    this.state.sessions.touch(session, this.state.monotonicMs);
    this.state.reporter.session('session-resumed', connection, session);
    this.opened(connection, session);
  }

  private createSession(connection: ClientConnection, timeoutMs: number): void {
    connection.phase = 'connecting';
    const id = this.sessionIds.next(this.state.sessions, this.state.wallMs);
    const request = new Request(connection, id, 0, OpCode.createSession, this.state.monotonicMs);
    this.propose(request, this.state.prep.prepareSession(timeoutMs));
  }

  private opened(connection: ClientConnection, session: Session): void {
    connection.session = session;
    session.holder = connection;
    connection.phase = 'open';
    this.connections.opened(connection);
    writeConnectResponse(this.state, connection, session);
    for (let frame = connection.early.shift(); frame; frame = connection.early.shift()) {
      this.onFrame(connection, frame, 0, frame.length);
    }
  }

  /** @param connection whose request it is; null when the server ends the session itself */
  private closeSession(session: Session, connection: ClientConnection | null, xid: number): void {
    const prepared =
      connection !== null && session.isClosing
        ? SESSION_IS_OVER
        : this.state.prep.prepareClose(session.id, this.nextStamp());
    session.isClosing = true;
    this.propose(
      new Request(connection, session.id, xid, OpCode.closeSession, this.state.monotonicMs),
      prepared,
    );
  }

  // ── proposals ────────────────────────────────────────────────────────────────────────────────

  /** What the next txn will carry; the wall clock enters it here. */
  private nextStamp(): Stamp {
    return { zxid: this.batch.lastZxid + 1n, time: BigInt(this.state.wallMs) };
  }

  private propose(request: Request, { txn, records, digest }: Prepared): void {
    const { zxid, time } = this.nextStamp();
    assert((zxid & 0xffff_ffffn) !== 0n, 'the counter of this epoch is used up');
    const head = { sessionId: request.sessionId, cxid: request.xid, zxid, time };
    request.head = head;
    request.txn = txn;
    request.records = records;
    this.state.stats.metrics.changesQueued += records.length;
    request.digest = digest;
    const size = this.batch.add(head, txn, digest);
    this.proposals.push(request);
    request.connection?.pending.push(request);
    this.gate.keep(request);
    if (this.snapshots.isDue(size)) {
      this.effects.push({ kind: 'snapshot', content: this.snapshotContent() });
    }
  }

  /** What a snapshot that begins now is made of. */
  snapshotContent(): SnapshotContent {
    const { tree } = this.state;
    const sessions = [...this.state.sessions.values()].map(({ id, timeoutMs }) => ({
      id,
      timeoutMs,
    }));
    return { tree, sessions, zxid: tree.lastProcessedZxid };
  }

  /** Everything up to `zxid` is durable on a quorum: it is applied and answered, in order. */
  private commit(zxid: bigint): void {
    for (let request = this.proposals.peek(); request; request = this.proposals.peek()) {
      if (request.head !== null && request.head.zxid > zxid) break;
      this.proposals.shift();
      if (request.head !== null) this.commitOne(request);
      this.gate.done(request);
      if (request.connection !== null) this.advance(request.connection, request);
    }
    this.gate.release();
    this.connections.resume(this.outstandingRequests);
  }

  private commitOne(request: Request): void {
    const { head, txn, connection } = request;
    assert(head !== null && txn !== null, 'a proposal without a txn');
    this.final.process(request, head, txn);
    this.state.reporter.committed(request, txn, this.state.monotonicMs);
    if (connection !== null) {
      connection.stats.lastZxid = head.zxid;
      this.state.stats.answeredUpdate(connection.stats, this.state.monotonicMs, request.startedMs);
    }
    if (txn.type === OpCode.createSession) {
      const { sessions, monotonicMs } = this.state;
      const session = sessions.add(head.sessionId, txn.timeoutMs, monotonicMs);
      if (connection?.phase === 'connecting') {
        this.state.reporter.session('session-opened', connection, session);
        this.opened(connection, session);
      }
    } else if (txn.type === OpCode.closeSession) {
      const holder = this.state.sessions.remove(head.sessionId)?.holder;
      if (holder instanceof ClientConnection) this.connections.close(holder);
    }
  }

  /** `done` was the head of the connection's queue; the reads behind it are answered now. */
  private advance(connection: ClientConnection, done: Request): void {
    const { pending } = connection;
    // A sync that waited for others' writes is answered in its place in the queue.
    if (done.head === null) done.isBarrier = false;
    else assert(pending.shift() === done, 'replies of a connection out of order');
    this.answerWaiting(connection);
  }

  private answerWaiting(connection: ClientConnection): void {
    const { pending } = connection;
    for (let next = pending.peek(); next?.body; next = pending.peek()) {
      if (next.isBarrier) break;
      pending.shift();
      this.gate.done(next);
      if (connection.phase !== 'open') continue;
      const input = this.input.reset(next.body, 0, next.body.length);
      this.answerRead(connection, next.xid, next.type, input, next.startedMs);
      this.state.reporter.answeredLate(next, this.state.monotonicMs);
    }
  }

  // ── time ─────────────────────────────────────────────────────────────────────────────────────

  /** The rest of a big bucket is due in the next turn, if the log keeps up. */
  private expireSessions(): void {
    const { sessions, stats, reporter, tree, monotonicMs } = this.state;
    const room = this.proposals.length < 4 * EXPIRY_SLICE ? EXPIRY_SLICE : 0;
    for (let left = room; left > 0; ) {
      const [session] = sessions.expire(monotonicMs, 1);
      if (session === undefined) return;
      left -= 1 + tree.ephemeralsOf(session.id).size;
      stats.count('stale_sessions_expired');
      reporter.add({ kind: 'session-expired', sessionId: session.id });
      this.closeSession(session, null, 0);
    }
    this.effects.push({ kind: 'wake' });
  }

  private tick(wallMs: number, monotonicMs: number): void {
    const { state } = this;
    state.wallMs = wallMs;
    state.monotonicMs = monotonicMs;
    if (monotonicMs >= state.sessions.nextExpiryMs) {
      this.expireSessions();
      this.connections.closeUnopened();
    }
    this.gate.release();
    for (const path of this.containers.poll(monotonicMs, wallMs)) {
      const request = new Request(null, 0n, 0, OpCode.deleteContainer, monotonicMs);
      this.propose(request, state.prep.prepareReap(path, this.nextStamp()));
    }
  }
}

/** Sessions and ephemerals that end in one turn: when very many do, the others must not wait. */
const EXPIRY_SLICE = 500;
/** What a request that was refused for having waited too long is in its connection's queue. */
const THROTTLED = Number.MIN_SAFE_INTEGER;
const NOTHING = Buffer.alloc(0);

const SESSION_IS_OVER: Prepared = {
  txn: { type: OpCode.error, err: ErrorCode.SESSIONEXPIRED },
  records: [],
  digest: null,
};
