import { assert } from '../../base/assert.js';
import { LongMap } from '../../base/long-map.js';
import { ExpiryQueue } from './expiry-queue.js';

/** `id` is the connection's number on this server. */
export interface SessionHolder {
  readonly id: number;
}

/** The owner of a session's requests, by identity: this server, or the link of a learner. */
export interface SessionOwner {
  readonly name: string;
}

const THIS_SERVER: SessionOwner = { name: 'this server' };

export class Session {
  readonly id: bigint;
  /** A client that resumes the session may ask for another one. */
  timeoutMs: number;
  /** Its bucket in the expiry queue of its tracker, in ms; 0 if it is in none. */
  bucketMs = 0;
  /** Its connection; null if a learner represents it, or if it has no connection now. */
  holder: SessionHolder | null = null;
  /** The server of its client; null until one sends a request. It outlives the connection. */
  owner: SessionOwner | null = null;
  /** A closeSession is in progress, or was applied: nothing more is accepted. */
  isClosing = false;
  /** The client was active since the learner last reported: it is in `touched` of its tracker. */
  isTouched = false;
  /** Only this server knows it: no txn opened it. False from an upgrade on. */
  isLocal = false;

  constructor(id: bigint, timeoutMs: number) {
    this.id = id;
    this.timeoutMs = timeoutMs;
  }

  setHolder(holder: SessionHolder | null, owner = THIS_SERVER): void {
    const isOwn = holder === null || owner === THIS_SERVER;
    assert(isOwn, 'sessions: a connection here, and another owner', this.id);
    this.holder = holder;
    this.owner = owner;
  }
}

/** Live sessions: from the commit of createSession, or its replay, to that of closeSession. */
export class SessionTracker {
  /** The live sessions. */
  private readonly sessions = new LongMap<Session>();
  /** When the live sessions expire; a learner only removes from it. */
  private readonly expiry: ExpiryQueue<Session>;
  /** Sessions whose createSession is proposed but not applied. */
  private readonly opening = new LongMap<Session>();
  /** The local sessions, which are in no other table; null if all sessions are global. */
  local: SessionTracker | null = null;
  private readonly tickMs: number;
  private readonly startedMs: number;
  /** The time of this turn on the monotonic clock; infinite before the first. */
  private nowMs = Number.POSITIVE_INFINITY;
  /** The time of the turn before; infinite until the second turn. */
  private beforeMs = Number.POSITIVE_INFINITY;
  /** No session expires before this time, because this server itself was paused. */
  private graceUntilMs = 0;
  /** Sessions that expire next, whatever their clients do; some may be closing already. */
  private readonly forced: Session[] = [];
  /** On a learner: the sessions with `isTouched`, each once; null on any other server. */
  private touched: Session[] | null = null;

  constructor(tickMs: number, nowMs: number) {
    this.tickMs = tickMs;
    this.startedMs = nowMs;
    this.expiry = new ExpiryQueue(tickMs, nowMs);
  }

  get size(): number {
    return this.sessions.size;
  }

  get nextExpiryMs(): number {
    return this.forced.length > 0 ? 0 : this.expiry.nextExpiryMs;
  }

  get(id: bigint): Session | undefined {
    return this.sessions.get(id);
  }

  find(id: bigint): Session | undefined {
    return this.sessions.get(id) ?? this.opening.get(id);
  }

  /** Whether any kind of session uses `id`. */
  has(id: bigint): boolean {
    return this.find(id) !== undefined || this.local?.get(id) !== undefined;
  }

  /** Called when the createSession is proposed: later requests can find the session. */
  open(id: bigint, timeoutMs: number): Session {
    const found = this.find(id);
    if (found !== undefined) return found;
    const session = new Session(id, timeoutMs);
    this.opening.set(id, session);
    assert(this.find(id) === session, 'sessions: an opened session is not found', id);
    return session;
  }

  /** A replayed createSession may find a session from the snapshot, which stays. */
  add(id: bigint, timeoutMs: number, nowMs: number): Session {
    let session = this.sessions.get(id);
    if (session === undefined) {
      session = this.opening.get(id) ?? new Session(id, timeoutMs);
      this.opening.delete(id);
      this.sessions.set(id, session);
      assert(session.id === id, 'sessions: opened under another id', session.id, id);
    }
    this.touch(session, nowMs);
    return session;
  }

  remove(id: bigint): Session | undefined {
    const session = this.sessions.get(id);
    if (session === undefined) return undefined;
    this.sessions.delete(id);
    this.expiry.remove(session);
    session.isClosing = true;
    assert(session.bucketMs === 0, 'session buckets: a closed session expires', session.id);
    return session;
  }

  touch(session: Session, nowMs: number): void {
    if (session.isClosing) return;
    if (session.isLocal && this.local !== null) {
      this.local.touch(session, nowMs);
    } else if (this.touched === null) {
      this.expiry.touch(session, nowMs, session.timeoutMs);
    } else if (!session.isTouched) {
      session.isTouched = true;
      this.touched.push(session);
    }
  }

  keepLocal(): SessionTracker {
    this.local ??= new SessionTracker(this.tickMs, this.startedMs);
    return this.local;
  }

  addLocal(id: bigint, timeoutMs: number, nowMs: number): Session {
    const session = this.keepLocal().add(id, timeoutMs, nowMs);
    session.isLocal = true;
    return session;
  }

  /** Makes a local session global: its createSession is about to be proposed. */
  upgrade(session: Session): void {
    this.local?.remove(session.id);
    session.isClosing = false;
    session.isLocal = false;
    this.opening.set(session.id, session);
  }

  /** From now on the leader's tracker decides; `takeTouched` collects reports for it. */
  reportTouched(): void {
    this.touched = [];
  }

  takeTouched(): readonly Session[] {
    const touched = this.touched ?? [];
    if (touched.length > 0) this.touched = [];
    for (const session of touched) {
      assert(session.isTouched, 'sessions: reported twice', session.id);
      session.isTouched = false;
    }
    return touched;
  }

  /**
   * Sets the time, once a turn. After a pause, this server sees the time before the packets that
   * clients sent meanwhile. So a session expires only if it was due a turn ago, and after a pause
   * of a tick, not before one more tick.
   */
  clock(nowMs: number): void {
    if (nowMs - this.nowMs > this.tickMs) this.graceUntilMs = nowMs + this.tickMs;
    this.beforeMs = this.nowMs;
    this.nowMs = nowMs;
    this.local?.clock(nowMs);
  }

  /** For tests of clients: the session expires although its client is alive. */
  expireNow(id: bigint): void {
    const session = this.sessions.get(id);
    if (session !== undefined) this.forced.push(session);
  }

  /** Returns at most `limit` expired sessions, marked as closing. */
  expire(nowMs: number, limit?: number): Session[] {
    const forced = this.forced.shift();
    if (forced !== undefined && !forced.isClosing) {
      forced.isClosing = true;
      this.expiry.remove(forced);
      return [forced];
    }
    if (nowMs < this.graceUntilMs) return [];
    const due = this.expiry.poll(Math.min(nowMs, this.beforeMs), limit);
    for (const session of due) {
      assert(session.bucketMs === 0, 'session buckets: an expired session expires', session.id);
      session.isClosing = true;
    }
    return due;
  }

  values(): Iterable<Session> {
    return this.sessions.values();
  }

  expiryEntries(): Iterable<[bucketMs: number, sessions: ReadonlySet<Session>]> {
    return this.expiry.entries();
  }
}
