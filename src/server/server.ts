/**
 * A ZooKeeper server as a value: `step` an event, `drain` the effects. It opens no socket, reads no
 * file and reads no clock, so the same code serves real clients and a simulation.
 *
 *   accept -> decode -> request gate -> [write] pipeline: prep + propose, or forward -> commit
 *                                                -> final -> reply
 *                                    -> [read]  read queue (after own writes) -> reply
 *
 * The pipeline determines who decides a write and when it commits (write-pipeline.ts). A server
 * without a pipeline has no quorum: it answers four-letter words and serves no client.
 */

import { assert } from '../base/assert.js';
import type { ServerView } from '../fourlw/base/server-view.js';
import type { Whitelist } from '../fourlw/base/whitelist.js';
import { FrameTooLongError, type LongFrames } from '../jute/frame-decoder.js';
import { InputArchive } from '../jute/input-archive.js';
import { JuteError } from '../jute/jute-error.js';
import { ErrorCode } from '../protocol/error-code.js';
import { FIRST_KEEPER_OP } from '../protocol/keeper-dialect.js';
import { OpCode } from '../protocol/op-code.js';
import { READS, WRITES } from '../protocol/operation-table.js';
import { answerSasl, authenticate } from './connection/authenticate.js';
import { Connections } from './connection/connections.js';
import { readHandshake, writeConnectResponse } from './connection/handshake.js';
import type { Effect } from './effects.js';
import type { Event } from './events.js';
import { LIMITS } from './limits/limits.js';
import { exactContentOf } from './persistence/snapshot-source.js';
import { BackPressure } from './pipeline/back-pressure.js';
import { carryTables, carryWatches } from './pipeline/carry-watches.js';
import { reportFailed } from './pipeline/failed-request.js';
import { FinalProcessor } from './pipeline/final.js';
import { ReadProcessor } from './pipeline/read.js';
import { ReadQueue } from './pipeline/read-queue.js';
import { replyWithZxid } from './pipeline/reply.js';
import { RequestGate } from './pipeline/request-gate.js';
import { WatchNotifier } from './pipeline/watch-notifier.js';
import type { PipelineHost, WritePipeline } from './pipeline/write-pipeline.js';
import { keeperParts } from './prep/keeper-parts.js';
import type { Session, SessionOwner } from './session/session-tracker.js';
import type { ClientConnection } from './state/client-connection.js';
import { CommitMetrics } from './state/commit-metrics.js';
import { REQUEST_HEADER_SIZE, Request, THROTTLED, TOO_LONG } from './state/request.js';
import { pathOfRequest } from './state/request-path.js';
import type { ServerState } from './state/server-state.js';

export interface ServerParts {
  readonly state: ServerState;
  readonly whitelist: Whitelist;
  /** maxClientCnxns, maxCnxns; 0: no limit. */
  readonly maxClientCnxns: number;
  readonly maxCnxns: number;
  /** Null serves nobody. */
  readonly makePipeline: ((state: ServerState, host: PipelineHost) => WritePipeline) | null;
  readonly makeView: (server: Server) => ServerView;
}

/**
 * A request that is too long is answered in its turn. One of the client itself, such as a
 * setWatches, has no answer that every client reads, so its connection closes.
 */
const LONG_REQUESTS: LongFrames = {
  maxSkipped: LIMITS.skippedRequestLength.value,
  begin(head, length) {
    if (head.readInt32BE(0) < 0) throw new FrameTooLongError('a request of the client', length);
    head.writeInt32BE(TOO_LONG, 4);
  },
};

export class Server {
  readonly state: ServerState;
  readonly view: ServerView;
  private readonly reads: ReadQueue;
  private readonly final: FinalProcessor;
  readonly connections: Connections;
  private readonly pressure: BackPressure;
  private readonly commits: CommitMetrics;
  readonly pipeline: WritePipeline | null;
  /** A member of an ensemble accepts clients once it is in sync with its leader. */
  isOpen = true;
  /** Accepted work is finished, but nothing new starts: its tree will be replaced. */
  isHalting = false;
  private readonly gate: RequestGate;
  private effects: Effect[] = [];
  private readonly input = new InputArchive(Buffer.alloc(0));

