/**
 * The members of the ensemble as one member sees them: the configuration in force and the proposed
 * one, if any. Until it commits, both must agree.
 */
import { assert } from '../../../base/assert.js';
import type { DataTree } from '../../tree/data-tree.js';
import {
  containsExcusedQuorum,
  type IsExcused,
  isParticipant,
  isVoter,
  NOBODY,
  parseConfigData,
  type QuorumConfig,
} from './quorum-config.js';

export class Membership {
  /** In force (QuorumPeer.quorumVerifier); only `activate` changes it. It has a participant. */
  config: QuorumConfig;
  /** Newer than `config`, or null; `propose` sets it, its commit or a truncation clears it. */
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
   * Restores the newer proposed configuration of disk and log at a start. If the lines of zoo.cfg
   * have no version, the operator wrote them, and they alone count.
   */
  restoreProposed(tree: DataTree, stored: QuorumConfig | null = null): void {
    assert(this.proposed === null, 'config: proposed before the start', this.proposed?.version);
    if (stored !== null) this.propose(stored);
    if (this.config.version === 0n) return;
    const logged = parseConfigData(tree.dataAt('/zookeeper/config') ?? '');
    if (typeof logged === 'string') return;
    if (this.next === null || logged.version > this.next.version) this.propose(logged);
  }

  /** Called when no history contains the txns after `zxid` anymore. */
  forgetAfter(zxid: bigint): void {
    if (this.next === null || this.next.version <= zxid) return;
    this.proposed = null;
    this.onProposed();
    this.checkNext();
  }

  /** @param isExcused the voters of a pair that the oracle excuses now */
  isQuorum(sids: ReadonlySet<number>, isExcused: IsExcused = NOBODY): boolean {
    return (
      containsExcusedQuorum(this.config, sids, isExcused) &&
      (this.next === null || containsExcusedQuorum(this.next, sids, isExcused))
    );
  }

  /** In the current or the pending configuration. */
  isMember(sid: number): boolean {
    return this.config.members.has(sid) || this.next?.members.has(sid) === true;
  }

  /** In the current or the pending configuration. */
  isVoter(sid: number): boolean {
    return isVoter(this.config, sid) || (this.next !== null && isVoter(this.next, sid));
  }

  /** A participant of the proposed configuration follows already: that may need its ack. */
  isObserver(sid: number): boolean {
    const isToTakePart = this.next !== null && isParticipant(this.next, sid);
    return this.config.members.get(sid)?.role === 'observer' && !isToTakePart;
  }

  /** Ignores older configurations. */
  propose(config: QuorumConfig): void {
    if (config.version <= this.config.version || config.version === this.next?.version) return;
    const before = this.proposed?.version ?? -1n;
    this.proposed = config;
    this.onProposed();
    this.checkNext();
    assert(config.version !== before, 'config: proposed twice', config.version);
  }

  /** Gives the configuration of zoo.cfg precedence over other unversioned ones (ZOOKEEPER-1783). */
  raise(version: bigint): void {
    if (this.config.version === 0n && this.next === null) this.propose({ ...this.config, version });
  }

  /**
   * NEWLEADER has the newest configuration that the leader knows. A newer one that no history up to
   * `lastZxid` has was known here alone.
   */
  acceptFromLeader(config: QuorumConfig, lastZxid: bigint): void {
    if (config.version > this.config.version) this.propose(config);
    else this.forgetAfter(lastZxid);
  }

  activate(config: QuorumConfig): void {
    this.config = config;
    if (this.next !== null && this.next.version <= config.version) this.proposed = null;
    this.checkNext();
  }

  /** At most two configurations count: the one in force, and one that is newer. */
  private checkNext(): void {
    const { config, proposed } = this;
    const isNewer = proposed === null || proposed.version > config.version;
    assert(
      isNewer,
      'config: the proposed one is not newer than the one in force',
      proposed?.version,
      config.version,
    );
  }
}
