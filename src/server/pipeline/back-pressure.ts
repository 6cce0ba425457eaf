/** Stops serving or reading clients that exceed the limits of the server, and takes turns. */

import { assert } from '../../base/assert.js';
import type { Effect } from '../effects.js';
import { LIMITS, type LimitName } from '../limits/limits.js';
import type { ClientConnection } from '../state/client-connection.js';
import { type Request, THROTTLED } from '../state/request.js';
import type { ServerState } from '../state/server-state.js';
import type { RequestGate } from './request-gate.js';

const ANSWER_LIMIT = LIMITS.answerBytes.value;
const ALL_ANSWERS_LIMIT = LIMITS.answerBytesInAll.value;
const ALL_STEPS_LIMIT = LIMITS.turnSteps.value;
const STEPS_LIMIT = LIMITS.connectionSteps.value;
const UNREAD_LIMIT = LIMITS.unreadBytes.value;
/** Requests of one connection that may wait for its own writes before reading stops. */
const PENDING_LIMIT = LIMITS.pendingRequests.value;
const PENDING_BYTES_LIMIT = LIMITS.pendingBytes.value;
const BYTES_IN_FLIGHT_LIMIT = LIMITS.requestBytesInFlight.value;
/** Bytes of reads that wait for their client: they do not count as requests in flight. */
const GIVEN_BACK_LIMIT = LIMITS.earlyBytes.value;
const EARLY_LIMIT = LIMITS.earlyFrames.value;
const EARLY_BYTES_LIMIT = LIMITS.earlyBytes.value;

export class BackPressure {
  private readonly state: ServerState;
  private readonly outstanding: () => number;
  /** The connections that the driver does not read, and whether requests wait: none is closed. */
  private readonly paused = new Map<ClientConnection, boolean>();
  /** The effects of this turn for connections that stop or continue, in order. */
  private held: Effect[] = [];
  /** Connections that had their share of this turn. The others come first in the next one. */
  private served: Effect[] = [];
  /** The connections with steps of work in this turn. */
  private readonly worked: ClientConnection[] = [];
  /** The bytes of answers to reads in this turn. */
  private answerBytes = 0;
  /** The role is about to change, or no role serves yet: nobody is resumed. */
  private isParked = false;

  constructor(state: ServerState, outstanding: () => number) {
    this.state = state;
    this.outstanding = outstanding;
  }

  /**
   * Returns false if the connection must close. After large answers, the client must read first.
   * Reads between two pending writes are answered together, which may exceed `unreadBytes`.
   * @param before bytes that waited for the client before this answer
   */
  answered(connection: ClientConnection, before: number): boolean {
    const { out, remoteIp } = connection;
    if (out.length < before)
      assert(false, 'back-pressure: an answer took bytes away', out.length, before);
    this.answerBytes += out.length - before;
    if (out.length <= ANSWER_LIMIT) return true;
    this.hold(connection, 'answerBytes');
    // One reply may be longer: what the server stores, clients can read.
    if (before <= UNREAD_LIMIT) return true;
    out.take();
    this.state.exceeded('unreadBytes', remoteIp);
    return false;
  }

  /** Called with the work of one request. */
  didWork(connection: ClientConnection, steps: number): void {
    if (steps < 0) assert(false, 'back-pressure: work was undone', steps);
    if (connection.steps === 0) this.worked.push(connection);
    connection.steps += steps;
    if (connection.steps <= STEPS_LIMIT) return;
    connection.isBusy = true;
    this.hold(connection, 'connectionSteps', this.served);
  }

  /** Called with a connection whose long read needs another turn. */
  goesOn(connection: ClientConnection): void {
    connection.isBusy = true;
    this.hold(connection, 'connectionSteps', this.served);
  }

  /**
   * Whether the client must wait: all clients must if the answers of this turn are large, or the
   * work is much. Those without much work of their own have the first half of it for themselves.
   */
  isHeld(connection: ClientConnection): boolean {
    if (connection.phase === 'open') {
      const { steps } = this.state.work;
      const isFull = this.answerBytes > ALL_ANSWERS_LIMIT;
      if (isFull) this.hold(connection, 'answerBytesInAll');
      else if (steps > (connection.isBusy ? ALL_STEPS_LIMIT / 2 : ALL_STEPS_LIMIT)) {
        this.hold(connection, 'turnSteps');
      }
    }
    return connection.decoder.isHeld;
  }

  private hold(
    { id, decoder, remoteIp }: ClientConnection,
    limit: LimitName,
    effects = this.held,
  ): void {
    if (decoder.isHeld) return;
    decoder.hold();
    this.state.exceeded(limit, remoteIp);
    effects.push({ kind: 'await-reading', connection: id });
  }

  /** A read that may cost much waits for the writes before it, and later requests wait for it. */
  defer(connection: ClientConnection, frame: Buffer): void {
    if (connection.pending.length === 0) assert(false, 'back-pressure: deferred after no write');
    connection.isDeferred = true;
    connection.decoder.putBack([frame]);
    connection.decoder.hold();
    this.pause(connection);
  }

  /** Called when no writes are left. */
  undefer(connection: ClientConnection): void {
    if (connection.pending.length > 0) assert(false, 'back-pressure: writes are left');
    connection.isDeferred = false;
    this.held.push({ kind: 'await-reading', connection: connection.id });
    this.caughtUp(connection);
  }

