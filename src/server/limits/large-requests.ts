/**
 * Limits the bytes of concurrent large requests (ZooKeeperServer's largeRequestThreshold and
 * largeRequestMaxBytes). A request that does not fit is not answered. Its connection is closed,
 * which keeps answers in order.
 */
export interface LargeRequestOptions {
  /** Bodies with more bytes are large; -1: no request is large. */
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

  /** The limit for all concurrent large requests. */
  get maxBytes(): number {
    return this.options.maxBytes;
  }

  isLarge(length: number): boolean {
    const { threshold } = this.options;
    return threshold !== -1 && length > threshold;
  }

  /** Whether a large request of this length fits. */
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
