/**
 * Pauses before a server looks for a leader or connects to it. An observer waits at random, since
 * all observers must not reach the voters at once (Observer). Every server waits after roles that
 * ended before they served: without data that a leader accepts, it would retry hundreds of times a
 * second.
 */
import { Random } from '../../../base/random.js';
import type { QuorumLimits, Role } from './role.js';

/** The leader may not listen yet when the others connect. */
const FREE_RETRIES = 2;
const FIRST_PAUSE_MS = 50;

export class RoleBackoff {
  private readonly limits: QuorumLimits;
  readonly random: Random;
  private untilMs = 0;
  /** Roles in a row that ended before they served. */
  private failures = 0;

  constructor(limits: QuorumLimits, seed: number) {
    this.limits = limits;
    this.random = new Random(Math.imul(seed, 0x9e3779b1));
  }

  /** observer.reconnectDelayMs; 0 for followers. */
  connectMs(isObserver: boolean): number {
    return isObserver ? this.random.below(this.limits.observerReconnectDelayMs) : 0;
  }

  served(): void {
    this.failures = 0;
  }

  /** Called when a role ended. An observer waits observer.election.DelayMs. */
  begin(kind: Role['kind'], nowMs: number): void {
    const { observerElectionDelayMs, tickTimeMs } = this.limits;
    const doublings = this.failures++ - FREE_RETRIES;
    const failedMs = doublings < 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** doublings, tickTimeMs / 2);
    const observerMs = kind === 'observing' ? this.random.below(observerElectionDelayMs) : 0;
    this.untilMs = nowMs + Math.max(failedMs, observerMs);
  }

  isOver(nowMs: number): boolean {
    return nowMs >= this.untilMs;
  }

  /** Infinity if nothing is scheduled. */
  nextWakeMs(nowMs: number): number {
    return this.isOver(nowMs) ? Number.POSITIVE_INFINITY : this.untilMs;
  }
}
