import { EventEmitter } from 'node:events';
import { checkSignal, readFields } from '../../protocol/check-argument.js';
import { ErrorCode } from '../../protocol/error-code.js';
import type { CallOptions, ClientEvents, ClientState, Watcher } from '../base/client.js';
import { ZooKeeperError } from '../base/errors.js';
import { checkListener } from './arguments.js';
import type { ConnectAttempt } from './connect-attempt.js';

export abstract class ClientLife {
  protected abstract readonly attempt: ConnectAttempt;
  protected readonly closed: Promise<void>;
  protected readonly defaultWatcher: Watcher = (event) => {
    this.emitter.emit('watch', event);
  };
  private readonly emitter = new EventEmitter();
  private resolveClosed: () => void = () => {};

  constructor() {
    // Every watch() loop adds listeners: disable the leak warning of Node.js.
    this.emitter.setMaxListeners(0);
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

  on<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this {
    checkListener(event, listener);
    this.emitter.on(event, listener);
    return this;
  }

  off<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this {
    checkListener(event, listener);
    this.emitter.off(event, listener);
    return this;
  }

  protected changedState(state: ClientState, reason: Error | undefined): void {
    if (state === 'connected' || state === 'connected-readonly') this.attempt.succeed();
    else if (state === 'expired') this.attempt.fail(endOf(ErrorCode.SESSIONEXPIRED, reason));
    else if (state === 'auth-failed') this.attempt.fail(endOf(ErrorCode.AUTHFAILED, reason));
    else if (state === 'closed') {
      this.attempt.abandon(reason);
      this.resolveClosed();
    }
    this.emitter.emit('state', state, reason);
    this.emitter.emit(state, reason);
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
