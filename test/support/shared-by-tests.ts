export interface Closing {
  close(): Promise<void>;
}

/**
 * What several tests of a file share, since it is slow to start: the first of them to run opens
 * it, and it is closed when the last has ended. Without a test or a hook for the closing: a close
 * that fails fails the last test.
 */
export class SharedByTests<T extends Closing> {
  private readonly open: () => Promise<T>;
  private opened: Promise<T> | undefined;
  private testsLeft = 0;

  constructor(open: () => Promise<T>) {
    this.open = open;
  }

  /** A test's function around `work`; each one made has to run once, or none of them. */
  use(work: (shared: T) => Promise<void>): () => Promise<void> {
    this.testsLeft++;
    return async () => {
      const faults: unknown[] = [];
      const keep = (error: unknown) => void faults.push(error);
      this.opened ??= this.open();
      await this.opened.then(work).catch(keep);
      if (--this.testsLeft === 0) {
        const close = (shared: T) => shared.close().catch(keep);
        await this.opened.then(close, () => undefined);
      }
      if (faults.length > 1) throw new AggregateError(faults, faults.join('; '));
      if (faults.length === 1) throw faults[0];
    };
  }
}
