import { ConnectError } from './errors.js';

interface Attempts {
  readonly timeoutMs: number;
  start(): void;
  /** Where each server failed last. */
  failedAttempts(): readonly { readonly server: string; readonly reason: string }[];
  /** Closes the client: nobody will use it. */
  giveUp(): void;
}

/** The promise of connect(): the first connection, or the time that it may take. */
export class ConnectAttempt {
  private readonly attempts: Attempts;
  private timer: NodeJS.Timeout | undefined;
  private promise: Promise<void> | undefined;
  private resolve: () => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(attempts: Attempts) {
    this.attempts = attempts;
  }

  /** Starts on the first call; every call gives the same promise. */
  begin(): Promise<void> {
    if (this.promise !== undefined) return this.promise;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => {
      this.fail(this.connectError(`within ${this.attempts.timeoutMs} ms`));
      this.attempts.giveUp();
    }, this.attempts.timeoutMs);
    this.attempts.start();
    return this.promise;
  }

  succeed(): void {
    clearTimeout(this.timer);
    this.resolve();
  }

  fail(error: Error): void {
    clearTimeout(this.timer);
    this.reject(error);
  }

  /** The client was closed before it was connected. */
  abandon(): void {
    this.fail(this.connectError('before the client was closed'));
  }

  private connectError(when: string): ConnectError {
    const failed = this.attempts.failedAttempts();
    const reasons = failed.map(({ reason }) => reason).join('; ');
    const message =
      reasons === ''
        ? `no server took the session ${when}`
        : `no server took the session ${when}: ${reasons}`;
    return new ConnectError(message, failed);
  }
}
