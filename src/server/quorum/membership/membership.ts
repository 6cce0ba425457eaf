/**
 * The members of the ensemble as one member sees them: the configuration in force and the proposed
 * one, if a reconfig is under way. Until it commits, both must agree.
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
  /** The configuration in force (QuorumPeer.quorumVerifier). */
  config: QuorumConfig;
  private proposed: QuorumConfig | null = null;
  /** Called when `next` changes, but not when it comes into force. */
  onProposed: () => void = () => undefined;

  constructor(config: QuorumConfig) {
    this.config = config;
  }

  /** The proposed configuration with a higher version, or null (lastSeenQuorumVerifier). */
  get next(): QuorumConfig | null {
    return this.proposed;
  }

  /**
   * The proposed configuration at a start: on the disk, or in the log, whichever is newer.
   *
   * A reconfig in the log but not in zoo.cfg may be in force or may never be. If the lines of
   * zoo.cfg have no version, the operator wrote them, and they alone count.
   */
  recall(tree: DataTree, stored: QuorumConfig | null = null): void {
    if (stored !== null) this.propose(stored);
    if (this.config.version === 0n) return;
    const logged = parseQuorumConfig(tree.get('/zookeeper/config')?.data ?? '');
    if (typeof logged === 'string') return;
    if (this.next === null || logged.version > this.next.version) this.propose(logged);
  }

  /** No history contains the txns after `zxid` anymore. */
  forgetAfter(zxid: bigint): void {
    if (this.next === null || this.next.version <= zxid) return;
    this.proposed = null;
    this.onProposed();
  }

  isQuorum(sids: ReadonlySet<number>): boolean {
    return (
      containsQuorum(this.config, sids) && (this.next === null || containsQuorum(this.next, sids))
    );
  }

  /** Whether the server is a member in the current or the pending configuration. */
  isMember(sid: number): boolean {
    return this.config.members.has(sid) || this.next?.members.has(sid) === true;
  }

  /** Whether the server votes in the current or the pending configuration. */
  isVoter(sid: number): boolean {
    return isVoter(this.config, sid) || (this.next !== null && isVoter(this.next, sid));
  }

  /**
   * Whether the server only observes. If the proposed configuration makes it a participant, it
   * already follows: that configuration may need its ack.
   */
  isObserver(sid: number): boolean {
    const isToTakePart = this.next !== null && isParticipant(this.next, sid);
    return this.config.members.get(sid)?.role === 'observer' && !isToTakePart;
  }

  /** Stores a configuration that may come into force; ignores older ones. */
  propose(config: QuorumConfig): void {
    if (config.version <= this.config.version || config.version === this.next?.version) return;
    this.proposed = config;
    this.onProposed();
  }

  /**
   * NEWLEADER has the newest configuration that the leader knows. A newer one that is in no history
   * up to `lastZxid` was known here alone.
   */
  told(config: QuorumConfig, lastZxid: bigint): void {
    if (config.version > this.config.version) this.propose(config);
    else this.forgetAfter(lastZxid);
  }

  activate(config: QuorumConfig): void {
    this.config = config;
    if (this.next !== null && this.next.version <= config.version) this.proposed = null;
  }
}
