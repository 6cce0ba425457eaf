// What the members that answer say about an ensemble with groups (QuorumHierarchical). A leader
// reports how many followers are in sync, but not which. So the members count that serve as leader
// or follower, by their sids.

import {
  containsQuorum,
  countGroups,
  isVoter,
  participants,
  type QuorumConfig,
  voters,
  weightOf,
} from '../../server/quorum/membership/quorum-config.js';
import { isDown } from './member.js';
import { type MemberStatus, namesOf } from './status.js';

/** Trying more combinations of followers takes too long; then nobody knows. */
const MAX_TRIES = 10_000;

/** The members in sync, judged by groups. */
export class Hierarchy {
  readonly config: QuorumConfig;
  /** The voters that serve, by sid. */
  readonly seen: ReadonlySet<number>;
  /** Voters that may be in sync although no answer shows it: the list lacks them. */
  readonly hidden: ReadonlySet<number>;
  /** Followers of `seen` that the leader does not count as in sync. */
  readonly late: number;
  private readonly leader: number | undefined;

  constructor(config: QuorumConfig, statuses: readonly MemberStatus[]) {
    const leader = statuses.find(({ role, isServing }) => isServing && role === 'leader');
    const serving = statuses.filter(isServingVoter).map(numberOf);
    this.config = config;
    this.seen = new Set(serving.filter((sid) => isVoter(config, sid)));
    this.leader = leader && numberOf(leader);
    const { syncedFollowers } = leader ?? {};
    // Apache's leader counts followers of weight 0, too.
    const isCounted = (sid: number) =>
      leader?.quorumSize === voters(config).length
        ? isVoter(config, sid)
        : participants(config).includes(sid);
    const followers = serving.filter((sid) => sid !== this.leader && isCounted(sid)).length;
    this.late = Math.max(0, followers - (syncedFollowers ?? followers));
    const isMore = syncedFollowers === undefined || syncedFollowers > followers;
    this.hidden = isMore ? this.findHidden(statuses) : new Set();
  }

  get voters(): number {
    return voters(this.config).length;
  }

  /** With those of weight 0. */
  get participants(): number {
    return participants(this.config).length;
  }

  /**
   * Whether the members in sync contain a quorum.
   * @param lost the sid of a member that stops
   * @returns undefined if nobody can judge it
   */
  hasQuorum(lost?: number): boolean | undefined {
    const left = without(this.seen, lost);
    const most = without(new Set([...this.seen, ...this.hidden]), lost);
    if (!containsQuorum(this.config, most)) return false;
    if (!containsQuorum(this.config, left)) return undefined;
    return this.survives(left) ? true : undefined;
  }

  /** Whether one voter more would make a quorum. */
  hasQuorumWithOne(): boolean {
    return voters(this.config).some((sid) =>
      containsQuorum(this.config, new Set([...this.seen, sid])),
    );
  }

  /** The voters whose loss ends the quorum. */
  get critical(): readonly number[] {
    return [...this.seen].filter((sid) => this.hasQuorum(sid) === false);
  }

  /** The fewest voters of any quorum. */
  get least(): number {
    const { config } = this;
    const needs = [...config.groups.values()].flatMap((sids) => {
      const weights = sids.map((sid) => weightOf(config, sid)).sort((a, b) => b - a);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      let sum = 0;
      const at = weights.findIndex((weight) => {
        sum += weight;
        return sum * 2 > total;
      });
      return at === -1 ? [] : [at + 1];
    });
    const fewest = needs.sort((a, b) => a - b).slice(0, this.needed);
    return fewest.reduce((sum, need) => sum + need, 0);
  }

  /** Why `hasQuorum` is undefined. */
  get doubt(): string {
    const { late, hidden } = this;
    if (late > 0) {
      return `cannot be judged: the leader does not say which ${late} of its followers ${late === 1 ? 'is' : 'are'} not in sync`;
    }
    return `cannot be judged: list all members (not seen: server ${[...hidden].join(', ')})`;
  }

