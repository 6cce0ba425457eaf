import { sessionPassword } from '../../protocol/session-id.js';
import { LongMap } from '../base/long-map.js';
import { ExpiryQueue } from './expiry-queue.js';

/** The connection that holds a session; `id` is the connection's number on this server. */
export interface SessionHolder {
  readonly id: number;
}

/** Whose requests are a session's, compared by identity: this server, or the link of a learner. */
export interface SessionOwner {
  readonly name: string;
}

const THIS_SERVER: SessionOwner = { name: 'this server' };

/** A client's session, whether or not a connection holds it now. */
export class Session {
  readonly id: bigint;
  /** As last agreed on: a client that comes back may ask for another one. */
  timeoutMs: number;
  /** The expiry queue's own. */
  bucketMs = 0;
  /** Null where a learner speaks for it, or nobody at the moment. */
  holder: SessionHolder | null = null;
  /** It outlives the connection. */
  owner: SessionOwner | null = null;
  /** A closeSession is on its way: nothing more is accepted. */
  isClosing = false;
  /** A learner has heard of it since it last told its leader. */
  isTouched = false;
  /** It lives on this server alone: no txn opened it, and no other server knows it. */
  isLocal = false;
  private secret: Buffer | null = null;

  constructor(id: bigint, timeoutMs: number) {
    this.id = id;
    this.timeoutMs = timeoutMs;
  }

  heldBy(holder: SessionHolder | null, owner = THIS_SERVER): void {
    this.holder = holder;
    this.owner = owner;
  }

  get password(): Buffer {
    this.secret ??= sessionPassword(this.id);
    return this.secret;
  }
}

/**
 * The sessions that live, and when each one ends if it stays silent. A session enters when its
 * createSession is applied (or replayed) and leaves when its closeSession is.
 */
export class SessionTracker {
  private readonly sessions = new LongMap<Session>();
  private readonly expiry: ExpiryQueue<Session>;
  /** Those whose createSession is proposed; they enter when it is applied. */
  private readonly opening = new LongMap<Session>();
  /** Those that live on this server alone; null where every session is of the ensemble. */
  local: SessionTracker | null = null;
  private readonly tickMs: number;
  private readonly startedMs: number;
  /** The newest time there is, and the one before; see `clock`. */
  private nowMs = Number.POSITIVE_INFINITY;
  private beforeMs = Number.POSITIVE_INFINITY;
  /** No session ends before, since this server was paused itself. */
  private graceUntilMs = 0;
  /** On a learner: those that its leader is to hear of. */
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
    return this.expiry.nextExpiryMs;
  }

  get(id: bigint): Session | undefined {
    return this.sessions.get(id);
  }

  /** One that is there, or whose createSession is under way. */
  find(id: bigint): Session | undefined {
    return this.sessions.get(id) ?? this.opening.get(id);
  }

  /** Is `id` taken, by whatever kind of session? */
  has(id: bigint): boolean {
    return this.find(id) !== undefined || this.local?.get(id) !== undefined;
  }

  /** Its createSession is proposed: what is asked for behind it finds it. */
  open(id: bigint, timeoutMs: number): Session {
    const found = this.find(id);
    if (found !== undefined) return found;
    const session = new Session(id, timeoutMs);
    this.opening.set(id, session);
    return session;
  }

  /** A replayed createSession may meet a session that the snapshot brought: it stays. */
  add(id: bigint, timeoutMs: number, nowMs: number): Session {
    let session = this.sessions.get(id);
    if (session === undefined) {
      session = this.opening.get(id) ?? new Session(id, timeoutMs);
      this.opening.delete(id);
      this.sessions.set(id, session);
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

  /** From now on there are sessions of this server alone. */
  keepLocal(): SessionTracker {
    this.local ??= new SessionTracker(this.tickMs, this.startedMs);
    return this.local;
  }

  addLocal(id: bigint, timeoutMs: number, nowMs: number): Session {
    const session = this.keepLocal().add(id, timeoutMs, nowMs);
    session.isLocal = true;
    return session;
  }

  /** A local session becomes one of the ensemble: its createSession is about to be proposed. */
  upgrade(session: Session): void {
    this.local?.remove(session.id);
    session.isClosing = false;
    session.isLocal = false;
    this.opening.set(session.id, session);
  }

  /** From now on the leader's tracker is the one that counts, and is told by `takeTouched`. */
  reportTouched(): void {
    this.touched = [];
  }

  takeTouched(): readonly Session[] {
    const touched = this.touched ?? [];
    if (touched.length > 0) this.touched = [];
    for (const session of touched) session.isTouched = false;
    return touched;
  }

  /**
   * Tells the time, once in each turn of the event loop. A turn that follows a pause of this server
   * knows the time before it has read what clients sent meanwhile. So a session only ends that was
   * due a turn ago, and none before the first tick after a pause of a tick or more: its client may
   * be on its way back.
   */
  clock(nowMs: number): void {
    if (nowMs - this.nowMs > this.tickMs) this.graceUntilMs = nowMs + this.tickMs;
    this.beforeMs = this.nowMs;
    this.nowMs = nowMs;
    this.local?.clock(nowMs);
  }

  /** Those whose time is over, at most `limit`, now marked as closing. */
  expire(nowMs: number, limit?: number): Session[] {
    if (nowMs < this.graceUntilMs) return [];
    const due = this.expiry.poll(Math.min(nowMs, this.beforeMs), limit);
    for (const session of due) session.isClosing = true;
    return due;
  }

  values(): Iterable<Session> {
    return this.sessions.values();
  }

  expiryEntries(): Iterable<[bucketMs: number, sessions: ReadonlySet<Session>]> {
    return this.expiry.entries();
  }
}
