/**
 * When a read is answered: in the turn that it arrives, after the pending writes of its session, or
 * in parts over several turns. The replies of a connection keep the order of its requests.
 */

import { assert } from '../../base/assert.js';
import { InputArchive } from '../../jute/input-archive.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode } from '../../protocol/op-code.js';
import type { Load } from '../metrics/load.js';
import type { Session } from '../session/session-tracker.js';
import type { ClientConnection } from '../state/client-connection.js';
import { REQUEST_HEADER_SIZE, Request, THROTTLED, TOO_LONG } from '../state/request.js';
import { pathOfRequest } from '../state/request-path.js';
import type { ServerState } from '../state/server-state.js';
import type { BackPressure } from './back-pressure.js';
import { reportFailed } from './failed-request.js';
import type { ReadProcessor } from './read.js';
import { beginReply, endReply, replyTooLong } from './reply.js';
import type { RequestGate } from './request-gate.js';
import type { WritePipeline } from './write-pipeline.js';

export interface ReadQueueParts {
  readonly reads: ReadProcessor;
  readonly gate: RequestGate;
  readonly pressure: BackPressure;
  pipeline(): WritePipeline | null;
  /** After pending output. */
  close(connection: ClientConnection): void;
}

export class ReadQueue {
  private readonly state: ServerState;
  private readonly parts: ReadQueueParts;
  private readonly load: Load;
  /** The body of the read being answered; nothing keeps it. */
  private readonly input = new InputArchive(Buffer.alloc(0));

  constructor(state: ServerState, parts: ReadQueueParts) {
    this.state = state;
    this.parts = parts;
    this.load = state.stats.metrics.load;
  }

  add(
    connection: ClientConnection,
    session: Session,
    xid: number,
    type: number,
    input: InputArchive,
  ): void {
    const isSync = type === OpCode.sync;
    if (connection.pending.length === 0 && !isSync) {
      this.answerNow(connection, session, xid, type, input);
      return;
    }
    if (this.isDeferred(connection, type, input)) return;
    const request = new Request(connection, session.id, xid, type, this.state.monotonicMs);
    request.isBarrier = isSync && this.parts.pipeline()?.sync(request) === true;
    if (connection.pending.length === 0 && !request.isBarrier) {
      this.answerNow(connection, session, xid, type, input);
      return;
    }
    request.body = input.bytes.subarray(input.at, input.end);
    this.keep(request);
    if (connection.pending.length === 0)
      assert(false, 'reply order: a read waits for nothing', xid);
  }

  /** A write waits here, too, so that reads and replies find their place behind it. */
  keep(request: Request): void {
    if (request.connection === null) return;
    if (request.size !== 0)
      assert(false, 'back-pressure: a request is counted twice', request.size);
    this.parts.gate.keep(request);
    request.connection.pending.push(request);
  }

  private isDeferred(connection: ClientConnection, type: number, input: InputArchive): boolean {
    const { gate, reads, pressure } = this.parts;
    if (gate.waiting > 0 || !reads.isDear(type, input)) return false;
    // It counts again when it returns.
    connection.stats.received--;
    this.state.stats.received--;
    pressure.defer(connection, input.bytes.subarray(input.at - REQUEST_HEADER_SIZE, input.end));
    return true;
  }

  private answerNow(
    connection: ClientConnection,
    session: Session,
    xid: number,
    type: number,
    input: InputArchive,
  ): void {
    // Checked on arrival: a read that waits for its own writes came before the close.
    if (session.isClosing) {
      endReply(this.state, connection, beginReply(connection, xid), ErrorCode.SESSIONEXPIRED);
    } else {
      this.answer(connection, xid, type, input, this.state.monotonicMs);
    }
  }

