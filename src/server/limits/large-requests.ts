/**
 * How many bytes of large requests are in the pipeline at a time (ZooKeeperServer's
 * largeRequestThreshold and largeRequestMaxBytes). One that does not fit is not answered: its
 * connection is closed, so that the order of answers holds.
 */
export interface LargeRequestOptions {
  /** A body of more bytes is large; -1 knows no large requests. */
  readonly threshold: number;
  readonly maxBytes: number;
}

export class LargeRequests {
  private readonly options: LargeRequestOptions;
  private inFlight = 0;

  constructor(options: LargeRequestOptions) {
    this.options = options;
  }

  get bytes(): number {
    return this.inFlight;
  }

  /** Of all large requests at a time. */
  get maxBytes(): number {
    return this.options.maxBytes;
  }

  isLarge(length: number): boolean {
    const { threshold } = this.options;
    return threshold !== -1 && length > threshold;
  }

  /** May a large request of this length come in? */
  fits(length: number): boolean {
    return this.inFlight + length <= this.options.maxBytes;
  }

  add(length: number): void {
    this.inFlight += length;
  }

  remove(length: number): void {
    this.inFlight -= length;
  }
}
