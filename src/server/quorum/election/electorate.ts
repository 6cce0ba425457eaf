/** Voters of the present and the proposed configuration. A quorum needs both (ZOOKEEPER-2212). */
import { containsExcusedQuorum, type IsExcused } from '../membership/excused-quorum.js';
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
  /** `config` as notifications carry it. */
  readonly text: string;
  private readonly all: readonly QuorumConfig[];

  /** `next` counts when its version is higher. */
  constructor(config: QuorumConfig, next?: QuorumConfig) {
    this.config = config;
    this.text = formatQuorumConfig(config);
    const isNewer = next !== undefined && next.version > config.version;
    this.all = isNewer ? [config, next] : [config];
  }

  has(sid: number): boolean {
    return this.all.some((config) => isParticipant(config, sid));
  }

  /** Whether `vote` is better. Nobody votes for a server that has no weight. */
  prefers(vote: Candidacy, present: Candidacy): boolean {
    if (!this.mayLead(vote.leader)) return false;
    return !this.mayLead(present.leader) || isBetter(vote, present);
  }

  /** Includes participants without weight. */
  members(): Set<number> {
    return new Set(this.all.flatMap((config) => participants(config)));
  }

  isQuorum(sids: ReadonlySet<number>): boolean {
    return this.all.every((config) => containsQuorum(config, sids));
  }

  /** Whether the oracle may let `sid` lead alone, because all other voters are silent. */
  isLone(sid: number, isSilent: IsExcused): boolean {
    const alone = new Set([sid]);
    return this.all.every((config) => containsExcusedQuorum(config, alone, isSilent));
  }

  /** Whether enough servers follow a leader. A pending configuration may need `joiner`, too. */
  isFollowing(sids: ReadonlySet<number>, joiner: number): boolean {
    const pending = this.all.slice(1);
    const joined = new Set(sids).add(joiner);
    const isPresent = containsQuorum(this.config, sids);
    return isPresent && pending.every((config) => containsQuorum(config, joined));
  }

  /** Whether no further vote can change the result. */
  isEverybody(sids: ReadonlySet<number>): boolean {
    return this.all.every((config) => voters(config).every((sid) => sids.has(sid)));
  }

  /** The configuration in a notification if it is newer; a string describes an error. */
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
