export interface Closing {
  close(): Promise<void>;
}

/**
 * A resource that is slow to start and that the tests of a file share. The first test opens it,
 * and the last one closes it. uvu ignores a hook that throws, so a failed close must fail the last
 * test.
 */
export class SharedByTests<T extends Closing> {
  private readonly open: () => Promise<T>;
  private opened: Promise<T> | undefined;
  private testsLeft = 0;

  constructor(open: () => Promise<T>) {
    this.open = open;
  }

  /** Wraps the function of a test. Either all or none of the wrapped tests must run. */
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
