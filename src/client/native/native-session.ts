/** Maps the states, watches, and errors of the C client to those of the built-in client. */
import { ErrorCode } from '../../protocol/error-code.js';
import { EventType, type WatcherType } from '../../protocol/watch-event.js';
import { toClientPath } from '../base/chroot.js';
import type { CallOptions, ClientState, Watcher } from '../base/client.js';
import type { ClientOptions } from '../base/client-options.js';
import { formatServerAddress } from '../base/connect-string.js';
import { ClosedError, ZooKeeperError } from '../base/errors.js';
import type { ResolvedOptions } from '../calls/arguments.js';
import { checkCall, withLimits } from '../calls/call-limit.js';
import { ClientWatches, makeWatchEvent, type WatchKind } from '../session/client-watches.js';
import { loadNative, type NativeHandle } from './native-binding.js';

/** Codes of the C client that no server sends. */
const NativeCode = {
  ZOPERATIONTIMEOUT: -7,
  ZINVALIDSTATE: -9,
  ZCLOSING: -116,
  EXPIRED_SESSION_STATE: -112,
  AUTH_FAILED_STATE: -113,
} as const;

const EVENT_TYPES: Readonly<Record<string, number>> = {
  created: EventType.NodeCreated,
  deleted: EventType.NodeDeleted,
  changed: EventType.NodeDataChanged,
  child: EventType.NodeChildrenChanged,
};

/** After this many wake-ups without work the package ends the session as expired; default 10. */
const RESPONSE_COUNTER_LIMIT = 1000;

const NOT_TAKEN = 'opened no session, or refused the given one';
const EXPIRED = 'reports that the session has expired';

/** Names that the checks of the calls read. */
const READ_OR_CREATE = ['watch', 'mode', 'acl', 'ttl'];

/** The value is read only if the code is 0. */
type Reply<R> = (rc: number, value: () => R) => void;

/** One call of the C client: `start` returns its code, `done` settles it. */
interface NativeCall {
  readonly path: string | undefined;
  wasSent: boolean;
  isAbandoned: boolean;
  start(handle: NativeHandle): number;
  reject(error: Error): void;
  giveUp(error: Error): void;
}

export class NativeSession {
  state: ClientState = 'connecting';
  handle: NativeHandle | undefined;
  private readonly options: ClientOptions;
  private readonly resolved: ResolvedOptions;
  private readonly changedState: (state: ClientState, reason: Error | undefined) => void;
  private readonly watches = new ClientWatches();
  /** A request before connect() connects. */
  private readonly connect: () => void;
  private isClosing = false;
  private waiting: NativeCall[] = [];
  /** Calls that the C client aborted. Their reason is known when it has closed. */
  private aborted: NativeCall[] = [];

  constructor(
    options: ClientOptions,
    resolved: ResolvedOptions,
    changedState: (state: ClientState, reason: Error | undefined) => void,
    connect: () => void,
  ) {
    this.options = options;
    this.resolved = resolved;
    this.changedState = changedState;
    this.connect = connect;
  }

  get sessionId(): bigint {
    const id = this.handle?.client_id;
    return id === undefined ? 0n : BigInt.asIntN(64, BigInt(`0x${id}`));
  }

  get isConnected(): boolean {
    return this.state === 'connected';
  }

  async open(): Promise<void> {
    const Native = await loadNative();
    if (this.isClosing) return;
    const handle = new Native();
    this.handle = handle;
    handle.on('connect', () => this.connected());
    handle.on('connecting', () => this.disconnected());
    handle.on('close', (_handle, code) => this.ended(Number(code)));
    for (const [name, type] of Object.entries(EVENT_TYPES)) {
      handle.on(name, (_handle, path) => this.fire(type, String(path)));
    }
    handle.init(this.config());
  }

  request<R>(
    path: string | undefined,
    begin: (handle: NativeHandle, reply: Reply<R>) => number,
    given?: CallOptions,
  ): Promise<R> {
    const { requestTimeoutMs } = this.resolved;
    const ofClient = requestTimeoutMs > 0 ? { timeoutMs: requestTimeoutMs } : {};
    const limits = { ...ofClient, ...checkCall(given, path, READ_OR_CREATE) };
    if (this.state === 'connecting') this.connect();
    return withLimits<R>(limits, (resolve, reject) => {
      const call: NativeCall = {
        path,
        wasSent: false,
        isAbandoned: false,
        start: (handle) =>
          begin(handle, (rc, value) => {
            if (call.isAbandoned) return;
            if (rc === ErrorCode.OK) resolve(value());
            else this.fail(call, rc);
          }),
        reject,
        giveUp: (error) => {
          call.isAbandoned = true;
          this.drop(call);
          reject(error);
        },
      };
      this.call(call);
      return call;
    });
  }

