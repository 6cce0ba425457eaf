/**
 * Who belongs to the ensemble, as one member knows it: the configuration in force, and beside it
 * one that a reconfig proposed and that is not committed yet. Until it is, both must agree.
 */
import type { DataTree } from '../../tree/data-tree.js';
import {
  containsQuorum,
  isParticipant,
  isVoter,
  parseQuorumConfig,
  type QuorumConfig,
} from './quorum-config.js';

export class Membership {
  /** In force (QuorumPeer.quorumVerifier). */
  config: QuorumConfig;
  /** Proposed, with a higher version; null where there is none (lastSeenQuorumVerifier). */
  next: QuorumConfig | null = null;

  constructor(config: QuorumConfig) {
    this.config = config;
  }

  /**
   * A reconfig that the log has and zoo.cfg has not may be in force by now, or never be. Where the
   * lines of zoo.cfg have no version they are the operator's, and count alone.
   */
  recall(tree: DataTree): void {
    if (this.config.version === 0n) return;
    const logged = parseQuorumConfig(tree.get('/zookeeper/config')?.data ?? '');
    if (typeof logged !== 'string') this.propose(logged);
  }

  /** What was proposed behind `zxid` is in nobody's history any more. */
  forgetBehind(zxid: bigint): void {
    if (this.next !== null && this.next.version > zxid) this.next = null;
  }

  isQuorum(sids: ReadonlySet<number>): boolean {
    return (
      containsQuorum(this.config, sids) && (this.next === null || containsQuorum(this.next, sids))
    );
  }

  /** Does it belong to the ensemble, now or when the pending configuration is in force? */
  isMember(sid: number): boolean {
    return this.config.members.has(sid) || this.next?.members.has(sid) === true;
  }

  /** Does its word count, now or when the pending configuration is in force? */
  isVoter(sid: number): boolean {
    return isVoter(this.config, sid) || (this.next !== null && isVoter(this.next, sid));
  }

  /**
   * Does it only observe? One that the proposed configuration makes a participant follows already:
   * that one may not come into force without it.
   */
  isObserver(sid: number): boolean {
    const isToTakePart = this.next !== null && isParticipant(this.next, sid);
    return this.config.members.get(sid)?.role === 'observer' && !isToTakePart;
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
