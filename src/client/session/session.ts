/**
 * One client session as a state machine. Calls are events (connection, bytes, time, requests), and
 * effects leave through SessionEffects. No socket, clock or timer: every time is an argument.
 *
 * ```
 *   idle -> dialing -> handshaking -> established -> ended (expired, auth-failed, closed)
 *             ^  \___________|____________/
 *             |              v lost
 *             +--------- waiting (between rounds of the list)
 * ```
 *
 * Rules: Programmer's Guide, "ZooKeeper Sessions". As in ClientCnxn: the order of a reconnect
 * (handshake, auth, watches, then waiting requests), lastZxidSeen, and the end of a session that no
 * server answers for 4/3 of its timeout. A lost connection fails the requests in flight. They are
 * never sent again, because their outcome is unknown.
 */
import { FrameDecoder, FrameTooLongError } from '../../jute/frame-decoder.js';
import { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { OutputArchive } from '../../jute/output-archive.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { Xid } from '../../protocol/op-code.js';
import type { SaslClientExchange } from '../../protocol/sasl-step.js';
import type { WatcherType } from '../../protocol/watch-event.js';
import type { ClientState, Watcher } from '../base/client.js';
import { formatServerAddress, type ServerAddress } from '../base/connect-string.js';
import { endingErrors, type MakeError } from '../base/errors.js';
import { SocketFault } from '../base/socket-fault.js';
import { AuthList } from './auth-list.js';
import { ClientWatches } from './client-watches.js';
import { Liveness } from './liveness.js';
import { type Opened, Opening } from './opening.js';
import { closeSession } from './operations.js';
import { ReplyReader } from './reply-reader.js';
import { lostError, makeRequest, type Request, replyTooLongError } from './request.js';
import { RequestPipeline } from './request-pipeline.js';
import { type ServerChange, ServerList } from './server-list.js';
import { CLOSE_TIMEOUT_MS, type SessionEffects, type SessionOptions } from './session-contract.js';
import { SessionIdentity } from './session-identity.js';
import { SET_WATCHES_MAX_LENGTH, shorterLength, watchRequests } from './watch-requests.js';

type Phase = 'idle' | 'waiting' | 'dialing' | 'handshaking' | 'established' | 'ended';

const EARLY = ' during the handshake: it may lack a quorum, or this may be its TLS port (zks://)';

export class Session {
  readonly identity: SessionIdentity;
  readonly watches = new ClientWatches();
  readonly replies: ReplyReader;
  readonly list: ServerList;
  private readonly options: SessionOptions;
  private readonly effects: SessionEffects;
  private readonly out = new OutputArchive(2048);
  private readonly input = new InputArchive(Buffer.alloc(0));
  private readonly auth = new AuthList();
  private readonly requests = new RequestPipeline(this.out, this.watches);
  readonly liveness: Liveness;
  private readonly opening: Opening;
  private decoder: FrameDecoder;
  private phase: Phase = 'idle';
  private publicState: ClientState = 'connecting';
  private ending: MakeError = endingErrors(ErrorCode.OK, undefined);
  private isClosing = false;
  /** The session that a new one replaces, until that is established. */
  private expiredId: bigint | undefined;
  private phaseDeadlineMs = Number.POSITIVE_INFINITY;
  private watchesLength = SET_WATCHES_MAX_LENGTH;

  constructor(options: SessionOptions, effects: SessionEffects) {
    this.options = options;
    this.effects = effects;
    this.list = new ServerList(options);
    this.decoder = this.newDecoder();
    this.identity = new SessionIdentity(options);
    this.liveness = new Liveness(this.identity);
    this.opening = new Opening(this.identity, options);
    const { identity, watches, requests, auth } = this;
    this.replies = new ReplyReader(options.chroot, { identity, watches, requests, auth, effects });
  }

  get state(): ClientState {
    return this.publicState;
  }
  get server(): ServerAddress | undefined {
    return this.phase === 'established' ? this.list.current : undefined;
  }

  /** Time of the next tick in ms of the caller's clock; Infinity for never. */
  get nextDeadlineMs(): number {
    if (this.phase === 'ended') return Number.POSITIVE_INFINITY;
    const silenceMs = this.liveness.nextDeadlineMs(this.phase === 'established');
    return Math.min(this.phaseDeadlineMs, this.requests.nextDeadlineMs, silenceMs);
  }

  hasSlept(nowMs: number): boolean {
    return this.phase === 'established' && this.liveness.hasSlept(nowMs);
  }

  start(nowMs: number): void {
    if (this.phase === 'idle') this.dial(nowMs);
  }

  /** The login for a connection, or why no server would accept one. */
  handleLogin(login: SaslClientExchange | Error, nowMs: number): void {
    this.phaseDeadlineMs = nowMs + this.list.attemptMs(this.identity.timeoutMs);
    if (login instanceof Error) this.end('auth-failed', ErrorCode.AUTHFAILED, login);
    else this.opening.prepare(login);
  }

  handleConnected(nowMs: number): void {
    if (this.phase !== 'dialing') return;
    this.phase = 'handshaking';
    this.decoder = this.newDecoder();
    this.liveness.receivedMs = nowMs;
    this.opening.begin(this.out);
    this.effects.wantWrite();
  }

  changeServers(change: ServerChange, nowMs: number): void {
    const reason = this.isOver ? undefined : change(this.list, this.phase === 'established');
    if (reason !== undefined) this.drop(nowMs, new Error(reason));
  }

  handleBytes(chunk: Buffer, nowMs: number): void {
    const hasSlept = this.hasSlept(nowMs);
    if (!hasSlept) this.liveness.receivedMs = nowMs;
    try {
      if (hasSlept) this.tick(nowMs);
      else this.decoder.push(chunk);
    } catch (cause) {
      if (!(cause instanceof JuteError)) throw cause;
      const isLong = cause instanceof FrameTooLongError && this.phase === 'established';
      const problem = isLong
        ? `sent a reply of ${cause.length} bytes, more than maxFrameLength`
        : `violated the protocol: ${cause.message}`;
      this.drop(nowMs, this.fault(problem, cause));
    }
  }

  handleClosed(reason: Error | undefined, nowMs: number): void {
    const when = this.phase === 'handshaking' ? EARLY : '';
    this.lose(nowMs, reason ?? this.fault(`closed the connection${when}`));
  }

  /** Handles pings and timeouts, and starts the next attempt. */
  tick(nowMs: number): void {
    if (this.options.requestTimeoutMs > 0) this.requests.expire(nowMs);
    const expiry = this.isOver ? undefined : this.liveness.expiry(nowMs);
    if (expiry !== undefined) this.expire(expiry, nowMs);
    else if (nowMs >= this.phaseDeadlineMs) this.handlePhaseDeadline(nowMs);
    if (this.phase !== 'established') return;
    const silence = this.liveness.silence(nowMs);
    if (silence !== undefined) this.drop(nowMs, this.timeout(silence));
    else if (this.liveness.isHeartbeatDue(nowMs)) {
      this.requests.ping();
      this.effects.wantWrite();
    }
  }

  /** Sends a request, or keeps it until the session is connected. */
  submit(request: Request, nowMs: number): void {
    const { requestTimeoutMs } = this.options;
    if (requestTimeoutMs > 0) request.deadlineMs = nowMs + requestTimeoutMs;
    if (this.isOver) request.reject(this.ending(request.path, false));
    else if (this.phase === 'established') this.send(request);
    else this.requests.wait(request);
  }

  /** Forgets a watcher at once, and the watch of the server if it was the last one of its path. */
  forgetWatcher(path: string, type: WatcherType, watcher: Watcher): boolean {
    if (this.watches.remove(path, type, watcher).length === 0) return false;
    if (this.phase === 'established' && !this.isClosing) {
      this.requests.dropWatch(path, type);
      if (this.out.length > 0) this.effects.wantWrite();
    }
    return true;
  }

  addAuth(scheme: string, auth: Buffer, resolve: () => void, reject: (error: Error) => void): void {
    const out = this.phase === 'established' ? this.out : undefined;
    if (this.isOver) reject(this.ending(undefined, false));
    else if (this.auth.add(scheme, auth, { resolve, reject }, out)) this.effects.wantWrite();
  }

  /** Ends in the state closed: at once, when the server confirms, or after CLOSE_TIMEOUT_MS. */
  close(nowMs: number, reason?: Error): void {
    if (this.isClosing || this.publicState === 'closed') return;
    if (this.phase !== 'established') {
      this.end('closed', ErrorCode.OK, reason);
      return;
    }
    const finish = () => this.end('closed');
    this.send(makeRequest(closeSession, undefined, undefined, finish, finish));
    this.isClosing = true;
    const requestMs = this.options.requestTimeoutMs || CLOSE_TIMEOUT_MS;
    this.phaseDeadlineMs = nowMs + Math.min(requestMs, CLOSE_TIMEOUT_MS);
  }

  takeBytes(nowMs: number): Buffer {
    this.liveness.sentMs = nowMs;
    return this.out.take();
  }

  private get isOver(): boolean {
    return this.phase === 'ended' || this.isClosing;
  }

  private fault(problem: string, cause?: unknown): Error {
    return new Error(`${formatServerAddress(this.list.current)} ${problem}`, { cause });
  }

  private timeout(problem: string): SocketFault {
    return new SocketFault('timeout', this.list.current, problem);
  }

  private newDecoder(): FrameDecoder {
    return new FrameDecoder(this.options.maxFrameLength, this.handleFrame);
  }

  private dial(nowMs: number): void {
    const exhausted = this.list.exhausted;
    if (exhausted !== undefined) {
      this.end('closed', ErrorCode.OK, exhausted);
      return;
    }
    const delayMs = this.list.next(this.identity.timeoutMs);
    this.phase = 'waiting';
    this.phaseDeadlineMs = nowMs + delayMs;
    if (delayMs === 0) this.connect(nowMs);
  }

  private connect(nowMs: number): void {
    this.phase = 'dialing';
    // A KDC has its own timeout; the time of the server begins after handleLogin.
    const attemptMs = this.list.attemptMs(this.identity.timeoutMs);
    this.phaseDeadlineMs = this.opening.needsTicket ? Number.POSITIVE_INFINITY : nowMs + attemptMs;
    this.effects.connect(this.list.current);
  }

  private handlePhaseDeadline(nowMs: number): void {
    if (this.phase === 'waiting') this.connect(nowMs);
    else if (this.isClosing) this.end('closed');
    else this.drop(nowMs, this.timeout('did not answer in time'));
  }

  private drop(nowMs: number, reason: Error): void {
    this.effects.disconnect();
    this.lose(nowMs, reason);
  }

  /** Fails the requests in flight, and tries the next server. */
  private lose(nowMs: number, reason: Error): void {
    if (this.phase === 'ended' || this.phase === 'idle' || this.phase === 'waiting') return;
    if (this.isClosing) {
      this.end('closed');
      return;
    }
    this.list.failed(reason);
    this.decoder.stop();
    this.out.reset();
    this.auth.disconnected();
    if (!this.options.shouldResetWatches) this.watches.clear();
    if (this.phase === 'established') this.setState('disconnected', reason);
    const { oldest } = this.requests;
    if (oldest?.xid === Xid.setWatches) this.watchesLength = shorterLength(this.watchesLength);
    const lost = this.requests.takeSent();
    this.dial(nowMs);
    const { cause } = reason;
    for (const request of lost) {
      const isUnread = cause instanceof FrameTooLongError && request === oldest;
      request.reject(
        isUnread ? replyTooLongError(request, cause, reason) : lostError(request, reason),
      );
    }
  }

  private end(state: ClientState, code: number = ErrorCode.OK, reason?: Error): void {
    if (this.publicState === 'closed') return;
    if (this.phase !== 'ended') {
      this.decoder.stop();
      this.out.reset();
      this.effects.disconnect();
    }
    this.phase = 'ended';
    this.ending = endingErrors(code, reason);
    this.phaseDeadlineMs = Number.POSITIVE_INFINITY;
    this.setState(state, reason);
    this.requests.failAll(this.ending);
    this.auth.fail(this.ending(undefined, false));
  }

  private expire(reason: Error, nowMs: number): void {
    if (this.options.renewSession !== true || this.isClosing) {
      this.end('expired', ErrorCode.SESSIONEXPIRED, reason);
      return;
    }
    this.expiredId ??= this.identity.id;
    this.decoder.stop();
    this.out.reset();
    this.effects.disconnect();
    this.auth.disconnected();
    this.watches.clearOneShot();
    this.identity.renew();
    this.liveness.renewed();
    this.setState('expired', reason);
    this.setState('connecting', undefined);
    this.requests.failAll(endingErrors(ErrorCode.SESSIONEXPIRED, reason));
    this.dial(nowMs);
  }

  private setState(state: ClientState, reason: Error | undefined): void {
    this.publicState = state;
    this.effects.changeState(state, reason);
  }

  private readonly handleFrame = (bytes: Buffer, start: number, end: number): void => {
    const input = this.input.reset(bytes, start, end);
    if (this.phase === 'handshaking') this.handleOpening(this.opening.read(input, this.out));
    else if (this.phase === 'established') this.handleReply(input);
  };

  private handleReply(input: InputArchive): void {
    this.liveness.answeredMs = this.liveness.receivedMs;
    if (this.replies.handle(input)) {
      // The reply to an abandoned request may make one more.
      if (this.out.length > 0) this.effects.wantWrite();
      return;
    }
    this.end('auth-failed', ErrorCode.AUTHFAILED, this.fault('refused the authentication'));
  }

  private handleOpening(opened: Opened): void {
    const nowMs = this.liveness.receivedMs;
    if (opened.kind === 'sent') this.effects.wantWrite();
    else if (opened.kind === 'refused') this.drop(nowMs, this.fault(opened.problem));
    else if (opened.kind === 'opened') this.establish(opened.isReadOnly, nowMs);
    else if (opened.state === 'expired') this.expire(this.fault(opened.problem), nowMs);
    else this.end(opened.state, opened.code, this.fault(opened.problem));
  }

  private establish(isReadOnly: boolean, nowMs: number): void {
    this.phase = 'established';
    this.phaseDeadlineMs = Number.POSITIVE_INFINITY;
    this.liveness.established(nowMs);
    this.list.connected();
    this.setState(isReadOnly ? 'connected-readonly' : 'connected', undefined);
    this.tellOfRenewal();
    this.auth.sendAll(this.out);
    const { lastZxid } = this.identity;
    this.requests.resume(watchRequests(this.watches, lastZxid, this.watchesLength));
    if (this.out.length > 0) this.effects.wantWrite();
  }

  private tellOfRenewal(): void {
    const { expiredId } = this;
    this.expiredId = undefined;
    if (expiredId !== undefined) this.effects.renewed(expiredId);
  }

  private send(request: Request): void {
    this.requests.send(request);
    this.effects.wantWrite();
  }
}
