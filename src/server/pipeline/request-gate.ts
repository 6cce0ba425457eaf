/** Admits requests: one may have to wait, and a large one may be refused. */

import { assert } from '../../base/assert.js';
import { READS } from '../../protocol/operation-table.js';
import { LargeRequests } from '../limits/large-requests.js';
import { NO_LIMITS } from '../limits/limit-options.js';
import { RequestThrottler } from '../limits/request-throttler.js';
import { BYTES_PER_STEP } from '../limits/work.js';
import type { ClientConnection } from '../state/client-connection.js';
import { REQUEST_HEADER_SIZE, type Request } from '../state/request.js';
import type { ServerState } from '../state/server-state.js';

/** More than the headers of a txn or packet add to a request. */
const MAX_FREE_BYTES = 1024;

export interface GateHandlers {
  inProcess(): number;
  serve(connection: ClientConnection, bytes: Buffer, start: number, end: number): void;
  /** Answers THROTTLEDOP, in the order of the requests. */
  refuse(connection: ClientConnection, frame: Buffer, sinceMs: number): void;
  close(connection: ClientConnection): void;
}

export class RequestGate {
  readonly large: LargeRequests;
  private readonly state: ServerState;
  private readonly handlers: GateHandlers;
  private readonly throttler: RequestThrottler<ClientConnection>;
  /** The bytes counted as large for the request being admitted, until it is kept or answered. */
  private entering = 0;
  /** The bytes of the request being served; 0 between requests. */
  private size = 0;

  constructor(state: ServerState, handlers: GateHandlers) {
    const { requests, large } = state.settings.limits ?? NO_LIMITS;
    this.state = state;
    this.handlers = handlers;
    this.throttler = new RequestThrottler(requests);
    this.large = new LargeRequests(large);
  }

  get waiting(): number {
    return this.throttler.length;
  }

  enter(connection: ClientConnection, bytes: Buffer, start: number, end: number): void {
    const { state, handlers, large } = this;
    const length = end - start - REQUEST_HEADER_SIZE;
    if (large.isLarge(length)) {
      if (!large.fits(length)) {
        state.stats.count('large_requests_rejected');
        state.exceeded('largeRequestBytes', connection.remoteIp, large.maxBytes);
        handlers.close(connection);
        return;
      }
      large.add(length);
      this.entering = length;
    }
    if (this.throttler.holds(handlers.inProcess())) {
      // A client that sends keeps its session alive, even while its requests wait.
      if (connection.session !== null) state.sessions.touch(connection.session, state.monotonicMs);
      state.stats.count('request_throttle_wait_count');
      this.throttler.push(connection, bytes.subarray(start, end), state.monotonicMs);
      this.entering = 0;
    } else {
      this.serve(connection, bytes, start, end);
    }
  }

  private serve(connection: ClientConnection, bytes: Buffer, start: number, end: number): void {
    this.size = end - start;
    this.handlers.serve(connection, bytes, start, end);
    this.size = 0;
    // Not kept, so it has been answered.
    if (this.entering > 0) this.large.remove(this.entering);
    this.entering = 0;
  }

  keep(request: Request): void {
    if (request.largeBytes !== 0)
      assert(false, 'back-pressure: counted as large twice', request.xid);
    // The ids of a client belong to its bytes in an ACL and in a packet, and may be far longer.
    const more = request.made - this.size;
    if (more > MAX_FREE_BYTES) this.state.work.steps += Math.ceil(more / BYTES_PER_STEP);
    request.size = Math.max(this.size, request.made);
    request.largeBytes = this.entering;
    this.entering = 0;
  }

  done(request: Request): void {
    if (request.largeBytes > 0) this.large.remove(request.largeBytes);
    if (this.large.bytes < 0)
      assert(false, 'back-pressure: more large bytes left than came', request.xid);
  }

  release(): void {
    if (this.throttler.length === 0) return;
    const { state, handlers, large } = this;
    for (;;) {
      const released = this.throttler.next(handlers.inProcess(), state.monotonicMs);
      if (released === undefined) return;
      const { connection, frame, sinceMs } = released.request;
      state.stats.metrics.throttleQueueTime.record(state.monotonicMs - sinceMs);
      const length = frame.length - REQUEST_HEADER_SIZE;
      this.entering = large.isLarge(length) ? length : 0;
      // A read may outlive its connection, and its watch would stay for ever.
      const isVain =
        connection.phase === 'closed' && length >= 0 && READS.has(frame.readInt32BE(4));
      if (released.kind === 'serve' && !isVain) {
        this.serve(connection, frame, 0, frame.length);
        continue;
      }
      large.remove(this.entering);
      this.entering = 0;
      if (isVain && released.kind === 'serve') continue;
      if (released.kind === 'drop') {
        state.stats.count('stale_requests');
        state.stats.count('stale_requests_dropped');
        handlers.close(connection);
      } else handlers.refuse(connection, frame, sinceMs);
    }
  }
}
