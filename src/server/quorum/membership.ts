/**
 * Who belongs to the ensemble, as one member knows it: the configuration in force, and beside it
 * one that a reconfig proposed and that is not committed yet. Until it is, both must agree.
 */
import { containsQuorum, isVoter, type QuorumConfig } from './quorum-config.js';

export class Membership {
  /** In force (QuorumPeer.quorumVerifier). */
  config: QuorumConfig;
  /** Proposed, with a higher version; null where there is none (lastSeenQuorumVerifier). */
  next: QuorumConfig | null = null;

  constructor(config: QuorumConfig) {
    this.config = config;
  }

  isQuorum(sids: ReadonlySet<number>): boolean {
    return (
      containsQuorum(this.config, sids) && (this.next === null || containsQuorum(this.next, sids))
    );
  }

  /** Does its word count, now or when the pending configuration is in force? */
  isVoter(sid: number): boolean {
    return isVoter(this.config, sid) || (this.next !== null && isVoter(this.next, sid));
  }

  /** Notes a configuration that may come into force; an older one than known changes nothing. */
  propose(config: QuorumConfig): void {
    if (config.version > this.config.version) this.next = config;
  }

  activate(config: QuorumConfig): void {
    this.config = config;
    if (this.next !== null && this.next.version <= config.version) this.next = null;
  }
}
