// Whether a member may stop, and the order of a rolling restart. Without the member, a quorum of
// the voters must be in sync with the leader. Only the leader knows which followers are in sync, so
// every follower counts as one of them.

import { Hierarchy, hierarchyOf } from '../../ensemble/hierarchy.js';
import type { MemberStatus } from '../../ensemble/status.js';

export interface Answer {
  readonly isSafe: boolean;
  readonly why: string;
}

export interface Quorum {
  readonly voters: number;
  readonly majority: number;
  /** The leader and the followers in sync with it; undefined without a leader. */
  readonly inSync: number | undefined;
  /** Undefined without groups. Else it decides, or a string tells why nobody can judge. */
  readonly groups: Hierarchy | string | undefined;
}

export function quorumOf(statuses: readonly MemberStatus[]): Quorum {
  const leader = statuses.find(({ role, isServing }) => role === 'leader' && isServing);
  const reported = Math.max(0, ...statuses.map(({ quorumSize }) => quorumSize ?? 0));
  const listed = statuses.filter(({ isObserver }) => !isObserver).length;
  const voters = reported > 0 ? reported : listed;
  const following = statuses.filter(({ role, isServing }) => role === 'follower' && isServing);
  // A leader counts a hanging follower until syncLimit has passed. So subtract the listed members
  // that do not serve.
  const silent = statuses.filter(({ isServing, isObserver }) => !isServing && !isObserver).length;
  const synced = leader?.syncedFollowers ?? following.length;
  return {
    voters,
    majority: Math.floor(voters / 2) + 1,
    inSync: leader === undefined ? undefined : Math.min(synced + 1, voters - silent),
    groups: hierarchyOf(statuses),
  };
}

/** For JSON. */
export function totalsOf({ voters, majority, inSync, groups }: Quorum) {
  if (!(groups instanceof Hierarchy)) return { voters, majority, inSync: inSync ?? null };
  const { groups: all, agreed } = groups.count();
  return {
    voters: groups.voters,
    inSync: inSync === undefined ? null : groups.seen.size - groups.late,
    groups: all,
    groupsInSync: agreed,
    groupMajority: groups.needed,
  };
}

export function mayStop(status: MemberStatus, quorum: Quorum): Answer {
  const { role, isServing } = status;
  const { voters, majority, inSync, groups } = quorum;
  if (role === 'standalone') {
    return { isSafe: false, why: 'it is the only server: none serves while it is down' };
  }
  if (inSync === undefined) {
    return { isSafe: false, why: 'no member leads: wait for an election' };
  }
  if (typeof groups === 'string') return { isSafe: false, why: groups };
  if (groups !== undefined) return mayStopInGroups(status, groups);
  const isCounted = isServing && role !== 'observer';
  const left = isCounted ? inSync - 1 : inSync;
  const ratio = `${left} of ${voters} voters stay in sync (expected at least ${majority})`;
  return left < majority ? { isSafe: false, why: ratio } : safe(status, ratio);
}

function mayStopInGroups(status: MemberStatus, groups: Hierarchy): Answer {
  const isCounted = status.isServing && status.role !== 'observer';
  const lost = isCounted ? Number(status.sid) : undefined;
  const hasQuorum = groups.hasQuorum(lost);
  const ratio = groups.ratio('stay in sync', lost);
  if (hasQuorum === undefined) return { isSafe: false, why: `${ratio}; this ${groups.doubt}` };
  return hasQuorum
    ? safe(status, ratio)
    : { isSafe: false, why: `${ratio} (expected at least ${groups.needed})` };
}

function safe({ role, isServing }: MemberStatus, ratio: string): Answer {
  if (role === 'leader') return { isSafe: true, why: `${ratio}; the others elect a new leader` };
  return { isSafe: true, why: isServing ? ratio : `it does not serve; ${ratio}` };
}

/** Observers, then followers with the largest lag first, then the leader, for only one election. */
export function restartOrder(statuses: readonly MemberStatus[]): MemberStatus[] {
  const rank = ({ role, isServing }: MemberStatus): number => {
    if (!isServing) return 0;
    return role === 'observer' ? 1 : role === 'leader' ? 3 : 2;
  };
  return statuses.toSorted((a, b) => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    const [left = 0n, right = 0n] = [a.zxid, b.zxid];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}
