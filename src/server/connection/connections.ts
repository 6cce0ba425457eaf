import { assert } from '../../base/assert.js';
import type { ServerView } from '../../fourlw/base/server-view.js';
import { isLastSlice, slicesOf } from '../../fourlw/base/slices.js';
import { isAllowed, type Whitelist } from '../../fourlw/base/whitelist.js';
import { answerWord, wordOf } from '../../fourlw/index.js';
import { FrameTooLongError } from '../../jute/frame-decoder.js';
import { JuteError } from '../../jute/jute-error.js';
import type { Effect } from '../effects.js';
import type { Event } from '../events.js';
import { LIMITS } from '../limits/limits.js';
import type { BackPressure } from '../pipeline/back-pressure.js';
import { reportFailed } from '../pipeline/failed-request.js';
import type { Session } from '../session/session-tracker.js';
import { ClientConnection, type ConnectionFrameHandler } from '../state/client-connection.js';
import { REQUEST_HEADER_SIZE } from '../state/request.js';
import type { ServerState } from '../state/server-state.js';

/** Admits connections, reads their first four bytes, and closes them; server.ts does the rest. */

export type ConnectionEvent = Extract<
  Event,
  { kind: 'connected' | 'received' | 'drained' | 'disconnected' | 'evicted' }
>;

export interface ConnectionsOptions {
  readonly whitelist: Whitelist;
  /** maxClientCnxns; 0: no limit. */
  readonly maxPerAddress: number;
  /** maxCnxns; 0: no limit. */
  readonly maxInAll: number;
  readonly view: ServerView;
  readonly onFrame: ConnectionFrameHandler;
  /** Continues a long read; false if it is not done yet. */
  readonly goOn: (connection: ClientConnection) => boolean;
  readonly pressure: BackPressure;
}

const NOTHING = Buffer.alloc(0);
/** With more bytes at once, a client has its place in the half of a turn for much work. */
const BULK_BYTES = 16 * 1024;

export class Connections {
  private readonly state: ServerState;
  private readonly options: ConnectionsOptions;
  /** Open connections by the address of the client; no count is 0. */
  private readonly byAddress = new Map<string, number>();
  /** Those without a session; none is closed. */
  private readonly unopened = new Set<ClientConnection>();
  readonly waiting: WaitingConnections;
  /** Closed in this turn: `drainInto` sends their last bytes. */
  private closing: ClientConnection[] = [];
  /** When old ones of `unopened` are looked for, in monotonic ms. */
  private nextSweepMs = 0;

  constructor(state: ServerState, options: ConnectionsOptions) {
    this.state = state;
    this.options = options;
    this.waiting = new WaitingConnections(state, (connection) => this.close(connection));
  }

  private accept(event: Extract<Event, { kind: 'connected' }>): void {
    const { connection: id, remoteIp, remotePort, isOverTls = false, certificateSubject } = event;
    const { state } = this;
    const { maxPerAddress, maxInAll, onFrame } = this.options;
    const { maxFrameLength } = state.settings;
    const connection = new ClientConnection(id, remoteIp, remotePort, maxFrameLength, onFrame);
    connection.isOverTls = isOverTls;
    if (certificateSubject !== undefined) {
      connection.ids = [...connection.ids, ...state.auth.certificateIds(certificateSubject)];
    }
    connection.stats.establishedMs = state.wallMs;
    connection.openedMs = state.monotonicMs;
    connection.pending.total = state.inFlight;
    const fromThere = (this.byAddress.get(remoteIp) ?? 0) + 1;
    const isOverAddressLimit = maxPerAddress > 0 && fromThere > maxPerAddress;
    if (isOverAddressLimit || (maxInAll > 0 && state.connections.size >= maxInAll)) {
      if (isOverAddressLimit) state.exceeded('connectionsPerAddress', remoteIp, maxPerAddress);
      else state.exceeded('connectionsInAll', remoteIp, maxInAll);
      state.stats.count('connection_rejected');
      const reason = 'too many connections (maxClientCnxns, maxCnxns)';
      state.reporter.add({ kind: 'refused', remoteIp, reason });
      connection.phase = 'closed';
      this.closing.push(connection);
      return;
    }
    this.byAddress.set(remoteIp, fromThere);
    state.connections.set(id, connection);
    this.unopened.add(connection);
  }

