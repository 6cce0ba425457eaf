/** When a member began to look for a leader, to sync, and to lack a quorum, for its metrics. */
import { assert } from '../../../base/assert.js';
import type { Metrics } from '../../metrics/metrics.js';
import type { Role } from './role.js';

const READ_ONLY_GRACE_MS = 2000;

export class PeerTimes {
  private readonly metrics: Metrics;
  /** When the present or last election began, in monotonic ms. */
  private lookingSinceMs = 0;
  /** When the present or last sync with a leader began, in monotonic ms. */
  private syncSinceMs = 0;
  /** Null while it serves. */
  private unavailableSinceMs: number | null = null;

  constructor(metrics: Metrics) {
    this.metrics = metrics;
  }

  looking(nowMs: number): void {
    this.metrics.count('looking_count');
    this.lookingSinceMs = nowMs;
    this.unavailableSinceMs ??= nowMs;
  }

  /** An election should be over by then: ReadOnlyZooKeeperServer starts no earlier. */
  readOnlyAtMs(tickTimeMs: number): number {
    return this.lookingSinceMs + Math.max(READ_ONLY_GRACE_MS, tickTimeMs);
  }

  /** Apache's observers do not measure elections, since they have no vote. */
  elected(nowMs: number, isObserver: boolean): void {
    assert(nowMs >= this.lookingSinceMs, 'role: elected before it looked', nowMs);
    if (!isObserver) this.metrics.record('election_time', nowMs - this.lookingSinceMs);
  }

  syncing(nowMs: number): void {
    this.syncSinceMs = nowMs;
  }

  established(nowMs: number, kind: Role['kind']): void {
    const { metrics } = this;
    assert(nowMs >= this.syncSinceMs, 'role: serves before it was in sync', nowMs);
    if (kind === 'following') metrics.record('follower_sync_time', nowMs - this.syncSinceMs);
    if (kind === 'observing') metrics.record('observer_sync_time', nowMs - this.syncSinceMs);
    if (this.unavailableSinceMs === null) return;
    const unavailableMs = nowMs - this.unavailableSinceMs;
    this.unavailableSinceMs = null;
    metrics.record('unavailable_time', unavailableMs);
    if (kind === 'leading') metrics.record('leader_unavailable_time', unavailableMs);
  }
}
