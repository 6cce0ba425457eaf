/**
 * One client session as a state machine. Events come in as calls (a connection opened, bytes came,
 * time passed, a request is made), effects go out through SessionEffects; bytes to send gather until
 * the driver takes them. No socket, no clock, no timer here: every time is an argument.
 *
 * ```
 *   idle -> dialing -> handshaking -> established -> ended (expired, auth-failed, closed)
 *             ^  \___________|____________/
 *             |              v lost
 *             +--------- waiting (between rounds of the list)
 * ```
 *
 * Rules: Programmer's Guide, "ZooKeeper Sessions"; the order of a reconnect (handshake, auth,
 * watches, then what waits) and lastZxidSeen as in ClientCnxn. What was in flight when a connection
 * is lost may have been done or not, so it fails and is never sent again.
 */
import { FrameDecoder } from '../jute/frame-decoder.js';
import { InputArchive } from '../jute/input-archive.js';
import { JuteError } from '../jute/jute-error.js';
import { OutputArchive } from '../jute/output-archive.js';
import { ErrorCode } from '../protocol/error-code.js';
import { OpCode, Xid } from '../protocol/op-code.js';
import type { WatcherType } from '../protocol/watch-event.js';
import { AuthList } from './auth-list.js';
import { toClientPath } from './chroot.js';
import type { ClientState, WatchEvent, Watcher } from './client.js';
import { formatServerAddress, type ServerAddress } from './connect-string.js';
import { ZooKeeperError } from './errors.js';
import { NO_PASSWORD, readWelcome, type Welcome, writeHello } from './handshake.js';
import { closeSession } from './operations.js';
import { makeRequest, type Request } from './request.js';
import { RequestPipeline } from './request-pipeline.js';
import { ServerList } from './server-list.js';
import { makeWatchEvent, WatchManager } from './watch-manager.js';
import { watchRequests } from './watch-requests.js';

export interface SessionOptions {
  /** In the order in which they are tried. */
  readonly servers: readonly ServerAddress[];
  /** "" or an absolute path. */
  readonly chroot: string;
  readonly sessionTimeoutMs: number;
  /** How long the first connection may take over the whole list. */
  readonly connectTimeoutMs: number;
  /** How many rounds of the list the first connection may take; Infinity for any number. */
  readonly connectRounds: number;
  /** 0 for none. */
  readonly requestTimeoutMs: number;
  readonly canBeReadOnly: boolean;
  readonly maxFrameLength: number;
  readonly session?: { readonly id: bigint; readonly password: Buffer } | undefined;
  /** 0 to 1: spreads the waits of clients that lost the same server. */
  readonly random: () => number;
}

/** What a session wants done. Calls come in the order in which the caller must hear of them. */
export interface SessionEffects {
  /** Open a connection; answer with handleConnected or handleClosed. */
  connect(server: ServerAddress): void;
  /** Drop the connection, open or opening; nothing more is heard of it. */
  disconnect(): void;
  /** There are bytes: take them with takeBytes before the turn ends. */
  wantWrite(): void;
  changeState(state: ClientState, reason: Error | undefined): void;
  deliver(event: WatchEvent, watchers: ReadonlySet<Watcher>): void;
}

type Phase = 'idle' | 'waiting' | 'dialing' | 'handshaking' | 'established' | 'ended';

/** How long close() waits for the server to say that the session is closed. */
export const CLOSE_TIMEOUT_MS = 3000;
const OUTPUT_SIZE = 2000;

export class Session {
  readonly watches = new WatchManager();
  private readonly options: SessionOptions;
  private readonly effects: SessionEffects;
  private readonly list: ServerList;
  private readonly out = new OutputArchive(OUTPUT_SIZE);
  private readonly input = new InputArchive(Buffer.alloc(0));
  private readonly auth = new AuthList();
  private readonly requests = new RequestPipeline(this.out, this.watches);
  /** Where each server failed last, for whoever could not connect at all. */
  private readonly attempts = new Map<string, string>();
  private decoder: FrameDecoder;
  private phase: Phase = 'idle';
  private publicState: ClientState = 'connecting';
  private current: ServerAddress;
  private endCode: number = ErrorCode.CONNECTIONLOSS;
  private endReason: Error | undefined;
  private isClosing = false;
  private wasEstablished = false;
  /** A read-only server makes up a session of its own, which no other server knows. */
  private isGlobal: boolean;
  private id: bigint;
  private secret: Buffer;
  private timeoutMs: number;
  private zxidHigh = 0;
  private zxidLow = 0;
  private lastSentMs = 0;
  private lastReceivedMs = 0;
  /** Ends the wait, the attempt or the closing: whatever the phase waits for. */
  private phaseDeadlineMs = Number.POSITIVE_INFINITY;

