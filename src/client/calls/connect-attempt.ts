import { abortError, onAbort } from '../base/abort.js';
import { ClosedError, ConnectError, type FailedAttempt } from '../base/errors.js';

interface Attempts {
  readonly timeoutMs: number;
  start(): void;
  failedAttempts(): readonly FailedAttempt[];
  giveUp(error: Error): void;
}

export class ConnectAttempt {
  private readonly attempts: Attempts;
  private timer: NodeJS.Timeout | undefined;
  private unlisten: () => void = () => {};
  /** Of the first connection, from the first call on. */
  private promise: Promise<void> | undefined;
  /** Why no later call can connect: set once, at the end of the session. */
  private failure: Error | undefined;
  private isSettled = false;
  private resolve: () => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(attempts: Attempts) {
    this.attempts = attempts;
  }

  /**
   * Starts on the first call. Every call returns the same promise until the session ends, and any
   * signal ends it.
   */
  begin(signal?: AbortSignal): Promise<void> {
    this.endWith(signal);
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (this.promise !== undefined) return this.promise;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => this.timeOut(), this.attempts.timeoutMs);
    this.attempts.start();
    return this.promise;
  }

  /** For a request before connect(): its own error tells of a failure. */
  beginUnasked(): void {
    this.begin().catch(() => undefined);
  }

  succeed(): void {
    this.settled();
    this.resolve();
  }

  fail(error: Error): void {
    this.settled();
    this.failure ??= error;
    this.reject(error);
  }

  /** The client was closed: perhaps before it connected. */
  abandon(reason: Error | undefined): void {
    if (this.isSettled) this.fail(new ClosedError(undefined, false, reason));
    else
      this.fail(
        this.connectError(
          reason?.message ?? 'the client was closed before a server accepted the session',
        ),
      );
  }

  private settled(): void {
    this.isSettled = true;
    clearTimeout(this.timer);
    this.unlisten();
  }

  private endWith(signal: AbortSignal | undefined): void {
    if (signal === undefined || this.isSettled) return;
    const { unlisten } = this;
    const ignore = onAbort(signal, () => this.giveUp(abortError(undefined, signal.reason, false)));
    this.unlisten = () => {
      unlisten();
      ignore();
    };
  }

  private timeOut(): void {
    const { timeoutMs } = this.attempts;
    this.giveUp(this.connectError(`no server accepted the session within ${timeoutMs} ms`));
  }

  private giveUp(error: Error): void {
    this.fail(error);
    this.attempts.giveUp(error);
  }

  private connectError(problem: string): ConnectError {
    const failed = this.attempts.failedAttempts();
    const reasons = failed.map(({ reason }) => reason).join('; ');
    return new ConnectError(reasons === '' ? problem : `${problem}: ${reasons}`, failed);
  }
}
