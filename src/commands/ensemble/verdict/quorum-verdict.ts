import { Hierarchy, hierarchyOf } from '../hierarchy.js';
import { isDown } from '../member.js';
import { type MemberStatus, namesOf } from '../status.js';
import { finding, type Overall, well } from './finding.js';

function majorityOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/** @param serving those of `statuses` that serve reads and writes, without standalone servers */
export function judgeQuorum(
  statuses: readonly MemberStatus[],
  serving: readonly MemberStatus[],
): Overall {
  const twice = findDuplicates(serving);
  if (twice !== undefined) return twice;
  const leaders = serving.filter(({ role }) => role === 'leader');
  const [leader] = leaders;
  const hierarchy = hierarchyOf(statuses);
  const groups = hierarchy instanceof Hierarchy ? hierarchy : undefined;
  if (leaders.length > 1) return judgeLeaders(leaders, groups);
  const mixed = findForeignMembers(serving, groups);
  if (mixed !== undefined) return mixed;
  const reported = Math.max(0, ...serving.map(({ quorumSize }) => quorumSize ?? 0));
  // If no member reports the number of voters, count the listed members that are not observers.
  const listed = statuses.filter(({ isObserver }) => !isObserver).length;
  const voters = reported > 0 ? reported : listed;
  if (leader === undefined)
    return judgeWithoutLeader(statuses, serving, { voters, listed, groups });
  const followers = serving.filter(({ role }) => role === 'follower');
  if (typeof hierarchy === 'string') {
    return finding('unknown', 'quorum-unknown', `${leader.member.server} leads; ${hierarchy}`);
  }
  if (groups !== undefined) return judgeGroups(groups, leader, followers);
  return judgeCounts(statuses, { leader, followers }, { voters, listed });
}

function judgeCounts(
  statuses: readonly MemberStatus[],
  {
    leader,
    followers,
  }: { readonly leader: MemberStatus; readonly followers: readonly MemberStatus[] },
  { voters, listed }: Omit<Voters, 'groups'>,
): Overall {
  const seen = followers.length + 1;
  const counted = leader.syncedFollowers === undefined ? seen : leader.syncedFollowers + 1;
  // A leader counts a follower that hangs or is cut off until syncLimit has passed.
  const silent = statuses.filter(({ member, isObserver }) => !isObserver && isDown(member.state));
  const inSync = Math.min(counted, Math.max(seen, voters - silent.length));
  const ratio = `${inSync} of ${voters} voters in sync`;
  const needed = majorityOf(voters);
  if (leader.leadsAlone && inSync === 1 && voters === 2) {
    const summary = `${leader.member.server} leads, ${ratio}: its oracle lets it continue alone, so writes are on one disk only`;
    return finding('warning', 'leads-alone', summary, [leader]);
  }
  if (inSync < needed) {
    const note =
      counted > inSync
        ? `; the leader counts ${counted}, but ${namesOf(silent)} ${silent.length === 1 ? 'does' : 'do'} not answer`
        : '';
    const summary = `no quorum: ${ratio} (expected at least ${needed})${note}`;
    return finding('critical', 'no-quorum', summary);
  }
  const spare = inSync < voters && inSync === needed ? ', no more may fail' : '';
  const leads = `${leader.member.server} leads`;
  // The row of a voter reports that it is down. This finding is for voters that are up and lag.
  if (inSync < voters && seen >= Math.min(voters, listed)) {
    return lagging(`${leads}, only ${ratio}`, leader, followers);
  }
  return well(`${leads}, ${ratio}${spare}`);
}

function judgeGroups(
  groups: Hierarchy,
  leader: MemberStatus,
  followers: readonly MemberStatus[],
): Overall {
  const ratio = groups.ratio('in sync');
  const leads = `${leader.member.server} leads`;
  const hasQuorum = groups.hasQuorum();
  if (hasQuorum === false) {
    const summary = `no quorum: ${ratio} (expected at least ${groups.needed})`;
    return finding('critical', 'no-quorum', summary);
  }
  if (hasQuorum === undefined) {
    return finding('unknown', 'quorum-unknown', `${leads}, ${ratio}; the quorum ${groups.doubt}`);
  }
  if (groups.late > 0) return lagging(`${leads}, only ${ratio}`, leader, followers);
  if (groups.seen.size === groups.voters) return well(`${leads}, ${ratio}`);
  const { critical } = groups;
  if (critical.length === 0) return well(`${leads}, ${ratio}`);
  if (critical.length === groups.seen.size) return well(`${leads}, ${ratio}, no more may fail`);
  const needed = [leader, ...followers].filter(({ sid }) => critical.includes(Number(sid)));
  return well(`${leads}, ${ratio}, ${namesOf(needed)} must not fail`);
}

/** A server with two names in the list would count twice. */
function findDuplicates(serving: readonly MemberStatus[]): Overall | undefined {
  const byIdentity = new Map<string, MemberStatus>();
  for (const status of serving) {
    const { sid, membership } = status;
    if (sid === undefined || membership === undefined) continue;
    const identity = `${sid} ${membership}`;
    const duplicate = byIdentity.get(identity);
    if (duplicate !== undefined) {
      const both = [duplicate, status];
      const summary = `${namesOf(both)} are both server ${sid}: list it once, or give each its own myid`;
      return finding('unknown', 'same-server', summary, both);
    }
    byIdentity.set(identity, status);
  }
  return undefined;
}

