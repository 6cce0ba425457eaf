/**
 * The pauses before a server looks for a leader, or connects to it.
 *
 * An observer makes one for a random part of what its zoo.cfg allows: many must not come to the
 * voters at once when a leader is gone, or when it turned them away (Observer). Every server makes
 * one when its roles end again and again before they serve: with data that no leader takes it would
 * else come, be sent away and say so hundreds of times a second.
 */
import { Random } from '../../base/random.js';
import type { QuorumLimits, Role } from './role.js';

/** A leader may not be there yet when the others come: the first retries are free. */
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

  /** How long to wait before it connects (observer.reconnectDelayMs); followers do not. */
  connectMs(isObserver: boolean): number {
    return isObserver ? this.random.below(this.limits.observerReconnectDelayMs) : 0;
  }

  /** A role serves. */
  served(): void {
    this.failures = 0;
  }

  /** A role is over: it is to look again, an observer after observer.election.DelayMs. */
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

  /** Infinity where there is none. */
  nextWakeMs(nowMs: number): number {
    return this.isOver(nowMs) ? Number.POSITIVE_INFINITY : this.untilMs;
  }
}
