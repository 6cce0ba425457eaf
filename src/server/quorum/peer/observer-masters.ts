/**
 * Decides where an observer connects (QuorumPeer.findLearnerMaster): to the leader or, with
 * observerMasterPort, to the voters in random order. The leader does not listen on that port, so it
 * is skipped unless it is the only voter.
 */

import { participants, type QuorumConfig } from '../membership/quorum-config.js';
import type { QuorumLimits } from './role.js';
import { RoleBackoff } from './role-backoff.js';

export interface LearnerMaster {
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
  private order: number[] = [];
  private voters = '';
  private next = 0;

  constructor(limits: QuorumLimits, seed: number) {
    this.port = limits.observerMasterPort ?? null;
    this.backoff = new RoleBackoff(limits, seed);
  }

  /** The server to try now; the leader for participants. */
  pick(config: QuorumConfig, leader: number, isObserver: boolean): LearnerMaster {
    const { port, backoff: pauses } = this;
    const sids = participants(config);
    if (!isObserver || port === null || sids.every((sid) => sid === leader)) {
      return placeOf(config, leader, leader, null, pauses.connectMs(isObserver));
    }
    this.shuffle(sids);
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
): LearnerMaster {
  const addresses = (config.members.get(sid)?.addresses ?? []).map(({ host, quorumPort }) => ({
    host,
    port: observerPort ?? quorumPort,
  }));
  return { leader, sid, addresses, delayMs: pauseMs };
}