  /** `4 of 9 voters in sync, a majority in 2 of 3 groups`, as far as the groups are known */
  ratio(verb: 'in sync' | 'stay in sync', lost?: number): string {
    const left = without(this.seen, lost);
    const atLeast = this.hidden.size > 0 ? 'at least ' : '';
    const ratio = `${atLeast}${left.size - this.late} of ${this.voters} voters ${verb}`;
    if (this.late > 0) return ratio;
    const { groups, agreed } = this.count(lost);
    return `${ratio}, a majority in ${agreed} of ${groups} groups`;
  }

  /** The groups with weight, and those of them with a majority in sync. */
  count(lost?: number): { readonly groups: number; readonly agreed: number } {
    return countGroups(this.config, without(this.seen, lost));
  }

  /** The groups that a quorum needs. */
  get needed(): number {
    return Math.floor(this.count().groups / 2) + 1;
  }

  /** Whether a quorum remains, whichever followers are late. */
  private survives(left: ReadonlySet<number>): boolean {
    const followers = [...left].filter((sid) => sid !== this.leader);
    let tries = MAX_TRIES;
    const isSafe = (sids: ReadonlySet<number>, from: number, late: number): boolean => {
      if (late === 0) return containsQuorum(this.config, sids);
      for (let at = from; at <= followers.length - late; at++) {
        if (tries-- === 0) return false;
        if (!isSafe(without(sids, followers[at]), at + 1, late - 1)) return false;
      }
      return true;
    };
    return isSafe(left, 0, Math.min(this.late, followers.length));
  }

  private findHidden(statuses: readonly MemberStatus[]): ReadonlySet<number> {
    const down = statuses.filter(
      ({ member, isObserver, isReadOnly }) => !isObserver && (isDown(member.state) || isReadOnly),
    );
    const unseen = voters(this.config).filter((sid) => !this.seen.has(sid));
    if (unseen.length <= down.length) return new Set();
    const isKnownDown = (sid: number) => down.some((status) => numberOf(status) === sid);
    return new Set(unseen.filter((sid) => !isKnownDown(sid)));
  }
}

/**
 * Undefined if the members report no groups, so that a majority of the voters decides. A string
 * tells why nobody can judge an ensemble with groups.
 */
export function hierarchyOf(statuses: readonly MemberStatus[]): Hierarchy | string | undefined {
  const config = configOf(statuses);
  if (config === undefined || typeof config === 'string') return config;
  const nameless = statuses.filter((one) => isServingVoter(one) && one.sid === undefined);
  if (nameless.length > 0) {
    return `the quorum of groups cannot be judged: ${namesOf(nameless)} ${nameless.length === 1 ? 'does' : 'do'} not report the id; add conf to 4lw.commands.whitelist`;
  }
  return new Hierarchy(config, statuses);
}

/** The newest configuration, and of equal ones that of the leader. */
function configOf(statuses: readonly MemberStatus[]): QuorumConfig | string | undefined {
  const leadersFirst = statuses.toSorted((a, b) => rankOf(a) - rankOf(b));
  let newest: { readonly version: bigint; readonly config: QuorumConfig | undefined } | undefined;
  for (const { member, grouped, configVersion } of leadersFirst) {
    if (typeof grouped === 'string') {
      return `the quorum of groups cannot be judged: ${member.server}: ${grouped}`;
    }
    const version = grouped?.version ?? configVersion;
    if (version === undefined || (newest !== undefined && version <= newest.version)) continue;
    newest = { version, config: grouped };
  }
  return newest?.config;
}

function rankOf({ role }: MemberStatus): number {
  return role === 'leader' ? 0 : 1;
}

function isServingVoter({ role, isServing }: MemberStatus): boolean {
  return isServing && (role === 'leader' || role === 'follower');
}

function numberOf({ sid }: MemberStatus): number {
  return Number(sid ?? Number.NaN);
}

function without(sids: ReadonlySet<number>, lost: number | undefined): ReadonlySet<number> {
  const left = new Set(sids);
  if (lost !== undefined) left.delete(lost);
  return left;
}
