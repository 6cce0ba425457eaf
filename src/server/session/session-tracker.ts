import { sessionPassword } from '../../protocol/session-id.js';
import { hex64 } from '../../protocol/zxid.js';
import { ExpiryQueue } from './expiry-queue.js';

/** A client's session, whether or not a connection holds it now. */
export class Session {
  readonly id: bigint;
  /** As last agreed on: a client that comes back may ask for another one. */
  timeoutMs: number;
  /** The expiry queue's own. */
  bucketMs = 0;
  /** The connection that holds it now; the tracker only keeps it. */
  holder: object | null = null;
  /** Whose requests are the session's, this server's or a learner's; it outlives the connection. */
  owner: object | null = null;
  /** A closeSession is on its way: nothing more is accepted. */
  isClosing = false;
  /** A learner has heard of it since it last told its leader. */
  isTouched = false;
  private secret: Buffer | null = null;

  constructor(id: bigint, timeoutMs: number) {
    this.id = id;
    this.timeoutMs = timeoutMs;
  }

  /** It is spoken for by a learner, or by a connection to the server `owner`. */
  heldBy(holder: object, owner: object = holder): void {
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
  private readonly sessions = new Map<string, Session>();
  private readonly expiry: ExpiryQueue<Session>;
  /** On a learner: those that its leader is to hear of. */
  private touched: Session[] | null = null;

  constructor(tickMs: number, nowMs: number) {
    this.expiry = new ExpiryQueue(tickMs, nowMs);
  }

  get size(): number {
    return this.sessions.size;
  }

  get nextExpiryMs(): number {
    return this.expiry.nextExpiryMs;
  }

  get(id: bigint): Session | undefined {
    return this.sessions.get(hex64(id));
  }

  /** A replayed createSession may meet a session that the snapshot brought: it stays. */
  add(id: bigint, timeoutMs: number, nowMs: number): Session {
    const key = hex64(id);
    let session = this.sessions.get(key);
    if (session === undefined) {
      session = new Session(id, timeoutMs);
      this.sessions.set(key, session);
    }
    this.touch(session, nowMs);
    return session;
  }

  remove(id: bigint): Session | undefined {
    const key = hex64(id);
    const session = this.sessions.get(key);
    if (session === undefined) return undefined;
    this.sessions.delete(key);
    this.expiry.remove(session);
    session.isClosing = true;
    return session;
  }

  touch(session: Session, nowMs: number): void {
    if (session.isClosing) return;
    if (this.touched === null) {
      this.expiry.touch(session, nowMs, session.timeoutMs);
    } else if (!session.isTouched) {
      session.isTouched = true;
      this.touched.push(session);
    }
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

  /** Those whose time is over, at most `limit`, now marked as closing. */
  expire(nowMs: number, limit?: number): Session[] {
    const due = this.expiry.poll(nowMs, limit);
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