  constructor(options: SessionOptions, effects: SessionEffects) {
    this.options = options;
    this.effects = effects;
    this.list = new ServerList(options.servers, options.random);
    this.current = this.list.servers[0] as ServerAddress;
    this.decoder = this.newDecoder();
    this.id = options.session?.id ?? 0n;
    this.secret = options.session?.password ?? NO_PASSWORD;
    this.isGlobal = options.session !== undefined;
    this.timeoutMs = options.sessionTimeoutMs;
  }

  get state(): ClientState {
    return this.publicState;
  }
  get sessionId(): bigint {
    return this.id;
  }
  get password(): Buffer {
    return this.secret;
  }
  /** As negotiated; as asked for before the first connection. */
  get sessionTimeoutMs(): number {
    return this.timeoutMs;
  }
  get server(): ServerAddress | undefined {
    return this.phase === 'established' ? this.current : undefined;
  }
  /** The last zxid a reply carried. */
  get lastZxid(): bigint {
    return (BigInt(this.zxidHigh) << 32n) | BigInt(this.zxidLow >>> 0);
  }
  get failedAttempts(): readonly { readonly server: string; readonly reason: string }[] {
    return [...this.attempts].map(([server, reason]) => ({ server, reason }));
  }

  /** When tick has something to do, in ms of the caller's clock; Infinity for never. */
  get nextDeadlineMs(): number {
    if (this.phase === 'ended') return Number.POSITIVE_INFINITY;
    const deadlineMs = Math.min(this.phaseDeadlineMs, this.requests.nextDeadlineMs);
    if (this.phase !== 'established') return deadlineMs;
    return Math.min(
      deadlineMs,
      this.lastSentMs + this.heartbeatMs,
      this.lastReceivedMs + this.readTimeoutMs,
    );
  }

  start(nowMs: number): void {
    if (this.phase === 'idle') this.dial(nowMs);
  }

  handleConnected(nowMs: number): void {
    if (this.phase !== 'dialing') return;
    this.phase = 'handshaking';
    this.decoder = this.newDecoder();
    this.lastReceivedMs = nowMs;
    writeHello(this.out, {
      zxidHigh: this.zxidHigh,
      zxidLow: this.zxidLow,
      timeoutMs: this.options.sessionTimeoutMs,
      sessionId: this.isGlobal ? this.id : 0n,
      password: this.isGlobal ? this.secret : NO_PASSWORD,
      canBeReadOnly: this.options.canBeReadOnly,
    });
    this.effects.wantWrite();
  }

  /** @param chunk read only during the call */
  handleBytes(chunk: Buffer, nowMs: number): void {
    this.lastReceivedMs = nowMs;
    try {
      this.decoder.push(chunk);
    } catch (cause) {
      if (!(cause instanceof JuteError)) throw cause;
      this.drop(
        nowMs,
        new Error(`${this.serverName} broke the protocol: ${cause.message}`, { cause }),
      );
    }
  }

  /** @param reason why the connection is gone, or why it never came about: a sentence */
  handleClosed(reason: Error | undefined, nowMs: number): void {
    const why =
      this.phase === 'handshaking'
        ? `${this.serverName} closed the connection during the handshake`
        : `${this.serverName} closed the connection`;
    this.lose(nowMs, reason ?? new Error(why));
  }

  /** Time passed: heartbeats, timeouts, the next attempt. */
  tick(nowMs: number): void {
    if (this.options.requestTimeoutMs > 0) this.requests.expire(nowMs);
    if (nowMs >= this.phaseDeadlineMs) this.handlePhaseDeadline(nowMs);
    if (this.phase !== 'established') return;
    const silentMs = nowMs - this.lastReceivedMs;
    if (silentMs >= this.readTimeoutMs) {
      this.drop(nowMs, new Error(`${this.serverName} was silent for ${Math.round(silentMs)} ms`));
    } else if (nowMs - this.lastSentMs >= this.heartbeatMs) {
      this.writeHeader(Xid.ping, OpCode.ping);
    }
  }

  /**
   * Sends a request, or keeps it until there is a connection.
   * @param nowMs read only when there is a request timeout
   */
  submit(request: Request, nowMs: number): void {
    if (this.phase === 'ended' || this.isClosing) {
      request.reject(this.endError(request.path));
      return;
    }
    if (this.options.requestTimeoutMs > 0) {
      request.deadlineMs = nowMs + this.options.requestTimeoutMs;
    }
    if (this.phase === 'established') this.send(request);
    else this.requests.wait(request);
  }