  /**
   * Returns reads that waited for a write to the decoder if their answers are too large for now.
   * False if later requests are under way, so they must be answered now.
   */
  giveBack(connection: ClientConnection, gate: RequestGate): boolean {
    const { pending, session, decoder, stats } = connection;
    if (pending.bytes > GIVEN_BACK_LIMIT || gate.waiting > 0) return false;
    if (session === null || session.isClosing) return false;
    for (const { body, isBarrier, type } of pending.values()) {
      if (body === null || isBarrier || type === THROTTLED) return false;
    }
    const frames: Buffer[] = [];
    for (let read = pending.shift(); read; read = pending.shift()) {
      gate.done(read);
      // They count again when they return.
      stats.received--;
      this.state.stats.received--;
      frames.push(frameOf(read));
    }
    if (pending.length > 0 || pending.bytes !== 0)
      assert(false, 'back-pressure: given back', pending.bytes);
    decoder.putBack(frames);
    return true;
  }

  caughtUp(connection: ClientConnection): void {
    if (this.isParked || !this.paused.has(connection) || this.excessOf(connection) !== null) return;
    this.resumeOne(connection);
  }

  /** Stops reading a connection that overfills the pipeline or its own queue. */
  holdBack(connection: ClientConnection): void {
    if (connection.phase === 'closed' || this.paused.has(connection)) return;
    const excess = this.excessOf(connection);
    if (excess === null) return;
    const { settings } = this.state;
    const isConfigured = excess === 'requestsInFlight';
    const value = isConfigured ? settings.globalOutstandingLimit : LIMITS[excess].value;
    this.state.exceeded(excess, connection.remoteIp, value);
    this.pause(connection);
  }

  private pause(connection: ClientConnection): void {
    if (this.paused.has(connection)) return;
    if (connection.phase === 'closed')
      assert(false, 'back-pressure: a closed connection is paused');
    this.paused.set(connection, false);
    this.held.push({ kind: 'pause', connection: connection.id });
  }

  private excessOf({ pending, early }: ClientConnection): LimitName | null {
    if (pending.length > PENDING_LIMIT) return 'pendingRequests';
    if (pending.bytes > PENDING_BYTES_LIMIT) return 'pendingBytes';
    if (early.length > EARLY_LIMIT) return 'earlyFrames';
    if (early.bytes > EARLY_BYTES_LIMIT) return 'earlyBytes';
    const { settings, inFlight } = this.state;
    if (inFlight.bytes > BYTES_IN_FLIGHT_LIMIT) return 'requestBytesInFlight';
    return this.outstanding() > settings.globalOutstandingLimit ? 'requestsInFlight' : null;
  }

  /** Resumes paused clients at half of the limits; idle ones earlier, to serve them at all. */
  resume(): void {
    if (this.isParked) return;
    if (this.paused.size === 0) return;
    const { settings, inFlight } = this.state;
    if (inFlight.bytes < 0)
      assert(false, 'back-pressure: more bytes left than came', inFlight.bytes);
    const { globalOutstandingLimit } = settings;
    const outstanding = this.outstanding();
    if (outstanding > globalOutstandingLimit) return;
    const isHalfDone =
      outstanding * 2 <= globalOutstandingLimit && inFlight.bytes * 2 <= BYTES_IN_FLIGHT_LIMIT;
    for (const connection of this.paused.keys()) {
      const { phase, pending, isDeferred } = connection;
      if (phase === 'connecting' || isDeferred) continue;
      const isShort =
        pending.length * 2 <= PENDING_LIMIT && pending.bytes * 2 <= PENDING_BYTES_LIMIT;
      if (pending.length > 0 && !(isHalfDone && isShort)) continue;
      this.resumeOne(connection);
    }
  }

  /** What these clients send from now on waits for `unpark`. */
  park(connections: Iterable<ClientConnection>): void {
    this.isParked = true;
    for (const connection of connections) {
      this.pause(connection);
      this.mustWait(connection);
    }
  }

  unpark(): void {
    this.isParked = false;
    this.resume();
  }

  /** Requests that came before the pause, but were not served in one turn, wait like later ones. */
  mustWait(connection: ClientConnection): boolean {
    if (!this.paused.has(connection)) return false;
    this.paused.set(connection, true);
    connection.decoder.hold();
    return true;
  }

  private resumeOne(connection: ClientConnection): void {
    const { id } = connection;
    const isWaiting = this.paused.get(connection);
    if (isWaiting === undefined) assert(false, 'back-pressure: resumed without a pause', id);
    this.paused.delete(connection);
    this.held.push({ kind: 'resume', connection: id });
    if (isWaiting === true) this.held.push({ kind: 'await-reading', connection: id });
  }

  forget(connection: ClientConnection): void {
    this.paused.delete(connection);
  }

  /** Another server limits it from now on. */
  letGo(connection: ClientConnection): void {
    if (this.paused.has(connection)) this.resumeOne(connection);
  }

  drainInto(effects: Effect[]): void {
    this.answerBytes = 0;
    this.state.work.steps = 0;
    for (let one = this.worked.pop(); one; one = this.worked.pop()) one.steps = 0;
    for (const effect of this.held) effects.push(effect);
    for (const effect of this.served) effects.push(effect);
    if (this.held.length > 0) this.held = [];
    if (this.served.length > 0) this.served = [];
  }
}

/** The original frame: int xid, int type, body. */
function frameOf({ xid, type, body }: Request): Buffer {
  const header = Buffer.alloc(8);
  header.writeInt32BE(xid);
  header.writeInt32BE(type, 4);
  return Buffer.concat([header, body ?? header.subarray(8)]);
}
