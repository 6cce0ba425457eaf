import { EventEmitter } from 'node:events';
import { ErrorCode } from '../protocol/error-code.js';
import { checkListener } from './arguments.js';
import type { ClientEvents, ClientState, Watcher } from './client.js';
import type { ConnectAttempt } from './connect-attempt.js';
import { ZooKeeperError } from './errors.js';

/** The events that every client emits: states, watch events, its end. */
export abstract class ClientLife {
  protected abstract readonly attempt: ConnectAttempt;
  protected readonly closed: Promise<void>;
  protected readonly defaultWatcher: Watcher = (event) => {
    this.emitter.emit('watch', event);
  };
  private readonly emitter = new EventEmitter();
  private resolveClosed: () => void = () => {};

  constructor() {
    this.closed = new Promise((resolve) => {
      this.resolveClosed = resolve;
    });
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
  }
}

function endOf(code: ErrorCode, reason: Error | undefined): ZooKeeperError {
  return new ZooKeeperError(code, undefined, { cause: reason });
}