  /** Adds an identity; it is sent again on every later connection. */
  addAuth(scheme: string, auth: Buffer, resolve: () => void, reject: (error: Error) => void): void {
    if (this.phase === 'ended' || this.isClosing) {
      reject(this.endError(undefined));
      return;
    }
    const entry = this.auth.add(scheme, auth, { resolve, reject });
    if (this.phase !== 'established') return;
    this.auth.send(entry, this.out);
    this.effects.wantWrite();
  }

  /** Takes watchers out and tells them; call it in the order of the replies. */
  removeWatchers(path: string, type: WatcherType): void {
    const clientPath = toClientPath(this.options.chroot, path);
    for (const removed of this.watches.remove(path, type)) {
      this.effects.deliver({ type: removed.type, path: clientPath, zxid: -1n }, removed.watchers);
    }
  }

  /** Ends in the state closed: at once, or when the server has closed the session. */
  close(nowMs: number): void {
    if (this.isClosing || this.publicState === 'closed') return;
    if (this.phase !== 'established') {
      this.end('closed', ErrorCode.CONNECTIONLOSS, undefined);
      return;
    }
    const finish = () => this.end('closed', ErrorCode.CONNECTIONLOSS, undefined);
    this.send(makeRequest(closeSession, undefined, undefined, finish, finish));
    this.isClosing = true;
    this.phaseDeadlineMs = nowMs + CLOSE_TIMEOUT_MS;
  }

  /** The bytes to write now; they are the caller's for good. */
  takeBytes(nowMs: number): Buffer {
    this.lastSentMs = nowMs;
    return this.out.take();
  }

  private get heartbeatMs(): number {
    return this.timeoutMs / 3;
  }

  private get readTimeoutMs(): number {
    return (this.timeoutMs * 2) / 3;
  }

  private get serverName(): string {
    return formatServerAddress(this.current);
  }

  private newDecoder(): FrameDecoder {
    return new FrameDecoder(this.options.maxFrameLength, this.handleFrame);
  }

  private dial(nowMs: number): void {
    const { connectRounds } = this.options;
    if (!this.wasEstablished && this.list.rounds >= connectRounds) {
      const rounds = connectRounds === 1 ? 'one round' : `${connectRounds} rounds`;
      const reason = new Error(`no server took the session in ${rounds} of the list`);
      this.end('closed', ErrorCode.CONNECTIONLOSS, reason);
      return;
    }
    const { server, delayMs } = this.list.next(this.timeoutMs / 6);
    this.current = server;
    if (delayMs > 0) {
      this.phase = 'waiting';
      this.phaseDeadlineMs = nowMs + delayMs;
    } else {
      this.connect(nowMs);
    }
  }

  private connect(nowMs: number): void {
    const { connectTimeoutMs } = this.options;
    const listMs = this.wasEstablished
      ? this.timeoutMs
      : Math.min(this.timeoutMs, connectTimeoutMs);
    this.phase = 'dialing';
    this.phaseDeadlineMs = nowMs + listMs / this.list.servers.length;
    this.effects.connect(this.current);
  }

  private handlePhaseDeadline(nowMs: number): void {
    if (this.phase === 'waiting') {
      this.connect(nowMs);
    } else if (this.phase === 'dialing' || this.phase === 'handshaking') {
      this.drop(nowMs, new Error(`${this.serverName} did not answer in time`));
    } else if (this.isClosing) {
      this.end('closed', ErrorCode.CONNECTIONLOSS, undefined);
    }
  }

  /** Breaks a connection off. */
  private drop(nowMs: number, reason: Error): void {
    this.effects.disconnect();
    this.lose(nowMs, reason);
  }

  /** The connection is gone: fail what was in flight, go to the next server. */
  private lose(nowMs: number, reason: Error): void {
    if (this.phase === 'ended' || this.phase === 'idle' || this.phase === 'waiting') return;
    if (this.isClosing) {
      this.end('closed', ErrorCode.CONNECTIONLOSS, undefined);
      return;
    }
    const wasEstablished = this.phase === 'established';
    this.attempts.set(this.serverName, reason.message);
    this.decoder.stop();
    this.out.reset();
    this.phaseDeadlineMs = Number.POSITIVE_INFINITY;
    const lost = this.requests.takeSent();
    this.auth.disconnected();
    this.phase = 'waiting';
    if (wasEstablished) this.setState('disconnected', reason);
    this.dial(nowMs);
    for (const request of lost) {
      request.reject(new ZooKeeperError(ErrorCode.CONNECTIONLOSS, request.path, { cause: reason }));
    }
  }

