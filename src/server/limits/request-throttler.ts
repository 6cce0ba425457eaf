/**
 * Requests wait here while the pipeline is full (RequestThrottler); stale ones are dropped. Apache
 * polls every request_throttle_stall_time; here a commit triggers the next request.
 */

import { Fifo } from '../../base/fifo.js';
import { OpCode } from '../../protocol/op-code.js';

export interface RequestThrottleOptions {
  /** Requests in the pipeline (request_throttle_max_requests); 0: no throttling. */
  readonly maxRequests: number;
  readonly isStaleDropped: boolean;
  /** A request of a closed connection is stale. */
  readonly isConnectionChecked: boolean;
  /** A request that waited longer than its session's timeout is stale. */
  readonly isLatencyChecked: boolean;
  /** Requests that waited longer are answered THROTTLEDOP (throttled_op_wait_time); 0: off. */
  readonly throttledOpWaitMs: number;
}

export interface Requester {
  readonly phase: string;
  readonly session: { readonly timeoutMs: number } | null;
}

export interface HeldRequest<C> {
  readonly connection: C;
  readonly frame: Buffer;
  readonly sinceMs: number;
}

export type Release<C> =
  | { readonly kind: 'serve' | 'refuse'; readonly request: HeldRequest<C> }
  /** Its connection must be closed, because requests must not be skipped. */
  | { readonly kind: 'drop'; readonly request: HeldRequest<C> };

/** Never refused: they maintain sessions. */
const UNTHROTTLED: ReadonlySet<number> = new Set([
  OpCode.ping,
  OpCode.closeSession,
  OpCode.createSession,
]);

export class RequestThrottler<C extends Requester> {
  private readonly options: RequestThrottleOptions;
  private readonly waiting = new Fifo<HeldRequest<C>>();

  constructor(options: RequestThrottleOptions) {
    this.options = options;
  }

  get length(): number {
    return this.waiting.length;
  }

  /** Whether a new request must wait. Requests never overtake each other. */
  holds(inProcess: number): boolean {
    const { maxRequests } = this.options;
    return maxRequests > 0 && (this.waiting.length > 0 || inProcess >= maxRequests);
  }

  push(connection: C, frame: Buffer, sinceMs: number): void {
    this.waiting.push({ connection, frame, sinceMs });
  }

  /** Undefined if the queue is empty or the pipeline full. */
  next(inProcess: number, nowMs: number): Release<C> | undefined {
    const request = this.waiting.peek();
    if (request === undefined) return undefined;
    const type = typeOf(request.frame);
    if (this.options.isStaleDropped && this.isStale(request, type, nowMs)) {
      this.waiting.shift();
      return { kind: 'drop', request };
    }
    if (inProcess >= this.options.maxRequests) return undefined;
    this.waiting.shift();
    return { kind: this.isTooLate(request, type, nowMs) ? 'refuse' : 'serve', request };
  }

  /** A closeSession is never stale with its connection, because it cleans up. */
  private isStale({ connection, sinceMs }: HeldRequest<C>, type: number, nowMs: number): boolean {
    if (type === OpCode.closeSession) return false;
    const { isConnectionChecked, isLatencyChecked } = this.options;
    if (isConnectionChecked && connection.phase === 'closed') return true;
    return isLatencyChecked && nowMs - sinceMs > (connection.session?.timeoutMs ?? 0);
  }

  private isTooLate({ sinceMs }: HeldRequest<C>, type: number, nowMs: number): boolean {
    const { throttledOpWaitMs } = this.options;
    return throttledOpWaitMs > 0 && nowMs - sinceMs > throttledOpWaitMs && !UNTHROTTLED.has(type);
  }
}

function typeOf(frame: Buffer): number {
  return frame.length < 8 ? 0 : frame.readInt32BE(4);
}
