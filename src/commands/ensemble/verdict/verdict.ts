// Judges the answers of the members. Pure: no time, no network. An ensemble is healthy when exactly
// one member leads, a majority of the voters is in sync with it, and every listed member serves.
// The answer of one member is not enough, because a leader that lost its followers calls itself
// leader until syncLimit has passed. A single standalone server is healthy when it serves. Several
// have different data and cannot replace each other: that is a warning, and one that is down is
// critical.

import { isDown, isUnjudged, isUp, type Member } from '../member.js';
import { type MemberStatus, namesOf, statusOf } from '../status.js';
import type { OpsVerb } from '../verb.js';
import { concludeFrom } from './blame.js';
import { finding, type Overall, well } from './finding.js';
import { judgeQuorum } from './quorum-verdict.js';
import type { Problem, Verdict } from './result.js';

export interface JudgeOptions {
  /** From verbs that measure. */
  readonly alarms?: readonly Problem[];
  /** Fewer serving members are critical, even with a quorum. */
  readonly minServing?: number | undefined;
}

export function judge(
  verb: OpsVerb,
  members: readonly Member[],
  { alarms = [], minServing }: JudgeOptions = {},
): Verdict {
  const own = [
    ...members.flatMap(memberProblem),
    ...(verb.judge === 'ensemble' ? members.flatMap((member) => missingFigures(verb, member)) : []),
  ];
  const statuses = members.map(statusOf);
  const overall =
    verb.judge === 'answers' ? judgeAnswers(members) : judgeEnsemble(statuses, members);
  const few = verb.judge === 'ensemble' ? tooFew(statuses, minServing) : [];
  const problems = [...overall.problems, ...few, ...own, ...alarms];
  return concludeFrom(problems, overall.summary);
}

/** The level of one member's failure while the ensemble has a quorum. */
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

/** One word answered and another did not, so nobody knows the figures that the verb judges. */
function missingFigures(
  { words, extraWords = [] }: OpsVerb,
  { server, note, answers, isHiddenLeader }: Member,
): Problem[] {
  const isMissing = words.some((word) => !extraWords.includes(word) && answers[word]?.ok === false);
  if (note === undefined || !isMissing || isHiddenLeader === true) return [];
  const text = `${note.message}; ${note.advice}`;
  return [{ level: 'unknown', code: `member:${note.reason}`, server, text }];
}

function tooFew(statuses: readonly MemberStatus[], least: number | undefined): Problem[] {
  const count = statuses.filter(({ isServing }) => isServing).length;
  if (least === undefined || count >= least) return [];
  const text = `${count} of ${statuses.length} members serve (expected at least ${least} by --min-serving)`;
  return [{ level: 'critical', code: 'min-serving', text }];
}

/** For words without a role: only the answers count. */
function judgeAnswers(members: readonly Member[]): Overall {
  const up = members.filter(({ state }) => !isDown(state)).length;
  const answering = members.filter(({ state }) => isUp(state) && !isDown(state)).length;
  const ratio = `${answering} of ${members.length} members answer`;
  if (up === 0) return finding('critical', 'none-answers', 'no member answers');
  if (up * 2 <= members.length) {
    return finding('critical', 'no-majority', `${ratio}: no majority`);
  }
  return well(ratio);
}

function judgeEnsemble(statuses: readonly MemberStatus[], members: readonly Member[]): Overall {
  const serving = statuses.filter(({ isServing }) => isServing);
  const standalone = serving.filter(({ role }) => role === 'standalone');
  if (serving.length === 0) return judgeNoneServing(statuses, members);
  if (standalone.length === serving.length && !statuses.some(isOfEnsemble)) {
    return judgeStandalone(standalone, members);
  }
  if (standalone.length > 0) {
    const summary = `${namesOf(standalone)} runs standalone beside an ensemble, with separate data`;
    return finding('critical', 'standalone-beside-ensemble', summary, standalone);
  }
  return judgeQuorum(statuses, serving);
}

function judgeNoneServing(statuses: readonly MemberStatus[], members: readonly Member[]): Overall {
  if (members.some(({ state }) => isUnjudged(state))) {
    return finding('unknown', 'no-role', 'no member reported its role');
  }
  if (statuses.some(({ isReadOnly }) => isReadOnly)) {
    return finding('critical', 'no-quorum', 'no quorum: only read-only members answer');
  }
  const running = members.filter(({ state }) => state === 'not-serving').length;
  if (running === 0) return finding('critical', 'none-answers', 'no member serves: no answers');
  const ratio = `${running} of ${members.length} members run`;
  return finding('critical', 'no-quorum', `no member serves: ${ratio}, without a quorum`);
}

/** Only a member of an ensemble can be read-only. */
function isOfEnsemble({ isReadOnly, role }: MemberStatus): boolean {
  return isReadOnly || role === 'leader' || role === 'follower' || role === 'observer';
}

function judgeStandalone(standalone: readonly MemberStatus[], members: readonly Member[]): Overall {
  const count = `${standalone.length} of ${members.length}`;
  const down = members.filter(({ state }) => isDown(state));
  if (members.length === 1) return well('the standalone server serves');
  if (down.length > 0) {
    const summary = `${count} members serve, all standalone: they cannot replace each other`;
    return finding('critical', 'standalone-down', summary);
  }
  const summary = `${count} members serve, all standalone with separate data: they are not an ensemble`;
  return finding('warning', 'several-standalone', summary, standalone);
}