  constructor(parts: ServerParts) {
    this.state = parts.state;
    const notifier = new WatchNotifier(this.state);
    this.state.tree.listener = notifier;
    this.final = new FinalProcessor(this.state);
    this.gate = new RequestGate(this.state, {
      inProcess: () => this.pipeline?.inProcess ?? 0,
      serve: (connection, bytes, start, end) => this.request(connection, bytes, start, end),
      refuse: this.refuse,
      close: (connection) => this.connections.close(connection),
    });
    this.view = parts.makeView(this);
    this.pressure = new BackPressure(this.state, () => this.outstandingRequests);
    this.reads = new ReadQueue(this.state, {
      reads: new ReadProcessor(this.state, notifier),
      gate: this.gate,
      pressure: this.pressure,
      pipeline: () => this.pipeline,
      close: (connection) => this.connections.close(connection),
    });
    this.commits = new CommitMetrics(this.state.stats.metrics);
    this.connections = new Connections(this.state, {
      whitelist: parts.whitelist,
      maxPerAddress: parts.maxClientCnxns,
      maxInAll: parts.maxCnxns,
      view: this.view,
      onFrame: this.onFrame,
      goOn: (connection) => this.reads.goOn(connection),
      pressure: this.pressure,
    });
    this.pipeline = parts.makePipeline?.(this.state, this.makeHost()) ?? null;
  }

  private makeHost(): PipelineHost {
    return {
      keep: (request) => this.reads.keep(request),
      commit: (request) => this.commit(request),
      synced: (request) => this.synced(request),
      released: () => this.released(),
      open: (connection, session) => this.opened(connection, session, 'session-opened'),
      attach: (connection, session, timeoutMs) => this.attach(connection, session, timeoutMs),
      expired: (connection) => this.expired(connection),
      drop: (connection) => this.connections.close(connection),
      emit: (effect) => this.effects.push(effect),
      snapshotContent: () => exactContentOf(this.state),
    };
  }

  /** Its driver sends the time often enough. */
  get nextWakeMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  get outstandingRequests(): number {
    return (this.pipeline?.inProcess ?? 0) + this.gate.waiting;
  }

  step(event: Event): void {
    switch (event.kind) {
      case 'ack':
        this.pipeline?.durable(event.zxid);
        break;
      case 'clock':
        this.tick(event.wallMs, event.monotonicMs);
        break;
      case 'connected':
      case 'received':
      case 'drained':
      case 'disconnected':
      case 'evicted':
        this.connections.step(event);
        break;
      case 'counted':
      case 'limit-exceeded':
      case 'measured':
      case 'fault':
        this.state.note(event);
        break;
    }
  }

  beginSnapshot(): void {
    this.effects.push({ kind: 'snapshot', content: exactContentOf(this.state) });
  }

  /** The effects of all steps since the last drain: one write per connection, one append. */
  drain(): readonly Effect[] {
    const { effects } = this;
    this.pipeline?.drainInto(effects);
    this.connections.drainInto(effects);
    if (effects.length > 0) this.effects = [];
    return effects;
  }

  private readonly onFrame = (
    connection: ClientConnection,
    bytes: Buffer,
    start: number,
    end: number,
  ): void => {
    if (connection.phase === 'open') this.gate.enter(connection, bytes, start, end);
    else if (connection.phase === 'new') this.connect(connection, bytes, start, end);
    else this.connections.keepEarly(connection, bytes, start, end);
  };

  private request(connection: ClientConnection, bytes: Buffer, start: number, end: number): void {
    const { state } = this;
    if (connection.decoder.isHeld) {
      // It waited for room, and its connection waits for another turn.
      connection.decoder.putLast(bytes.subarray(start, end));
      return;
    }
    const { steps } = state.work;
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
    const before = connection.out.length;
    try {
      this.dispatch(connection, session, xid, type, input);
    } catch (error) {
      reportFailed(state, connection, before, error);
      this.connections.close(connection);
    }
    if (state.work.steps !== steps) this.pressure.didWork(connection, state.work.steps - steps);
  }

  /** An exception fails only this request: what has changed by then is taken back. */
  private dispatch(
    connection: ClientConnection,
    session: Session,
    xid: number,
    type: number,
    input: InputArchive,
  ): void {
    if (!this.isServed(type)) {
      this.requestSpecial(connection, session, xid, type, input);
    } else if (WRITES.has(type) || (this.state.isReadOnly && type === OpCode.sync)) {
      this.write(connection, session, xid, type, input);
    } else if (READS.has(type) || type === TOO_LONG) {
      this.reads.add(connection, session, xid, type, input);
    } else {
      this.requestSpecial(connection, session, xid, type, input);
    }
  }

  private isServed(type: number): boolean {
    return type < FIRST_KEEPER_OP || this.state.keeperDialect !== 'off';
  }