/** A follower that is up and not in sync, by name if its zxid shows it. */
function lagging(
  summary: string,
  { zxid }: MemberStatus,
  followers: readonly MemberStatus[],
): Overall {
  const late = followers.filter(
    (follower) => zxid !== undefined && follower.zxid !== undefined && follower.zxid < zxid,
  );
  const lags = late.map(({ member }) => `${member.server} lags`);
  const who = lags.length === 0 ? '' : `: ${lags.join(', ')}`;
  return finding('warning', 'not-in-sync', `${summary}${who}`, late);
}

/**
 * One ensemble has only one majority. So two leaders with a majority each lead two ensembles.
 * Otherwise one of them lost its followers, and notices it only after syncLimit.
 */
function judgeLeaders(leaders: readonly MemberStatus[], groups: Hierarchy | undefined): Overall {
  const names = namesOf(leaders);
  const hasMajority = ({ syncedFollowers, quorumSize }: MemberStatus): boolean | undefined => {
    if (syncedFollowers === undefined || quorumSize === undefined) return undefined;
    if (groups === undefined) return syncedFollowers + 1 >= majorityOf(quorumSize);
    // The number shows only that it is too small for any quorum of groups.
    return syncedFollowers + 1 < groups.least ? false : undefined;
  };
  const memberships = new Set(leaders.flatMap(({ membership }) => membership ?? []));
  if (memberships.size > 1 || leaders.filter((one) => hasMajority(one) === true).length > 1) {
    return finding(
      'critical',
      'two-ensembles',
      `two ensembles in one list: ${names} both lead; use one list per ensemble`,
      leaders,
    );
  }
  const lost = leaders.filter((one) => hasMajority(one) === false);
  if (lost.length > 0) {
    return finding(
      'critical',
      'two-leaders',
      `two leaders at once: ${names}; ${namesOf(lost)} lost its followers and has not noticed yet`,
      lost,
    );
  }
  const hint =
    groups === undefined
      ? '(mntr shows which; add it to their 4lw.commands.whitelist)'
      : '(their logs show which: with groups, the number of followers does not)';
  return finding(
    'critical',
    'two-leaders',
    `two leaders at once: ${names}: two ensembles in one list, or one of them lost its followers ${hint}`,
    leaders,
  );
}

function findForeignMembers(
  serving: readonly MemberStatus[],
  hierarchy: Hierarchy | undefined,
): Overall | undefined {
  const byMembership = new Map<string, MemberStatus[]>();
  for (const status of serving) {
    if (status.membership === undefined) continue;
    byMembership.set(status.membership, [...(byMembership.get(status.membership) ?? []), status]);
  }
  const groups = [...byMembership.values()];
  if (groups.length > 1 && !shareVoters([...byMembership.keys()])) {
    const lists = groups.map((group) => namesOf(group)).join(' / ');
    const summary = `two ensembles in one list: ${lists} have no member in common; use one list per ensemble`;
    return finding('critical', 'two-ensembles', summary, groups.flat());
  }
  const voters = serving.filter(({ role }) => role === 'leader' || role === 'follower');
  const sizes = voters.map(({ quorumSize }) => quorumSize ?? Number.POSITIVE_INFINITY);
  // Apache's server counts those of weight 0, this one does not.
  const least = hierarchy?.participants ?? Math.min(...sizes);
  const nonVoting = voters.reduce((sum, status) => sum + status.nonVoting, 0);
  if (voters.length > least + nonVoting) {
    const summary =
      `two ensembles in one list: ${voters.length} voters serve, ` +
      `but an ensemble here has ${least}; use one list per ensemble`;
    return finding('critical', 'two-ensembles', summary);
  }
  return undefined;
}

/** Members of one ensemble may know different memberships for a moment, but never disjoint ones. */
function shareVoters(memberships: readonly string[]): boolean {
  const [first, ...others] = memberships.map((text) => new Set(text.split(' ')));
  return others.every((other) => [...other].some((address) => first?.has(address) === true));
}

interface Voters {
  readonly voters: number;
  /** In the list of members. */
  readonly listed: number;
  readonly groups: Hierarchy | undefined;
}

function judgeWithoutLeader(
  statuses: readonly MemberStatus[],
  serving: readonly MemberStatus[],
  { voters, listed, groups }: Voters,
): Overall {
  const hidden = statuses.find(({ member }) => member.isHiddenLeader === true);
  if (hidden !== undefined) {
    return well(`${hidden.member.server} leads and serves no clients (leaderServes=no)`);
  }
  const quiet = statuses.filter(({ member }) => member.state === 'not-serving');
  const followers = serving.filter(({ role }) => role === 'follower').length;
  const mayHaveLeader =
    groups === undefined ? followers + 1 >= majorityOf(voters) : groups.hasQuorumWithOne();
  if (quiet.length > 0 && followers > 0 && mayHaveLeader) {
    return finding(
      'warning',
      'leader-hidden',
      `${followers} followers serve, so there is a leader, but no member says so: ${namesOf(quiet)} serves ` +
        'no clients, as a leader with leaderServes=no; its AdminServer shows it (admin=PORT in ' +
        'the hosts file)',
      quiet,
    );
  }
  // A serving follower has a leader. If all listed members serve as followers, the list lacks the
  // leader.
  const isListWhole = listed >= voters && serving.length < statuses.length;
  const down = statuses.filter(({ member }) => isDown(member.state));
  return isListWhole
    ? finding('critical', 'no-leader', `no leader: ${namesOf(down)} may have been the leader`, down)
    : finding(
        'unknown',
        'leader-not-listed',
        'the leader is not in the list of members: list all of them',
      );
}
