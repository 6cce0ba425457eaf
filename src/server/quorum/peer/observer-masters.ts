/**
 * Decides where an observer connects (QuorumPeer.findMasterAddress): to the leader or, with
 * observerMasterPort, to the voters in random order. The leader does not listen on that port, so it
 * is skipped unless it is the only voter.
 */
import { assert } from '../../../base/assert.js';
import { Random } from '../../../base/random.js';
import { participants, type QuorumConfig } from '../membership/quorum-config.js';
import type { QuorumLimits, Role } from './role.js';

/** Where a learner connects. */
export interface MasterAddress {
  readonly leader: number;
  /** The leader or an observer master. */
  readonly sid: number;
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  /** Before dialing. */
  readonly delayMs: number;
}

export class ObserverMasters {
  readonly backoff: RoleBackoff;
  private readonly port: number | null;
  /** The participants of `voters` in a random order. */
  private order: number[] = [];
  /** Those that `order` was made of, as text; a change makes another order. */
  private voters = '';
  /** The place in `order` of the one to try next, at most its length. */
  private next = 0;

  constructor(limits: QuorumLimits, seed: number) {
    this.port = limits.observerMasterPort ?? null;
    this.backoff = new RoleBackoff(limits, seed);
  }

  /** The server to try now; the leader for participants. */
  pick(config: QuorumConfig, leader: number, isObserver: boolean): MasterAddress {
    const { port, backoff: pauses } = this;
    const sids = participants(config);
    assert(sids.length > 0, 'config: no participant to connect to', config.version);
    if (!isObserver || port === null || sids.every((sid) => sid === leader)) {
      return placeOf(config, leader, leader, null, pauses.connectMs(isObserver));
    }
    this.shuffle(sids);
    assert(this.order.length === sids.length, 'config: another order', this.order.length);
    // Wait only after all have been tried.
    let pauseMs = 0;
    for (;;) {
      if (this.next >= this.order.length) {
        this.next = 0;
        pauseMs = pauses.connectMs(true);
      }
      const sid = this.order[this.next++];
      if (sid !== undefined && sid !== leader) return placeOf(config, leader, sid, port, pauseMs);
    }
  }

  private shuffle(sids: readonly number[]): void {
    if (this.voters === sids.join()) return;
    this.voters = sids.join();
    this.next = 0;
    this.order = [...sids];
    for (let at = this.order.length - 1; at > 0; at--) {
      const other = this.backoff.random.below(at + 1);
      const sid = this.order[at] as number;
      this.order[at] = this.order[other] as number;
      this.order[other] = sid;
    }
  }
}

function placeOf(
  config: QuorumConfig,
  leader: number,
  sid: number,
  observerPort: number | null,
  pauseMs: number,
): MasterAddress {
  const addresses = (config.members.get(sid)?.addresses ?? []).map(({ host, quorumPort }) => ({
    host,
    port: observerPort ?? quorumPort,
  }));
  return { leader, sid, addresses, delayMs: pauseMs };
}

/** The leader may not listen yet when the others connect. */
const FREE_RETRIES = 2;
const FIRST_PAUSE_MS = 50;

/**
 * Pauses before a server looks for a leader or connects to it. An observer waits at random, since
 * all observers must not reach the voters at once (Observer). Every server waits after roles that
 * ended before they served: without data that a leader accepts, it would retry hundreds of times a
 * second.
 */
export class RoleBackoff {
  private readonly limits: QuorumLimits;
  readonly random: Random;
  /** No election before this time, in monotonic ms. */
  private untilMs = 0;
  /** Roles in a row that ended before they served; 0 once one serves. */
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
    assert(this.failures >= 0, 'role: ended more often than begun', this.failures);
    this.failures = 0;
  }

  /** Called when a role ended. An observer waits observer.election.DelayMs. */
  begin(kind: Role['kind'], nowMs: number): void {
    const { observerElectionDelayMs, tickTimeMs } = this.limits;
    const doublings = this.failures++ - FREE_RETRIES;
    const failedMs = doublings < 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** doublings, tickTimeMs / 2);
    const observerMs = kind === 'observing' ? this.random.below(observerElectionDelayMs) : 0;
    this.untilMs = nowMs + Math.max(failedMs, observerMs);
    assert(this.untilMs >= nowMs, 'role: a pause that is over before', this.untilMs, nowMs);
  }

  isOver(nowMs: number): boolean {
    return nowMs >= this.untilMs;
  }

  /** Infinity if nothing is scheduled. */
  nextWakeMs(nowMs: number): number {
    return this.isOver(nowMs) ? Number.POSITIVE_INFINITY : this.untilMs;
  }
}