  /**
   * Takes over a connection of another server of this process. If its session is unknown, closes
   * it: a client that connects again learns that its session expired.
   */
  takeOver(connection: ClientConnection): void {
    const { state } = this;
    const { remoteIp, id, session: before } = connection;
    assert(connection.pending.length === 0, 'reply order: a request lost its server', id);
    connection.onFrame = this.options.onFrame;
    connection.pending.total = state.inFlight;
    this.byAddress.set(remoteIp, (this.byAddress.get(remoteIp) ?? 0) + 1);
    state.connections.set(id, connection);
    if (connection.phase !== 'open') this.unopened.add(connection);
    connection.isDirty = false;
    connection.isEventPending = false;
    connection.eventBytes = 0;
    if (connection.out.length > 0) state.markDirty(connection);
    if (before === null) return;
    const session = state.sessions.find(before.id);
    connection.session = session ?? null;
    if (session === undefined) {
      this.close(connection);
      return;
    }
    session.timeoutMs = before.timeoutMs;
    session.setHolder(connection);
    state.sessions.touch(session, state.monotonicMs);
  }

  step(event: ConnectionEvent): void {
    if (event.kind === 'connected') {
      this.accept(event);
      return;
    }
    const connection = this.state.connections.get(event.connection);
    if (connection === undefined) return;
    switch (event.kind) {
      case 'disconnected':
        this.state.stats.count('connection_drop_count');
        this.forget(connection);
        break;
      case 'evicted':
        this.close(connection);
        break;
      case 'drained':
        this.drained(connection);
        break;
      case 'received':
        this.receive(connection, event.bytes);
    }
  }

  /** Closes a connection after sending pending data. */
  close(connection: ClientConnection): void {
    if (connection.phase === 'closed') return;
    this.forget(connection);
    this.closing.push(connection);
  }

  closeHolder(session: Session): void {
    const connection = this.state.holderOf(session);
    if (connection !== undefined) this.close(connection);
  }

  /** What clients send from now on waits until the server is open, or `unpark`. */
  park(): void {
    const open = [...this.state.connections.values()].filter(({ phase }) => phase === 'open');
    this.options.pressure.park(open);
  }

  /**
   * New connections stay while they may wait for the next role.
   * @param keepsIdle those of clients that wait for no answer stay, too
   */
  closeAll(keepsIdle: boolean): void {
    for (const connection of [...this.state.connections.values()]) {
      if (keepsIdle && isIdle(connection)) this.waiting.keepOpen(connection);
      if (!this.waiting.mayWait(connection)) this.close(connection);
    }
  }

  /** The connections that may wait for the next role, for its server. */
  giveWaiting(): readonly ClientConnection[] {
    const { connections } = this.state;
    const given = [...connections.values()].filter((one) => this.waiting.mayWait(one));
    for (const connection of given) {
      connections.delete(connection.id);
      this.options.pressure.letGo(connection);
    }
    return given;
  }

  takeWaiting(given: readonly ClientConnection[]): void {
    for (const connection of given) {
      this.takeOver(connection);
      this.waiting.take(connection);
    }
    this.park();
  }

  /** Called when the session exists: the connection may stay. */
  opened(connection: ClientConnection): void {
    this.unopened.delete(connection);
  }

  private forget(connection: ClientConnection): void {
    const { state } = this;
    connection.phase = 'closed';
    connection.decoder.stop();
    connection.longRead = null;
    state.forgetWatches(connection);
    state.forgetEvents(connection);
    state.connections.delete(connection.id);
    this.unopened.delete(connection);
    this.waiting.forget(connection);
    this.options.pressure.forget(connection);
    if (connection.session?.holder === connection) connection.session.holder = null;
    const left = (this.byAddress.get(connection.remoteIp) ?? 1) - 1;
    if (left > 0) this.byAddress.set(connection.remoteIp, left);
    else this.byAddress.delete(connection.remoteIp);
  }

  /** A client whose requests wait is alive. */
  private drained(connection: ClientConnection): void {
    const { session, decoder } = connection;
    if (session !== null) this.state.sessions.touch(session, this.state.monotonicMs);
    decoder.release();
    if (connection.longRead !== null) {
      if (this.options.pressure.isHeld(connection) || !this.options.goOn(connection)) return;
    }
    if (!this.options.pressure.mustWait(connection)) this.receive(connection, NOTHING);
  }

  private receive(connection: ClientConnection, bytes: Buffer): void {
    this.state.stats.metrics.bytesReceived += bytes.length;
    this.decode(connection, bytes);
    this.options.pressure.holdBack(connection);
  }

  private decode(connection: ClientConnection, bytes: Buffer): void {
    try {
      if (connection.isUndecided) this.open(connection, bytes);
      else {
        const { decoder } = connection;
        connection.isBusy ||= decoder.pending + bytes.length > BULK_BYTES;
        this.options.pressure.isHeld(connection);
        decoder.push(bytes);
        connection.isBusy &&= decoder.isHeld;
      }
      if (this.state.hasTooManyWatches(connection)) this.close(connection);
      const greedy = this.state.withMostWatchedBytes();
      if (greedy !== undefined) this.close(greedy);
    } catch (error) {
      // A frame with a wrong length, or a malformed connect request: no answer is possible.
      if (!(error instanceof JuteError)) {
        reportFailed(this.state, connection, connection.out.length, error);
      } else if (error instanceof FrameTooLongError) {
        this.exceededLength(connection, error.length);
      }
      this.close(connection);
    }
  }

