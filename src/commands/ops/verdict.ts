// Judges what the members told. Pure: no time, no network.
//
// An ensemble is well when exactly one member leads, when that leader and the followers in step with
// it are a majority of the voters, and when every listed member serves. One member's own word is not
// enough: a leader that lost its followers calls itself leader until syncLimit has passed.
//
// Standalone servers are no ensemble. One alone is well when it serves. Of several, each holds data
// of its own and none stands in for another: that alone is a warning, one that is down is critical.

import { isDown, isUnjudged, type Member } from './member.js';
import type { Level, Problem, Verdict } from './result.js';
import { type MemberStatus, statusOf } from './status.js';
import type { OpsVerb } from './verb.js';

export function judge(verb: OpsVerb, members: readonly Member[]): Verdict {
  const own = members.flatMap(memberProblem);
  const statuses = members.map(statusOf);
  const overall =
    verb.judge === 'answers' ? judgeAnswers(members) : judgeEnsemble(statuses, members);
  const problems = [...overall.problems, ...own];
  return { level: worstOf(problems), summary: overall.summary, problems };
}

/** Worst wins; a proven critical beats what cannot be judged, and that beats a warning. */
function worstOf(problems: readonly Problem[]): Level {
  for (const level of ['critical', 'unknown', 'warning'] as const) {
    if (problems.some((problem) => problem.level === level)) return level;
  }
  return 'healthy';
}

/** What a member's own fault is worth while the ensemble holds. */
function memberProblem({ server, fault }: Member): Problem[] {
  if (fault === undefined) return [];
  const cannotJudge = fault.reason !== 'read-only' && isUnjudged(fault.reason);
  return [
    {
      level: cannotJudge ? 'unknown' : 'warning',
      server,
      text: `${fault.message}; ${fault.advice}`,
    },
  ];
}

interface Overall {
  readonly summary: string;
  readonly problems: readonly Problem[];
}

function finding(level: Problem['level'], text: string): Overall {
  return { summary: text, problems: [{ level, text }] };
}

function well(summary: string): Overall {
  return { summary, problems: [] };
}

/** For words that tell no role: all that is known is who answered. */
function judgeAnswers(members: readonly Member[]): Overall {
  const up = members.filter(({ state }) => !isDown(state)).length;
  const ratio = `${up} of ${members.length} members answer`;
  if (up === 0) return finding('critical', 'no member answers');
  if (up * 2 <= members.length) return finding('critical', `${ratio}: no majority`);
  return well(ratio);
}

function judgeEnsemble(statuses: readonly MemberStatus[], members: readonly Member[]): Overall {
  const serving = statuses.filter(({ isServing }) => isServing);
  const standalone = serving.filter(({ role }) => role === 'standalone');
  const unjudged = members.filter(({ state }) => isUnjudged(state));
  if (serving.length === 0) {
    if (unjudged.length > 0) return finding('unknown', 'no member told its role');
    return statuses.some(({ isReadOnly }) => isReadOnly)
      ? finding('critical', 'no quorum: only read-only members answer')
      : finding('critical', 'no member serves');
  }
  if (standalone.length === serving.length && !statuses.some(isOfEnsemble)) {
    return judgeStandalone(standalone, members);
  }
  if (standalone.length > 0) {
    const names = namesOf(standalone);
    return finding('critical', `${names} runs standalone beside an ensemble, with data of its own`);
  }
  return judgeQuorum(statuses, serving);
}

/** A read-only server was started as a member of an ensemble, whatever it says now. */
function isOfEnsemble({ isReadOnly, role }: MemberStatus): boolean {
  return isReadOnly || role === 'leader' || role === 'follower' || role === 'observer';
}

function judgeStandalone(standalone: readonly MemberStatus[], members: readonly Member[]): Overall {
  const count = `${standalone.length} of ${members.length}`;
  const down = members.filter(({ state }) => isDown(state));
  if (members.length === 1) return well('the standalone server serves');
  if (down.length > 0) {
    return finding(
      'critical',
      `${count} members serve, standalone, and none stands in for the others`,
    );
  }
  return finding(
    'warning',
    `${count} members serve, each standalone with data of its own: they are no ensemble`,
  );
}

function namesOf(statuses: readonly MemberStatus[]): string {
  return statuses.map(({ member }) => member.server).join(', ');
}

function judgeQuorum(statuses: readonly MemberStatus[], serving: readonly MemberStatus[]): Overall {
  const leaders = serving.filter(({ role }) => role === 'leader');
  const told = Math.max(0, ...serving.map(({ quorumSize }) => quorumSize ?? 0));
  // Without a word on the voters, everyone listed who is no observer is taken for one.
  const listed = statuses.filter(({ role }) => role !== 'observer').length;
  const voters = told > 0 ? told : listed;
  const majority = Math.floor(voters / 2) + 1;
  const [leader] = leaders;
  if (leaders.length > 1) return finding('critical', `two lead at once: ${namesOf(leaders)}`);
  if (leader === undefined) {
    // A follower that serves has a leader: when all that are listed serve, it is not among them.
    const isListWhole = listed >= voters && serving.length < statuses.length;
    return isListWhole
      ? finding('critical', 'no leader')
      : finding('unknown', 'the leader is not among the members listed: list all of them');
  }
  const seen = serving.filter(({ role }) => role === 'leader' || role === 'follower').length;
  const inStep = leader.syncedFollowers === undefined ? seen : leader.syncedFollowers + 1;
  const ratio = `${inStep} of ${voters} voters in step`;
  if (inStep < majority) {
    return finding('critical', `no quorum: ${ratio}, ${majority} are needed`);
  }
  const summary = `${leader.member.server} leads, ${ratio}`;
  // A voter that is down is a problem of its own row; one that is up and behind is told here.
  if (inStep < voters && seen >= Math.min(voters, listed)) {
    return { summary, problems: [{ level: 'warning', text: `only ${ratio}` }] };
  }
  return well(summary);
}
