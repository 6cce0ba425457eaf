import { opCodeName } from '../../protocol/op-code.js';
import { formatSessionId } from '../../protocol/session-id.js';
import { toServerPath } from '../base/chroot.js';
import type { CallOptions, ClientState, ReadOptions, Watcher } from '../base/client.js';
import { type ClientMetrics, tapOf } from '../base/client-metrics.js';
import type { ClientOptions } from '../base/client-options.js';
import { formatServerAddress } from '../base/connect-string.js';
import { emitToEach, report } from '../base/report.js';
import { errorCode } from '../base/socket-fault.js';
import type { PathArgs, ReadArgs } from '../session/operations.js';
import { makeRequest, type Operation } from '../session/request.js';
import { SessionDriver } from '../session/session-driver.js';
import { resolveOptions, watcherOfOptions } from './arguments.js';
import { checkCall, withLimits } from './call-limit.js';
import { ClientLife } from './client-life.js';
import { ConnectAttempt } from './connect-attempt.js';
import { isObserved, observed, tellConnect, tellState } from './diagnostics.js';

const READ_NAMES: readonly string[] = ['watch'];

export abstract class RequestingClient extends ClientLife {
  readonly chroot: string;
  protected readonly options: ClientOptions;
  protected readonly driver: SessionDriver;
  protected readonly attempt: ConnectAttempt;
  private readonly requestTimeoutMs: number;

  /** @throws TypeError or RangeError that names the option */
  constructor(given: ClientOptions) {
    super();
    const resolved = resolveOptions(given);
    const { options } = resolved;
    const { metrics } = options;
    this.options = options;
    this.chroot = resolved.chroot;
    this.requestTimeoutMs = resolved.requestTimeoutMs;
    this.driver = new SessionDriver(
      {
        ...resolved,
        connectRounds: options.connectRounds ?? Number.POSITIVE_INFINITY,
        isUnknownHostFinal: options.isUnknownHostFinal ?? false,
        shouldResetWatches: options.shouldResetWatches ?? true,
        canBeReadOnly: options.canBeReadOnly ?? false,
        renewSession: options.renewSession,
        session: options.session,
        sasl: options.sasl,
        random: Math.random,
      },
      {
        changedState: (state, reason) => {
          if (metrics !== undefined) report(() => metrics.state?.(state));
          tellState({ ...this.place, state, reason });
          this.changedState(state, reason);
        },
        dialed: tellConnect,
        renewed: (previousSessionId) => {
          emitToEach(this, 'renewed', { previousSessionId, sessionId: this.sessionId });
        },
        delivered: ({ type }) => {
          if (metrics !== undefined) report(() => metrics.event?.(type));
        },
      },
      options.tls,
      tapOf(options),
    );
    const { session } = this.driver;
    this.attempt = new ConnectAttempt({
      timeoutMs: resolved.connectTimeoutMs,
      start: () => this.driver.start(),
      failedAttempts: () => session.list.failedAttempts,
      giveUp: (reason) => this.driver.close(reason),
    });
  }

  get state(): ClientState {
    return this.driver.session.state;
  }
  private get place(): { readonly server: string | undefined; readonly sessionId: string } {
    return { server: this.server, sessionId: formatSessionId(this.sessionId) };
  }
  get renewsSession(): boolean {
    return this.options.renewSession === true;
  }
  get sessionId(): bigint {
    return this.driver.session.identity.id;
  }
  get sessionPassword(): Buffer {
    return this.driver.session.identity.password;
  }
  get sessionTimeoutMs(): number {
    return this.driver.session.identity.timeoutMs;
  }
  get silentMs(): number {
    return this.driver.silentMs;
  }
  get lastZxid(): bigint {
    return this.driver.session.identity.lastZxid;
  }
  get server(): string | undefined {
    const { server } = this.driver.session;
    return server === undefined ? undefined : formatServerAddress(server);
  }

  unref(): this {
    this.driver.setRef(false);
    return this;
  }

  ref(): this {
    this.driver.setRef(true);
    return this;
  }

  close(): Promise<void> {
    this.driver.close();
    return this.closed;
  }

  protected serverPath(path: string): string {
    return toServerPath(this.chroot, path);
  }

  /** Turns an exception of a check into a rejection, like every other failure. */
  protected guarded<R>(send: () => Promise<R>): Promise<R> {
    try {
      return send();
    } catch (error) {
      return Promise.reject(error);
    }
  }

  protected authenticate(scheme: string, auth: Buffer, call?: CallOptions): Promise<void> {
    const { signal, timeoutMs = this.requestTimeoutMs } = checkCall(call, undefined) ?? {};
    const limits = { signal, timeoutMs: timeoutMs > 0 ? timeoutMs : undefined };
    this.connectUnasked();
    return withLimits<void>(limits, (resolve, reject) => {
      this.driver.session.addAuth(scheme, auth, resolve, reject);
      return { path: undefined, wasSent: true, giveUp: reject };
    });
  }

  private measure(metrics: ClientMetrics, code: number, answered: Promise<unknown>): void {
    const op = opCodeName(code);
    const startMs = this.driver.now();
    const ended = (outcome: string): void =>
      report(() => metrics.request?.(op, outcome, this.driver.now() - startMs));
    answered.then(
      () => ended('OK'),
      (error: unknown) => ended(errorCode(error)),
    );
  }

  protected readPath<R>(
    operation: Operation<PathArgs, R>,
    path: string,
    call: CallOptions | undefined,
  ): Promise<R> {
    return this.request(operation, { path: this.serverPath(path) }, path, call);
  }

  protected read<R>(
    operation: Operation<ReadArgs, R>,
    serverPath: string,
    path: string,
    options: ReadOptions | undefined,
  ): Promise<R> {
    const watcher = watcherOfOptions(options, this.defaultWatcher);
    const args = { path: serverPath, watch: watcher !== undefined };
    return this.request(operation, args, path, options, watcher, READ_NAMES);
  }

  /** The function that is registered for a watcher; a view tells its own paths (within.ts). */
  protected toOwn(watcher: Watcher): Watcher {
    return watcher;
  }

  /** A request before connect() connects. */
  private connectUnasked(): void {
    if (this.state === 'connecting') this.attempt.beginUnasked();
  }

  protected request<A, R>(
    operation: Operation<A, R>,
    args: A,
    path: string | undefined,
    call: CallOptions | undefined,
    watcher?: Watcher,
    otherNames?: readonly string[],
  ): Promise<R> {
    const limits = checkCall(call, path, otherNames);
    this.connectUnasked();
    const watch =
      watcher === undefined
        ? undefined
        : { path: (args as PathArgs).path, watcher: this.toOwn(watcher) };
    const send = (resolve: (value: R) => void, reject: (error: Error) => void) => {
      const request = makeRequest(operation, args, path, resolve, reject, watch);
      this.driver.submit(request, this.requestTimeoutMs > 0);
      return request;
    };
    const start = (): Promise<R> =>
      limits === undefined
        ? new Promise<R>((resolve, reject) => void send(resolve, reject))
        : withLimits(limits, send);
    const answered = isObserved()
      ? observed({ ...this.place, op: opCodeName(operation.code), path }, start)
      : start();
    const { metrics } = this.options;
    if (metrics?.request !== undefined) this.measure(metrics, operation.code, answered);
    return answered;
  }
}
