// Judges what the members told. Pure: no time, no network.
//
// An ensemble is well when exactly one member leads, when that leader and the followers in step
// with it are a majority of the voters, and when every listed member serves. One member's own
// word is not enough: a leader that lost its followers calls itself leader until syncLimit has
// passed.
//
// Standalone servers are no ensemble. One alone is well when it serves. Of several, each holds
// data of its own and none stands in for another: that alone is a warning, one that is down is
// critical.

import { isDown, isUnjudged, type Member } from '../member.js';
import { type MemberStatus, namesOf, statusOf } from '../status.js';
import type { OpsVerb } from '../verb.js';
import { worstLevel } from './blame.js';
import { finding, type Overall, well } from './finding.js';
import { judgeQuorum } from './quorum-verdict.js';
import type { Problem, Verdict } from './result.js';

export interface JudgeOptions {
  /** What the members' figures say, of a verb that measures them. */
  readonly alarms?: readonly Problem[];
  /** Fewer that serve are critical, whatever the quorum says. */
  readonly minServing?: number | undefined;
}

export function judge(
  verb: OpsVerb,
  members: readonly Member[],
  { alarms = [], minServing }: JudgeOptions = {},
): Verdict {
  const own = members.flatMap(memberProblem);
  const statuses = members.map(statusOf);
  const overall =
    verb.judge === 'answers' ? judgeAnswers(members) : judgeEnsemble(statuses, members);
  const few = verb.judge === 'ensemble' ? tooFew(statuses, minServing) : [];
  const problems = [...overall.problems, ...few, ...own, ...alarms];
  return { level: worstLevel(problems) ?? 'healthy', summary: overall.summary, problems };
}

/** What a member's own fault is worth while the ensemble holds. */
function memberProblem({ server, fault }: Member): Problem[] {
  if (fault === undefined) return [];
  const cannotJudge = fault.reason !== 'read-only' && isUnjudged(fault.reason);
  return [
    {
      level: cannotJudge ? 'unknown' : 'warning',
      code: `member:${fault.reason}`,
      server,
      text: `${fault.message}; ${fault.advice}`,
    },
  ];
}

function tooFew(statuses: readonly MemberStatus[], least: number | undefined): Problem[] {
  const count = statuses.filter(({ isServing }) => isServing).length;
  if (least === undefined || count >= least) return [];
  const text = `${count} of ${statuses.length} members serve, and --min-serving wants ${least}`;
  return [{ level: 'critical', code: 'min-serving', text }];
}

/** For words that tell no role: all that is known is who answered. */
function judgeAnswers(members: readonly Member[]): Overall {
  const up = members.filter(({ state }) => !isDown(state)).length;
  const ratio = `${up} of ${members.length} members answer`;
  if (up === 0) return finding('critical', 'none-answers', 'no member answers');
  if (up * 2 <= members.length) {
    return finding('critical', 'no-majority', `${ratio}: no majority`);
  }
  return well(ratio);
}

function judgeEnsemble(statuses: readonly MemberStatus[], members: readonly Member[]): Overall {
  const serving = statuses.filter(({ isServing }) => isServing);
  const standalone = serving.filter(({ role }) => role === 'standalone');
  if (serving.length === 0) return judgeNobody(statuses, members);
  if (standalone.length === serving.length && !statuses.some(isOfEnsemble)) {
    return judgeStandalone(standalone, members);
  }
  if (standalone.length > 0) {
    const says = `${namesOf(standalone)} runs standalone beside an ensemble, with data of its own`;
    return finding('critical', 'standalone-beside-ensemble', says, standalone);
  }
  return judgeQuorum(statuses, serving);
}

function judgeNobody(statuses: readonly MemberStatus[], members: readonly Member[]): Overall {
  if (members.some(({ state }) => isUnjudged(state))) {
    return finding('unknown', 'no-role', 'no member told its role');
  }
  if (statuses.some(({ isReadOnly }) => isReadOnly)) {
    return finding('critical', 'no-quorum', 'no quorum: only read-only members answer');
  }
  const running = members.filter(({ state }) => state === 'not-serving').length;
  if (running === 0) return finding('critical', 'none-answers', 'no member serves: none answers');
  const ratio = `${running} of ${members.length} members run`;
  return finding('critical', 'no-quorum', `no member serves: ${ratio}, without a quorum`);
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
    const says = `${count} members serve, standalone, and none stands in for the others`;
    return finding('critical', 'standalone-down', says);
  }
  const says = `${count} members serve, each standalone with data of its own: they are no ensemble`;
  return finding('warning', 'several-standalone', says, standalone);
}
