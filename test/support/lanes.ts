type Work<T> = (shared: T) => Promise<void>;

/**
 * Runs the work of several tests, a few at once, because each mostly waits for the network. The
 * first test starts all of it, and each test waits for its own.
 */
export class Lanes<T> {
  private readonly count: number;
  private readonly waiting: Work<T>[] = [];
  private hasStarted = false;

  constructor(count: number) {
    this.count = count;
  }

  /** Wraps the function of a test. Either all or none of the wrapped tests must run. */
  use(work: Work<T>): Work<T> {
    const outcome = new Promise<unknown[]>((resolve) => {
      this.waiting.push((shared) =>
        work(shared).then(
          () => resolve([]),
          (error: unknown) => resolve([error]),
        ),
      );
    });
    return async (shared) => {
      this.start(shared);
      const faults = await outcome;
      if (faults.length > 0) throw faults[0];
    };
  }

  private start(shared: T): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    for (let i = 0; i < this.count; i++) void this.runLane(shared);
  }

  private async runLane(shared: T): Promise<void> {
    for (let work = this.waiting.shift(); work !== undefined; work = this.waiting.shift()) {
      await work(shared);
    }
  }
}
