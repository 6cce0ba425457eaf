import { ConnectError, RequestAbortedError } from '../base/errors.js';
import type { FailedAttempt } from '../session/server-list.js';

interface Attempts {
  readonly timeoutMs: number;
  start(): void;
  failedAttempts(): readonly FailedAttempt[];
  giveUp(): void;
}

export class ConnectAttempt {
  private readonly attempts: Attempts;
  private timer: NodeJS.Timeout | undefined;
  private unlisten: () => void = () => {};
  private promise: Promise<void> | undefined;
  private failure: Error | undefined;
  private isSettled = false;
  private resolve: () => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(attempts: Attempts) {
    this.attempts = attempts;
  }

  /** Starts on the first call. Every call returns the same promise, and any signal ends it. */
  begin(signal?: AbortSignal): Promise<void> {
    this.endWith(signal);
    if (this.promise !== undefined) return this.promise;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    if (this.failure !== undefined) {
      this.reject(this.failure);
      return this.promise;
    }
    this.timer = setTimeout(() => this.timeOut(), this.attempts.timeoutMs);
    this.attempts.start();
    return this.promise;
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

  /** Rejects, if the client was closed before it connected. */
  abandon(reason: Error | undefined): void {
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
    const abort = (): void => {
      this.fail(new RequestAbortedError(undefined, signal.reason, false));
      this.attempts.giveUp();
    };
    if (signal.aborted) {
      abort();
      return;
    }
    const { unlisten } = this;
    signal.addEventListener('abort', abort);
    this.unlisten = () => {
      unlisten();
      signal.removeEventListener('abort', abort);
    };
  }

  private timeOut(): void {
    const { timeoutMs } = this.attempts;
    this.fail(this.connectError(`no server accepted the session within ${timeoutMs} ms`));
    this.attempts.giveUp();
  }

  private connectError(problem: string): ConnectError {
    const failed = this.attempts.failedAttempts();
    const reasons = failed.map(({ reason }) => reason).join('; ');
    return new ConnectError(reasons === '' ? problem : `${problem}: ${reasons}`, failed);
  }
}