  private exceededLength({ remoteIp, phase }: ClientConnection, length: number): void {
    const { value } = LIMITS.skippedRequestLength;
    const { maxFrameLength } = this.state.settings;
    if (phase === 'open' && length > value)
      this.state.exceeded('skippedRequestLength', remoteIp, value);
    else this.state.exceeded('requestLength', remoteIp, maxFrameLength);
  }

  private open(connection: ClientConnection, bytes: Buffer): void {
    if (!answerOpening(connection, bytes, this.state, this.options)) return;
    this.state.markDirty(connection);
    this.close(connection);
  }

  keepEarly(connection: ClientConnection, bytes: Buffer, start: number, end: number): void {
    if (connection.phase !== 'connecting') return;
    connection.early.push(bytes.subarray(start, end));
    // Too short for a request: the connection will be closed, and the rest is ignored.
    if (end - start < REQUEST_HEADER_SIZE) connection.decoder.stop();
  }

  /** Serves the frames from before the session, as far as the client reads the answers. */
  serveEarly(connection: ClientConnection): void {
    const { early, decoder } = connection;
    const left: Buffer[] = [];
    for (let frame = early.shift(); frame; frame = early.shift()) {
      if (decoder.isHeld) left.push(frame);
      else this.options.onFrame(connection, frame, 0, frame.length);
    }
    decoder.putBack(left);
  }

  tick(): void {
    const { settings, monotonicMs } = this.state;
    this.waiting.tick();
    this.state.dropWatches();
    if (monotonicMs < this.nextSweepMs) return;
    this.nextSweepMs = monotonicMs + settings.tickTimeMs;
    this.closeUnopened();
  }

  private closeUnopened(): void {
    const { settings, monotonicMs } = this.state;
    for (const connection of this.unopened) {
      const waitedMs = monotonicMs - connection.openedMs;
      if (waitedMs < settings.sessionlessTimeoutMs) continue;
      this.state.stats.count('sessionless_connections_expired');
      this.state.exceeded('sessionlessTime', connection.remoteIp, settings.sessionlessTimeoutMs);
      this.close(connection);
    }
  }

  /** In this order: data of this turn, closed connections, pauses and resumes. */
  drainInto(effects: Effect[]): void {
    const { state } = this;
    for (const connection of state.takeOverfull()) {
      // Without an event, later replies would lie.
      state.takeOutput(connection);
      this.close(connection);
    }
    for (const connection of state.takeDirty()) {
      connection.isDirty = false;
      if (connection.isOverfull) continue;
      effects.push({
        kind: 'send',
        connection: connection.id,
        bytes: state.takeOutput(connection),
      });
    }
    sendEvents(state, effects);
    if (state.isDropping) effects.push({ kind: 'wake' });
    if (this.closing.length > 0) {
      for (const { id, out, slices } of this.closing) {
        if (out.length > 0) effects.push({ kind: 'send', connection: id, bytes: out.take() });
        if (slices === null) effects.push({ kind: 'close', connection: id });
        else effects.push({ kind: 'finish', connection: id, slices });
      }
      this.closing = [];
    }
    this.options.pressure.drainInto(effects);
    for (const report of state.reporter.take()) effects.push({ kind: 'report', report });
  }
}

const STMK_ARGUMENT_LENGTH = 8;
/** Characters of an answer to a word that are made in one step. */
const CHARS_PER_STEP = 4;

export interface OpeningOptions {
  readonly whitelist: Whitelist;
  readonly view: ServerView;
}

/** The first four bytes are a word or a length. Returns true if it answered a word. */
function answerOpening(
  connection: ClientConnection,
  bytes: Buffer,
  state: ServerState,
  { whitelist, view }: OpeningOptions,
): boolean {
  const opening = connection.opening === null ? bytes : Buffer.concat([connection.opening, bytes]);
  connection.opening = opening;
  if (opening.length < 4) return false;
  const word = wordOf(opening.readInt32BE(0));
  if (word === undefined) {
    connection.isUndecided = false;
    connection.opening = null;
    connection.decoder.push(opening);
    return false;
  }
  const argument = opening.subarray(4, 4 + STMK_ARGUMENT_LENGTH);
  const wantsArgument = word.word === 'stmk' && isAllowed(word.word, whitelist);
  if (wantsArgument && argument.length < STMK_ARGUMENT_LENGTH) return false;
  connection.stats.received++;
  state.stats.received++;
  const slices = slicesOf(answerWord(view, word, whitelist, argument));
  if (state.work.steps > LIMITS.turnSteps.value) {
    state.exceeded('turnSteps', connection.remoteIp);
    connection.slices = slices;
    return true;
  }
  const first = slices.next().value ?? '';
  state.work.steps += Math.ceil(first.length / CHARS_PER_STEP);
  connection.out.writeBytes(Buffer.from(first, 'utf8'));
  if (!isLastSlice(first)) connection.slices = slices;
  return true;
}

