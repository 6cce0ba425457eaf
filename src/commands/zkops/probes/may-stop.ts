// Whether a member may stop, and the order of a rolling restart. Without the member, a majority of
// the voters must be in sync with the leader. Only the leader knows which followers are in sync, so
// every follower counts as one of them.

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
  };
}

export function mayStop(status: MemberStatus, quorum: Quorum): Answer {
  const { role, isServing } = status;
  const { voters, majority, inSync } = quorum;
  if (role === 'standalone') {
    return { isSafe: false, why: 'it is the only server: none serves while it is down' };
  }
  if (inSync === undefined) {
    return { isSafe: false, why: 'no member leads: wait for an election' };
  }
  const isCounted = isServing && role !== 'observer';
  const left = isCounted ? inSync - 1 : inSync;
  const ratio = `${left} of ${voters} voters stay in sync (expected at least ${majority})`;
  if (left < majority) return { isSafe: false, why: ratio };
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
