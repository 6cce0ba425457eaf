/**
 * Who votes: the configuration in force, and beside it one that a reconfig proposed and that is
 * not committed yet. What one of them asks for, both must have (ZOOKEEPER-2212).
 */
import {
  containsQuorum,
  formatQuorumConfig,
  isParticipant,
  isVoter,
  parseQuorumConfig,
  participants,
  type QuorumConfig,
  voters,
} from '../membership/quorum-config.js';
import { type Candidacy, isBetter } from '../wire/vote.js';

export class Electorate {
  readonly config: QuorumConfig;
  /** The text of `config`, as notifications carry it. */
  readonly text: string;
  private readonly all: readonly QuorumConfig[];

  /** `next` counts when its version is higher. */
  constructor(config: QuorumConfig, next?: QuorumConfig) {
    this.config = config;
    this.text = formatQuorumConfig(config);
    const isNewer = next !== undefined && next.version > config.version;
    this.all = isNewer ? [config, next] : [config];
  }

  /** Is it a participant, now or when the pending configuration is in force? */
  has(sid: number): boolean {
    return this.all.some((config) => isParticipant(config, sid));
  }

  /** Is `vote` better? Nobody votes for a server whose own vote weighs nothing. */
  prefers(vote: Candidacy, present: Candidacy): boolean {
    if (!this.mayLead(vote.leader)) return false;
    return !this.mayLead(present.leader) || isBetter(vote, present);
  }

  /** All participants, those without weight too. */
  members(): Set<number> {
    return new Set(this.all.flatMap((config) => participants(config)));
  }

  isQuorum(sids: ReadonlySet<number>): boolean {
    return this.all.every((config) => containsQuorum(config, sids));
  }

  /**
   * Do so many follow a leader that `joiner` may, too? A pending configuration may need its voice,
   * and may have come to nothing long ago: that is for the leader to know.
   */
  isFollowing(sids: ReadonlySet<number>, joiner: number): boolean {
    const pending = this.all.slice(1);
    const joined = new Set(sids).add(joiner);
    const isPresent = containsQuorum(this.config, sids);
    return isPresent && pending.every((config) => containsQuorum(config, joined));
  }

  /** Is there nobody else whose vote could change anything? */
  isEverybody(sids: ReadonlySet<number>): boolean {
    return this.all.every((config) => voters(config).every((sid) => sids.has(sid)));
  }

  /** The configuration in a notification when it is newer; a string says what is wrong with it. */
  newerIn(text: string): QuorumConfig | string | undefined {
    if (text === this.text) return undefined;
    const config = parseQuorumConfig(text);
    if (typeof config === 'string') return config;
    return config.version > this.config.version ? config : undefined;
  }

  private mayLead(sid: number): boolean {
    return this.all.some((config) => isVoter(config, sid));
  }
}
