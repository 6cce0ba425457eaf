/**
 * Limits the bytes of concurrent large requests (largeRequestThreshold, largeRequestMaxBytes). If a
 * request does not fit, its connection is closed without an answer, which keeps answers in order.
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

  get maxBytes(): number {
    return this.options.maxBytes;
  }

  isLarge(length: number): boolean {
    const { threshold } = this.options;
    return threshold !== -1 && length > threshold;
  }

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