  private answer(
    connection: ClientConnection,
    xid: number,
    type: number,
    input: InputArchive,
    startedMs: number,
  ): void {
    if (type === THROTTLED) {
      endReply(this.state, connection, beginReply(connection, xid), ErrorCode.THROTTLEDOP);
      this.count(connection, type, startedMs);
      return;
    }
    if (connection.longRead !== null)
      assert(false, 'reply order: an earlier read is not answered', xid);
    if (type === TOO_LONG) {
      const { maxFrameLength } = this.state.settings;
      this.state.exceeded('requestLength', connection.remoteIp, maxFrameLength);
      replyTooLong(this.state, connection, xid);
      this.count(connection, type, startedMs);
      return;
    }
    const before = connection.out.length;
    const { bytes, at, end } = input;
    try {
      connection.longRead = this.parts.reads.process(connection, xid, type, input);
    } catch (error) {
      this.fail(connection, before, error);
      return;
    }
    if (connection.longRead === null) {
      const size = end - at + connection.out.length - before;
      if (this.load.isDue(size)) {
        this.state.sampled(connection, size, pathOfRequest(type, bytes, at, end));
      }
      this.answered(connection, before, type, startedMs);
      return;
    }
    connection.longRead.path = pathOfRequest(type, bytes, at, end);
    if (connection.pending.length === 0) this.parts.pressure.goesOn(connection);
    // Later requests are under way, so it must be answered now.
    else this.goOn(connection, Number.POSITIVE_INFINITY);
  }

  /** Continues a long read. False if it needs another turn. */
  readonly goOn = (connection: ClientConnection, share?: number): boolean => {
    const { longRead, out } = connection;
    if (longRead === null) return true;
    const before = out.length;
    const { steps } = this.state.work;
    try {
      const isDone = this.parts.reads.goOn(connection, longRead, share);
      this.parts.pressure.didWork(connection, this.state.work.steps - steps);
      if (!isDone) {
        this.parts.pressure.goesOn(connection);
        return false;
      }
    } catch (error) {
      this.fail(connection, before, error);
      return true;
    }
    if (connection.longRead !== longRead)
      assert(false, 'reply order: two long reads', longRead.xid);
    connection.longRead = null;
    const size = out.length - before;
    if (this.load.isDue(size)) {
      this.state.sampled(connection, size, longRead.path);
    }
    this.answered(connection, before, longRead.type, longRead.startedMs);
    return true;
  };

  private answered(
    connection: ClientConnection,
    before: number,
    type: number,
    startedMs: number,
  ): void {
    if (!this.parts.pressure.answered(connection, before)) this.parts.close(connection);
    this.count(connection, type, startedMs);
  }

  private count({ stats }: ClientConnection, type: number, startedMs: number): void {
    this.state.stats.answeredRead(stats, this.state.monotonicMs, startedMs, type);
  }

  private fail(connection: ClientConnection, before: number, error: unknown): void {
    reportFailed(this.state, connection, before, error);
    this.parts.close(connection);
  }

  /** Answers the reads before the next pending write. */
  answerWaiting(connection: ClientConnection): void {
    const { pending } = connection;
    const { pressure, gate } = this.parts;
    let isGivenBack: boolean | undefined;
    for (let next = pending.peek(); next?.body; next = pending.peek()) {
      if (next.isBarrier) break;
      if (next.connection !== connection)
        assert(false, 'reply order: a read of another client', next.xid);
      if (next.head !== null) assert(false, 'reply order: a write is answered as a read', next.xid);
      // A sync that comes again would wait again for a quorum, and so on without end.
      const mayWait = next.type !== OpCode.sync && isGivenBack === undefined;
      if (mayWait && pressure.isHeld(connection)) {
        isGivenBack = pressure.giveBack(connection, gate);
        if (isGivenBack) break;
      }
      pending.shift();
      gate.done(next);
      if (connection.phase !== 'open') continue;
      const input = this.input.reset(next.body, 0, next.body.length);
      this.answer(connection, next.xid, next.type, input, next.startedMs);
      this.state.reporter.answeredLate(next, this.state.monotonicMs);
    }
    if (pending.length > 0) return;
    if (pending.bytes !== 0) assert(false, 'back-pressure: bytes of an empty queue', pending.bytes);
    if (connection.isDeferred) pressure.undefer(connection);
  }
}