  private end(state: ClientState, code: number, reason: Error | undefined): void {
    if (this.publicState === 'closed') return;
    const wasEnded = this.phase === 'ended';
    this.phase = 'ended';
    this.endCode = code;
    this.endReason = reason;
    this.phaseDeadlineMs = Number.POSITIVE_INFINITY;
    if (!wasEnded) {
      this.decoder.stop();
      this.out.reset();
      this.effects.disconnect();
    }
    this.setState(state, reason);
    for (const request of this.requests.takeAll()) request.reject(this.endError(request.path));
    this.auth.fail(this.endError(undefined));
  }

  private endError(path: string | undefined): ZooKeeperError {
    if (this.endCode === ErrorCode.CONNECTIONLOSS) {
      return new ZooKeeperError(this.endCode, path, { detail: 'the client is closed' });
    }
    return new ZooKeeperError(this.endCode, path, { cause: this.endReason });
  }

  private setState(state: ClientState, reason: Error | undefined): void {
    this.publicState = state;
    this.effects.changeState(state, reason);
  }

  private readonly handleFrame = (bytes: Buffer, start: number, end: number): void => {
    const input = this.input.reset(bytes, start, end);
    if (this.phase === 'handshaking') this.handleWelcome(readWelcome(input));
    else if (this.phase === 'established') this.handleReply(input);
  };

  private handleWelcome(welcome: Welcome): void {
    const nowMs = this.lastReceivedMs;
    if (welcome.timeoutMs <= 0 || welcome.sessionId === 0n) {
      const reason = new Error(`${this.serverName} says that the session has expired`);
      this.end('expired', ErrorCode.SESSIONEXPIRED, reason);
      return;
    }
    if (welcome.isReadOnly && !this.options.canBeReadOnly) {
      this.drop(nowMs, new Error(`${this.serverName} is read-only`));
      return;
    }
    this.id = welcome.sessionId;
    this.secret = welcome.password;
    this.timeoutMs = welcome.timeoutMs;
    this.isGlobal ||= !welcome.isReadOnly;
    this.phase = 'established';
    this.wasEstablished = true;
    this.phaseDeadlineMs = Number.POSITIVE_INFINITY;
    this.lastSentMs = nowMs;
    this.attempts.clear();
    this.list.connected();
    this.setState(welcome.isReadOnly ? 'connected-readonly' : 'connected', undefined);
    this.auth.sendAll(this.out);
    for (const request of watchRequests(this.watches, this.lastZxid)) {
      this.requests.sendAs(request, Xid.setWatches);
    }
    this.requests.sendWaiting();
    if (this.out.length > 0) this.effects.wantWrite();
  }

  private send(request: Request): void {
    this.requests.send(request);
    this.effects.wantWrite();
  }

  private handleReply(input: InputArchive): void {
    const xid = input.readInt();
    const zxidHigh = input.readInt();
    const zxidLow = input.readInt();
    const err = input.readInt();
    if (xid === Xid.notification) {
      this.handleNotification(input, (BigInt(zxidHigh) << 32n) | BigInt(zxidLow >>> 0));
    } else if (xid === Xid.auth) {
      this.handleAuthReply(err);
    } else if (xid !== Xid.ping) {
      if (zxidHigh > 0 || (zxidHigh === 0 && zxidLow !== 0)) {
        this.zxidHigh = zxidHigh;
        this.zxidLow = zxidLow;
      }
      this.requests.settle(xid, err, input);
    }
  }

  private handleNotification(input: InputArchive, zxid: bigint): void {
    const type = input.readInt();
    input.readInt();
    const path = input.readString() ?? '';
    const watchers = this.watches.trigger(type, path);
    if (watchers.size === 0) return;
    const event = makeWatchEvent(type, toClientPath(this.options.chroot, path), zxid);
    if (event !== undefined) this.effects.deliver(event, watchers);
  }

  private handleAuthReply(err: number): void {
    if (err === ErrorCode.OK) {
      this.auth.accepted();
      return;
    }
    const reason = new Error(`${this.serverName} refused the authentication`);
    this.end('auth-failed', ErrorCode.AUTHFAILED, reason);
  }

  private writeHeader(xid: number, code: number): void {
    this.out.writeInt(8);
    this.out.writeInt(xid);
    this.out.writeInt(code);
    this.effects.wantWrite();
  }
}
