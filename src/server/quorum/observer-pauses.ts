/**
 * The pauses that an observer makes, each for a random part of what its zoo.cfg allows: many must
 * not come to the voters at once when a leader is gone, or when it turned them away (Observer).
 */
import type { QuorumLimits } from './role.js';

export class ObserverPauses {
  private readonly limits: QuorumLimits;
  private random: number;
  private untilMs = 0;

  constructor(limits: QuorumLimits, seed: number) {
    this.limits = limits;
    this.random = Math.imul(seed, 0x9e3779b1) || 1;
  }

  /** How long to wait before it connects (observer.reconnectDelayMs); followers do not. */
  connectMs(isObserver: boolean): number {
    return isObserver ? this.below(this.limits.observerReconnectDelayMs) : 0;
  }

  /** It observes no more; it is to look again after a while (observer.election.DelayMs). */
  begin(nowMs: number): void {
    this.untilMs = nowMs + this.below(this.limits.observerElectionDelayMs);
  }

  isOver(nowMs: number): boolean {
    return nowMs >= this.untilMs;
  }

  /** Infinity where there is none. */
  nextWakeMs(nowMs: number): number {
    return this.isOver(nowMs) ? Number.POSITIVE_INFINITY : this.untilMs;
  }

  /** A whole number from 0, at random. */
  below(limit: number): number {
    if (limit <= 0) return 0;
    // xorshift32
    this.random ^= this.random << 13;
    this.random ^= this.random >>> 17;
    this.random ^= this.random << 5;
    return Math.floor(((this.random >>> 0) / 2 ** 32) * limit);
  }
}
