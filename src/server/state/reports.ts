/** Reports for the operator's log: data, never text. They leave as effects, in order. */

import type { Txn } from '../../files/txn.js';
import { OpCode } from '../../protocol/op-code.js';
import { lastOperationName } from '../../protocol/operation-table.js';
import { LIMITS, type LimitName } from '../limits/limits.js';
import type { QuotaExcess } from '../prep/quota-check.js';
import type { Session } from '../session/session-tracker.js';
import { type AuditEntry, auditEntries } from './audit.js';
import type { ClientConnection } from './client-connection.js';
import type { Request } from './request.js';
import { pathOfRequest } from './request-path.js';

export type Report =
  | {
      readonly kind: 'session-opened' | 'session-resumed';
      readonly sessionId: bigint;
      readonly remoteIp: string;
      readonly remotePort: number;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'session-closed' | 'session-expired'; readonly sessionId: bigint }
  | { readonly kind: 'refused'; readonly remoteIp: string; readonly reason: string }
  /** Its connection is closed. A client of a learner got an error. */
  | {
      readonly kind: 'request-failed';
      readonly remoteIp: string;
      /** The name as in `cons`. */
      readonly operation: string;
      readonly problem: string;
    }
  | {
      readonly kind: 'slow-request';
      readonly sessionId: bigint;
      /** The name as in `cons`: GETD, CREA … */
      readonly operation: string;
      /** Its first 256 characters; undefined if the request has no path or failed. */
      readonly path: string | undefined;
      readonly ms: number;
    }
  /** At most one a minute for each limit of /zookeeper/quota. */
  | ({ readonly kind: 'quota-exceeded'; readonly isRefused: boolean } & QuotaExcess)
  /** At most one a minute for each limit. */
  | {
      readonly kind: 'limit-exceeded';
      readonly limit: LimitName;
      /** In the unit of the limit. */
      readonly value: number;
      readonly from: string;
      /** Occurrences since the last report, including this one. */
      readonly times: number;
    }
  | { readonly kind: 'quorum'; readonly message: string }
  | { readonly kind: 'audit'; readonly entry: AuditEntry };

export interface ReportOptions {
  /** Reports requests that take longer, in ms; 0: none. */
  readonly slowRequestMs: number;
  /** audit.enable */
  readonly isAudited: boolean;
}

const REPORT_EVERY_MS = 60_000;
const MAX_PATH = LIMITS.shownNameLength.value;
const NO_BODY = Buffer.alloc(0);

export class Reporter {
  readonly options: ReportOptions;
  /** The reports of this turn, in order. */
  private held: Report[] = [];
  /** When each limit was last reported, and how often it was exceeded since. */
  private readonly limits = new Map<LimitName, { reportedMs: number; times: number }>();
  /** When each quota was last reported; at most `quotasReported` of them. */
  private readonly quotasReportedMs = new Map<string, number>();

  constructor(options: ReportOptions) {
    this.options = options;
  }

  add(report: Report): void {
    this.held.push(report);
  }

  limit(name: LimitName, value: number, from: string, nowMs: number): void {
    let state = this.limits.get(name);
    if (state === undefined) {
      state = { reportedMs: Number.NEGATIVE_INFINITY, times: 0 };
      this.limits.set(name, state);
    }
    state.times++;
    if (nowMs - state.reportedMs < REPORT_EVERY_MS) return;
    this.add({ kind: 'limit-exceeded', limit: name, value, from, times: state.times });
    state.reportedMs = nowMs;
    state.times = 0;
  }

  quotaExceeded(excess: QuotaExcess, isRefused: boolean, nowMs: number): void {
    const owner = cut(excess.owner);
    const limit = `${excess.what} ${owner}`;
    const reportedMs = this.quotasReportedMs.get(limit) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - reportedMs < REPORT_EVERY_MS) return;
    if (this.quotasReportedMs.size >= LIMITS.quotasReported.value) this.quotasReportedMs.clear();
    this.quotasReportedMs.set(limit, nowMs);
    this.add({ kind: 'quota-exceeded', isRefused, ...excess, owner });
  }

  take(): readonly Report[] {
    const { held } = this;
    if (held.length > 0) this.held = [];
    return held;
  }

  session(
    kind: 'session-opened' | 'session-resumed',
    { remoteIp, remotePort }: ClientConnection,
    { id: sessionId, timeoutMs }: Session,
  ): void {
    this.add({ kind, sessionId, remoteIp, remotePort, timeoutMs });
  }

  /** Called when a txn was applied. @param nowMs on the monotonic clock */
  committed(request: Request, txn: Txn, nowMs: number): void {
    if (txn.type === OpCode.closeSession) {
      this.add({ kind: 'session-closed', sessionId: request.sessionId });
    }
    if (request.connection !== null)
      this.answered(request, 'path' in txn ? txn.path : undefined, nowMs);
    if (!this.options.isAudited) return;
    for (const entry of auditEntries(request, txn)) this.add({ kind: 'audit', entry });
  }

  /** For reads that had to wait; others are answered when they arrive. */
  answeredLate(request: Request, nowMs: number): void {
    if (!this.isSlow(request, nowMs)) return;
    const body = request.body ?? NO_BODY;
    this.answered(request, pathOfRequest(request.type, body, 0, body.length), nowMs);
  }

  private answered(request: Request, path: string | undefined, nowMs: number): void {
    if (!this.isSlow(request, nowMs)) return;
    this.add({
      kind: 'slow-request',
      sessionId: request.sessionId,
      operation: lastOperationName(request.type),
      path: path && cut(path),
      ms: nowMs - request.startedMs,
    });
  }

  private isSlow({ startedMs }: Request, nowMs: number): boolean {
    const { slowRequestMs } = this.options;
    return slowRequestMs > 0 && nowMs - startedMs >= slowRequestMs;
  }
}

/** A copy, because a part of a string keeps the whole of it. */
function cut(path: string): string {
  return path.length <= MAX_PATH ? path : Buffer.from(path.slice(0, MAX_PATH)).toString();
}
