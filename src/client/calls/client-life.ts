import { EventEmitter } from 'node:events';
import { checkSignal, readFields } from '../../protocol/check-argument.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { formatSessionId } from '../../protocol/session-id.js';
import type { CallOptions, ClientEvents, ClientState, Watcher } from '../base/client.js';
import { ZooKeeperError } from '../base/errors.js';
import { emitToEach } from '../base/report.js';
import { checkListener } from './arguments.js';
import type { ConnectAttempt } from './connect-attempt.js';

type Listener<E extends keyof ClientEvents> = (...args: ClientEvents[E]) => void;

export abstract class ClientLife extends EventEmitter {
  abstract readonly state: ClientState;
  abstract readonly renewsSession: boolean;
  abstract readonly server: string | undefined;
  abstract readonly sessionId: bigint;
  abstract readonly sessionTimeoutMs: number;
  abstract readonly chroot: string;
  protected abstract readonly attempt: ConnectAttempt;
  protected readonly closed: Promise<void>;
  protected readonly defaultWatcher: Watcher = (event) => {
    emitToEach(this, 'watch', event);
  };
  private resolveClosed: () => void = () => {};

  constructor() {
    super();
    // Every watch() loop adds listeners: disable the leak warning of Node.js.
    this.setMaxListeners(0);
    this.closed = new Promise((resolve) => {
      this.resolveClosed = resolve;
    });
  }

  async connect(options?: Pick<CallOptions, 'signal'>): Promise<void> {
    return this.attempt.begin(signalOf(options));
  }

  abstract close(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  override on<E extends keyof ClientEvents>(event: E, listener: Listener<E>): this {
    checkListener(event, listener);
    return super.on(event, listener);
  }

  override once<E extends keyof ClientEvents>(event: E, listener: Listener<E>): this {
    checkListener(event, listener);
    return super.once(event, listener);
  }

  override off<E extends keyof ClientEvents>(event: E, listener: Listener<E>): this {
    checkListener(event, listener);
    return super.off(event, listener);
  }

  /** What logs show: the password of the session is a secret. */
  toJSON(): object {
    const { state, server, sessionId, sessionTimeoutMs, chroot } = this;
    return { state, server, sessionId: formatSessionId(sessionId), sessionTimeoutMs, chroot };
  }

  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    return `${this.constructor.name} ${inspect(this.toJSON(), options)}`;
  }

  protected changedState(state: ClientState, reason: Error | undefined): void {
    if (state === 'connected' || state === 'connected-readonly') this.attempt.succeed();
    else if (state === 'expired' && !this.renewsSession)
      this.attempt.fail(endOf(ErrorCode.SESSIONEXPIRED, reason));
    else if (state === 'auth-failed') this.attempt.fail(endOf(ErrorCode.AUTHFAILED, reason));
    else if (state === 'closed') {
      this.attempt.abandon(reason);
      this.resolveClosed();
    }
    emitToEach(this, 'state', state, reason);
    emitToEach(this, state, reason);
  }
}

function signalOf(options?: Pick<CallOptions, 'signal'>): AbortSignal | undefined {
  if (options === undefined) return undefined;
  const { signal } = readFields('options', options, ['signal']);
  checkSignal('options.signal', signal);
  return signal;
}

function endOf(code: ErrorCode, reason: Error | undefined): ZooKeeperError {
  return new ZooKeeperError(code, undefined, { cause: reason });
}