/** Connections that get events in one turn; about 15 us each. */
const SLICE = 250;

/**
 * Sends to a slice only, because each write to a socket takes time and must not delay other work.
 * Events and replies of a connection share an archive, so their order is kept.
 */
function sendEvents(state: ServerState, effects: Effect[]): void {
  const { withEvents } = state;
  for (let sent = 0; sent < SLICE; ) {
    const connection = withEvents.shift();
    if (connection === undefined) return;
    connection.isEventPending = false;
    // A reply may have taken the events along, or the connection may be closed.
    if (connection.out.length === 0) continue;
    effects.push({ kind: 'send', connection: connection.id, bytes: state.takeOutput(connection) });
    sent++;
  }
  if (withEvents.length > 0) effects.push({ kind: 'wake' });
}

/** Whether the client waits for no answer. */
function isIdle({ phase, pending, early, longRead, session }: ClientConnection): boolean {
  if (phase !== 'open' || session === null || session.isClosing) return false;
  return pending.length === 0 && early.length === 0 && longRead === null;
}

/** A connect request has some 45 bytes. */
const MAX_BYTES = 1024;

/**
 * Connections while the role of a member changes. All clients reconnect at once then, and a closed
 * connection would cost each of them another round. After a handover, those of before wait, too.
 * They wait until a role serves, at most `roleChangeTime` after the end of the role that served
 * before.
 */
class WaitingConnections {
  private readonly state: ServerState;
  private readonly close: (connection: ClientConnection) => void;
  /** They sent their connect request; `early` begins with it. */
  private readonly waiting = new Set<ClientConnection>();
  /** They have a session, and are not read until a role serves. */
  private readonly kept = new Set<ClientConnection>();
  /** On the monotonic clock. */
  untilMs = Number.NEGATIVE_INFINITY;

  constructor(state: ServerState, close: (connection: ClientConnection) => void) {
    this.state = state;
    this.close = close;
  }

  mayWait(connection: ClientConnection): boolean {
    if (this.state.monotonicMs >= this.untilMs) return false;
    const { phase } = connection;
    return phase === 'new' || this.waiting.has(connection) || this.kept.has(connection);
  }

  keepOpen(connection: ClientConnection): void {
    this.kept.add(connection);
  }

  /** The tree of the next role has another history, so watches could miss a change. */
  closeKept(): void {
    for (const connection of [...this.kept]) this.close(connection);
  }

  /** Keeps the connect request. False if the connection must close. */
  keep(connection: ClientConnection, bytes: Buffer, start: number, end: number): boolean {
    if (!this.mayWait(connection) || end - start > MAX_BYTES) return false;
    connection.phase = 'connecting';
    // A copy, because the buffer of a read is much larger.
    connection.early.push(Buffer.from(bytes.subarray(start, end)));
    this.waiting.add(connection);
    return true;
  }

  /** Takes a connection from the server of the role before. */
  take(connection: ClientConnection): void {
    if (connection.phase === 'connecting') this.waiting.add(connection);
    if (connection.phase === 'open') this.kept.add(connection);
  }

  /** The connections with their requests. From now on, none waits. */
  end(): readonly (readonly [ClientConnection, Buffer])[] {
    const ended: [ClientConnection, Buffer][] = [];
    for (const connection of this.waiting) {
      const request = connection.early.shift();
      if (request !== undefined) ended.push([connection, request]);
      connection.phase = 'new';
    }
    this.waiting.clear();
    this.kept.clear();
    this.untilMs = Number.NEGATIVE_INFINITY;
    return ended;
  }

  tick(): void {
    if (this.waiting.size + this.kept.size === 0 || this.state.monotonicMs < this.untilMs) return;
    const value = LIMITS.roleChangeTime.value;
    this.closeKept();
    for (const [connection] of this.end()) {
      this.state.exceeded('roleChangeTime', connection.remoteIp, value);
      this.state.stats.count('cnxn_closed_without_zk_server_running');
      this.close(connection);
    }
  }

  forget(connection: ClientConnection): void {
    this.waiting.delete(connection);
    this.kept.delete(connection);
  }
}