  private write(
    connection: ClientConnection,
    session: Session,
    xid: number,
    type: number,
    input: InputArchive,
  ): void {
    const { bytes, at, end } = input;
    if (this.state.stats.metrics.load.isDue(end - at)) {
      this.state.sampled(connection, end - at, pathOfRequest(type, bytes, at, end));
    }
    const request = new Request(connection, session.id, xid, type, this.state.monotonicMs);
    const { settings, keeperDialect } = this.state;
    if (settings.isKeeperDialect === true) request.parts = keeperParts(type, input);
    if (request.parts !== null && keeperDialect === 'off') this.refuseUnknown(connection, xid);
    else this.pipeline?.submit(request, session, input);
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
        this.pipeline?.closeSession(session, connection, xid);
        break;
      case OpCode.auth:
      case OpCode.sasl:
        this.authenticate(connection, xid, type, input);
        break;
      default:
        this.refuseUnknown(connection, xid);
    }
  }

  private refuseUnknown(connection: ClientConnection, xid: number): void {
    replyWithZxid(this.state, connection, xid, -1n, ErrorCode.UNIMPLEMENTED);
    this.connections.close(connection);
  }

  private authenticate(
    connection: ClientConnection,
    xid: number,
    type: number,
    input: InputArchive,
  ): void {
    const answer = type === OpCode.auth ? authenticate : answerSasl;
    if (!answer(this.state, connection, xid, input)) this.connections.close(connection);
  }

  /** The request waited too long; the answer keeps its place in the order. */
  private readonly refuse = (
    connection: ClientConnection,
    frame: Buffer,
    startedMs: number,
  ): void => {
    const { session, pending, decoder } = connection;
    if (session === null) return;
    if (decoder.isHeld) {
      // Requests before it are answered in another turn.
      decoder.putLast(frame);
      return;
    }
    this.state.stats.count('throttled_ops');
    const request = new Request(connection, session.id, frame.readInt32BE(0), THROTTLED, startedMs);
    request.body = NOTHING;
    pending.push(request);
    if (pending.length === 1) this.reads.answerWaiting(connection);
  };

  private connect(connection: ClientConnection, bytes: Buffer, start: number, end: number): void {
    const { state, pipeline } = this;
    if (pipeline === null || !this.isOpen) {
      if (this.connections.waiting.keep(connection, bytes, start, end)) return;
      state.stats.count('cnxn_closed_without_zk_server_running');
      this.connections.close(connection);
      return;
    }
    try {
      this.shakeHands(pipeline, connection, this.input.reset(bytes, start, end));
    } catch (error) {
      if (!(error instanceof JuteError)) reportFailed(state, connection, 0, error);
      this.connections.close(connection);
    }
  }

  /** @throws JuteError when it is not a connect request */
  private shakeHands(
    pipeline: WritePipeline,
    connection: ClientConnection,
    input: InputArchive,
  ): void {
    const { state } = this;
    connection.stats.received++;
    state.stats.received++;
    connection.stats.lastOperation = OpCode.createSession;
    const handshake = readHandshake(state, connection, input);
    connection.phase = 'connecting';
    switch (handshake.kind) {
      case 'refuse':
        state.reporter.add({ ...handshake, kind: 'refused', remoteIp: connection.remoteIp });
        this.connections.close(connection);
        break;
      case 'expired':
        this.expired(connection);
        break;
      case 'resume':
        pipeline.resume(connection, handshake.sessionId, handshake.timeoutMs);
        break;
      case 'create':
        pipeline.openSession(connection, handshake.timeoutMs);
        break;
    }
  }

  private expired(connection: ClientConnection): void {
    if (connection.phase === 'closed') return;
    writeConnectResponse(this.state, connection, null);
    this.connections.close(connection);
  }

  private attach(connection: ClientConnection, session: Session, timeoutMs: number): void {
    if (connection.phase === 'closed') return;
    session.timeoutMs = timeoutMs;
    this.connections.closeHolder(session);
    this.state.sessions.touch(session, this.state.monotonicMs);
    this.opened(connection, session, 'session-resumed');
  }

  /** Makes `owner` the owner of a session that a learner's client resumes. False if it is gone. */
  moveSession(sessionId: bigint, timeoutMs: number, owner: SessionOwner): boolean {
    const { sessions, monotonicMs } = this.state;
    const session = sessions.find(sessionId);
    if (session === undefined || session.isClosing) return false;
    this.connections.closeHolder(session);
    session.setHolder(null, owner);
    session.timeoutMs = Math.max(timeoutMs, this.state.settings.minSessionTimeoutMs);
    sessions.touch(session, monotonicMs);
    return true;
  }

  private opened(
    connection: ClientConnection,
    session: Session,
    how: 'session-opened' | 'session-resumed',
  ): void {
    this.state.reporter.session(how, connection, session);
    connection.session = session;
    session.setHolder(connection);
    connection.phase = 'open';
    connection.decoder.longFrames = LONG_REQUESTS;
    this.connections.opened(connection);
    writeConnectResponse(this.state, connection, session);
    this.connections.serveEarly(connection);
    this.pressure.caughtUp(connection);
  }

  private commit(request: Request): void {
    this.commitOne(request);
    this.commits.add();
    this.gate.done(request);
    const { connection } = request;
    if (connection === null) return;
    assert(
      connection.pending.shift() === request,
      'reply order: not the next request',
      request.xid,
    );
    this.reads.answerWaiting(connection);
  }

  /** Answers a sync that waited for others' writes, in its place in the queue. */
  private synced(request: Request): void {
    request.isBarrier = false;
    if (request.connection !== null) this.reads.answerWaiting(request.connection);
  }

  private released(): void {
    this.commits.end(this.pipeline?.inProcess ?? 0, this.gate.waiting);
    this.gate.release();
    this.pressure.resume();
  }

  private commitOne(request: Request): void {
    const { head, txn, connection } = request;
    assert(head !== null && txn !== null, 'one txn: a commit without one', request.xid);
    this.final.process(request, head, txn);
    this.state.reporter.committed(request, txn, this.state.monotonicMs);
    if (connection !== null) {
      connection.stats.lastZxid = head.zxid;
      this.state.stats.answeredUpdate(connection.stats, this.state.monotonicMs, request);
    }
    if (txn.type === OpCode.createSession) {
      const { sessions, monotonicMs } = this.state;
      const session = sessions.add(head.sessionId, txn.timeoutMs, monotonicMs);
      if (connection?.phase === 'connecting') this.opened(connection, session, 'session-opened');
    } else if (txn.type === OpCode.closeSession) {
      const session = this.state.sessions.remove(head.sessionId);
      if (session !== undefined) this.connections.closeHolder(session);
    }
  }

  private tick(wallMs: number, monotonicMs: number): void {
    const { state } = this;
    state.clock(wallMs, monotonicMs);
    state.tree.countLate();
    this.connections.tick();
    this.gate.release();
    if (!this.isHalting) this.pipeline?.tick();
  }

  /** Lets clients in. With leaderServes=no, it refuses those that wait already. */
  open(isOpen: boolean): void {
    this.isOpen = isOpen;
    if (!isOpen) this.connections.waiting.closeKept();
    this.pressure.unpark();
    for (const [connection, request] of this.connections.waiting.end()) {
      this.connect(connection, request, 0, request.length);
    }
  }

  /** Takes over the idle connections of `before`; their watches follow while the generator runs. */
  takeOver(before: Server): Generator<void, void, undefined> {
    const { connections } = before.state;
    for (const one of connections.values()) {
      before.reads.goOn(one, Number.POSITIVE_INFINITY);
      this.connections.takeOver(one);
    }
    return carryWatches(before.state, this.state, new WatchNotifier(this.state));
  }

  /** A handover is near: what clients send from now on waits for the next role, or `unpark`. */
  park(): void {
    this.connections.park();
  }

  unpark(): void {
    this.pressure.unpark();
  }

  /** The sessions whose clients are connected here. */
  connectedSessions(): readonly bigint[] {
    const open = [...this.state.connections.values()].filter(({ phase }) => phase === 'open');
    return open.flatMap(({ session }) => (session === null ? [] : [session.id]));
  }

  /** Closes the connections of these sessions. */
  closeSessions(ids: readonly bigint[]): void {
    for (const id of ids) {
      const session = this.state.sessions.find(id);
      if (session !== undefined) this.connections.closeHolder(session);
    }
  }

  /** Takes the connections that wait for a role, with their watches. */
  takeWaiting(before: Server): void {
    const given = before.connections.giveWaiting();
    this.connections.takeWaiting(given);
    if (given.some(({ phase }) => phase === 'open')) carryTables(before.state, this.state);
  }

  /** @param keepsIdle connections of clients that wait for no answer stay for the next role */
  shutDown(keepsIdle = false): void {
    this.isOpen = false;
    this.connections.closeAll(keepsIdle);
  }
}

const NOTHING = Buffer.alloc(0);