  private call(call: NativeCall): void {
    if (this.isClosing) call.reject(this.endError(call));
    else if (this.isConnected) this.start(call);
    else if (this.state === 'connecting' || this.state === 'disconnected') this.waiting.push(call);
    else call.reject(this.endError(call));
  }

  private drop(call: NativeCall): void {
    this.waiting = this.waiting.filter((waiting) => waiting !== call);
  }

  arm(kind: WatchKind, path: string, watcher: Watcher): void {
    this.watches.add(kind, path, watcher);
  }

  /** The watch of the server stays: its event reaches nobody. */
  forget(path: string, type: WatcherType, watcher: Watcher): void {
    if (this.watches.remove(path, type, watcher).length > 0) return;
    throw new ZooKeeperError(ErrorCode.NOWATCHER, toClientPath(this.resolved.chroot, path));
  }

  private fail(call: NativeCall, rc: number): void {
    if (rc === NativeCode.ZCLOSING) this.aborted.push(call);
    else if (rc === NativeCode.ZINVALIDSTATE) call.reject(this.endError(call));
    else if (rc === NativeCode.ZOPERATIONTIMEOUT) {
      call.reject(new ZooKeeperError(ErrorCode.CONNECTIONLOSS, call.path));
    } else call.reject(new ZooKeeperError(rc, call.path));
  }

  /** Blocks in a later turn while the C client waits for the server: at most 1.5 s. */
  close(): void {
    if (this.isClosing) return;
    this.isClosing = true;
    const { handle } = this;
    if (handle === undefined || this.hasEnded) {
      this.setState('closed', undefined);
      this.rejectAll();
    } else {
      // The current turn may be in a callback of the C client, which needs its handle.
      setImmediate(() => (this.hasEnded ? this.ended(0) : handle.close()));
    }
  }

  private get hasEnded(): boolean {
    return this.state === 'expired' || this.state === 'auth-failed' || this.state === 'closed';
  }

  private config(): Readonly<Record<string, string | number | boolean>> {
    const { session } = this.options;
    return {
      connect: this.resolved.servers.map(formatServerAddress).join(','),
      timeout: this.resolved.sessionTimeoutMs,
      // 0 disables its log.
      debug_level: 0,
      // The list is already shuffled, if requested.
      host_order_deterministic: true,
      response_counter_limit: RESPONSE_COUNTER_LIMIT,
      ...(session === undefined
        ? {}
        : {
            client_id: BigInt.asUintN(64, session.id).toString(16),
            client_password: Buffer.from(session.password).toString('hex').toUpperCase(),
          }),
    };
  }

  private start(call: NativeCall): void {
    const { handle } = this;
    call.wasSent = true;
    const rc = handle === undefined ? NativeCode.ZINVALIDSTATE : call.start(handle);
    if (rc !== 0) this.fail(call, rc);
  }

  private connected(): void {
    this.setState('connected', undefined);
    for (const call of this.waiting.splice(0)) this.call(call);
  }

  private disconnected(): void {
    if (this.isConnected) this.setState('disconnected', new Error('the C client lost its server'));
  }

  private ended(code: number): void {
    if (code === NativeCode.EXPIRED_SESSION_STATE) {
      // Before the first connection, only this reports a refusal.
      const reason = this.state === 'connecting' ? NOT_TAKEN : EXPIRED;
      this.setState('expired', new Error(`a server ${reason}`));
    } else if (code === NativeCode.AUTH_FAILED_STATE) {
      this.setState('auth-failed', new Error('a server refused the authentication'));
    } else {
      this.setState('closed', undefined);
    }
    this.rejectAll();
  }

  private rejectAll(): void {
    for (const call of [...this.aborted.splice(0), ...this.waiting.splice(0)]) {
      call.reject(this.endError(call));
    }
  }

  private endError({ path, wasSent: hasUnknownOutcome }: NativeCall): ZooKeeperError {
    const details = { hasUnknownOutcome };
    if (this.state === 'expired') {
      return new ZooKeeperError(ErrorCode.SESSIONEXPIRED, path, details);
    }
    if (this.state === 'auth-failed') {
      return new ZooKeeperError(ErrorCode.AUTHFAILED, path, details);
    }
    return new ClosedError(path, hasUnknownOutcome);
  }

  private fire(type: number, path: string): void {
    if (this.isClosing) return;
    const event = makeWatchEvent(type, toClientPath(this.resolved.chroot, path), -1n);
    if (event === undefined) return;
    for (const watcher of this.watches.trigger(type, path)) queueMicrotask(() => watcher(event));
  }

  private setState(state: ClientState, reason: Error | undefined): void {
    if (this.state === state || this.state === 'closed') return;
    this.state = state;
    queueMicrotask(() => this.changedState(state, reason));
  }
}
