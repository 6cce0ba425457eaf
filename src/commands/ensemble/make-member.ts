import type { WordName } from '../../fourlw/index.js';
import type { Answer, Fault, Member, MemberState } from './member.js';
import { type MemberAddress, nameOf } from './member-address.js';
import { describeFault } from './reasons.js';
import { statusOf } from './status.js';
import type { OpsVerb } from './verb.js';

export interface MemberFacts {
  readonly tookMs: number;
  readonly timeoutMs: number;
  readonly certificateEndsMs?: number;
  readonly isCertificateUnknown?: true;
  readonly isHiddenLeader?: true;
  /** The answer to conf of a member with groups, if the verb does not ask for it. */
  readonly groups?: Answer;
}

/** @param answers in the order of the verb's words */
export function makeMember(
  verb: OpsVerb,
  address: MemberAddress,
  answers: readonly Answer[],
  { tookMs, timeoutMs, groups, ...facts }: MemberFacts,
): Member {
  const server = nameOf(address);
  const failures: { readonly word: WordName; readonly answer: Answer & { ok: false } }[] = [];
  const byWord: Partial<Record<WordName, Answer>> = {};
  for (const [index, word] of verb.words.entries()) {
    const answer = answers[index];
    if (answer === undefined) continue;
    byWord[word] = answer;
    // The refusal of an optional word is not a problem.
    const isExtra = verb.extraWords?.includes(word) === true;
    if (!answer.ok && !(isExtra && answer.reason === 'not-whitelisted'))
      failures.push({ word, answer });
  }
  // It alone does not make a row healthy.
  if (groups !== undefined && answers.some(({ ok }) => ok)) byWord.conf = groups;
  const refused = failures.filter(({ answer }) => answer.reason === 'not-whitelisted');
  const faults = failures.map(({ word, answer }) =>
    describeFault(answer.reason, {
      server,
      host: address.host,
      word,
      timeoutMs,
      detail: answer.detail,
      words: refused.map((failure) => failure.word),
    }),
  );
  const base = { server, address, tookMs, answers: byWord, ...facts };
  return { ...base, ...stateOf(verb, { ...base, ...GOOD }, faults) };
}

const GOOD = { state: 'answered', fault: undefined, note: undefined } as const;

/**
 * One good answer makes a row healthy. Failures of other words are notes below the table. Without a
 * good answer, a network error comes before a refusal.
 */
function stateOf(
  verb: OpsVerb,
  member: Member,
  faults: readonly Fault[],
): Pick<Member, 'state' | 'fault' | 'note'> {
  const hasAnswer = Object.values(member.answers).some((answer) => answer.ok);
  const refusals: readonly string[] = ['not-whitelisted', 'not-serving'];
  const first = faults.find(({ reason }) => !refusals.includes(reason)) ?? faults.at(-1);
  if (member.isHiddenLeader === true) {
    const message = 'it leads and serves no clients (leaderServes=no)';
    const note: Fault = { reason: 'not-serving', message, advice: 'clients use the other members' };
    return { state: 'not-serving', fault: undefined, note };
  }
  if (first !== undefined && !hasAnswer) {
    return { state: first.reason, fault: first, note: undefined };
  }
  const note = first;
  const isReadOnly = statusOf(member).isReadOnly || readOnlyAnswer(member);
  if (isReadOnly) {
    const context = { server: member.server, host: '', word: '', timeoutMs: 0, detail: '' };
    const fault = describeFault('read-only', { ...context, words: [] });
    return { state: 'read-only', fault, note };
  }
  const state: MemberState = verb.judge === 'ensemble' ? 'serving' : 'answered';
  return { state, fault: undefined, note };
}

function readOnlyAnswer({ answers }: Member): boolean {
  const answer = answers.isro;
  return answer?.ok === true && answer.text.trim() === 'ro';
}
