import type { ParsedConnection } from '../../../fourlw/base/connection-line.js';
import type { WordName } from '../../../fourlw/index.js';
import { type Answer, isDown, type Member } from '../../ensemble/member.js';
import { shortAddress } from '../../ensemble/member-address.js';
import { describeFault } from '../../ensemble/reasons.js';
import type { OpsVerb } from '../../ensemble/verb.js';
import type { OpsResult, Problem } from '../../ensemble/verdict/result.js';
import { runVerb } from '../../ensemble/verdict/run.js';
import type { TaskCall } from '../calls/task.js';

export function timeoutOf(call: TaskCall): number {
  return call.number('timeout') ?? 2000;
}

/** A member that fails has a row with the reason. */
export function askMembers(
  call: TaskCall,
  words: readonly WordName[],
  options: Partial<Pick<OpsVerb, 'judge' | 'isCostly' | 'extraWords'>> = {},
): Promise<OpsResult> {
  const verb: OpsVerb = {
    name: 'probe',
    summary: '',
    words,
    judge: 'answers',
    columns: [],
    data: () => ({}),
    ...options,
  };
  return runVerb(verb, call.members, {
    ask: call.ask,
    now: call.now,
    timeoutMs: timeoutOf(call),
    deadlineMs: call.number('deadline') ?? 10_000,
    confirmMs: 1,
    isForced: call.has('force'),
    ...(call.tls === undefined ? {} : { tls: call.tls }),
  });
}

/** Problems of members that answered one word and not another, with the line for zoo.cfg. */
export function refusals(members: readonly Member[], words: readonly WordName[]): Problem[] {
  return members.flatMap((member) => {
    // The member already has a problem.
    if (isDown(member.state) || member.fault !== undefined) return [];
    const refused = words.filter((word) => reasonOf(member.answers[word]) === 'not-whitelisted');
    const problems = words.flatMap((word): Problem[] => {
      const answer = member.answers[word];
      if (answer === undefined || answer.ok) return [];
      const { message, advice } = describeFault(answer.reason, {
        server: member.server,
        host: member.address.host,
        word,
        timeoutMs: 0,
        detail: answer.detail,
        words: refused,
      });
      const text = `${message}; ${advice}`;
      return [{ level: 'unknown', code: `member:${answer.reason}`, server: member.server, text }];
    });
    // One sentence names all words that a whitelist refuses.
    return [...new Map(problems.map((problem) => [problem.text, problem])).values()];
  });
}

/** A count of 0 would look like an answer, so this says that no member reported anything. */
export function silence(members: readonly Member[], word: WordName, what: string): Problem[] {
  if (members.some((member) => member.answers[word]?.ok === true)) return [];
  return [{ level: 'unknown', code: 'no-answer', text: `no member reported ${what}` }];
}

function reasonOf(answer: Answer | undefined): string | undefined {
  return answer === undefined || answer.ok ? undefined : answer.reason;
}

export function downProblems({ verdict }: OpsResult): readonly Problem[] {
  return verdict.problems.filter(({ server }) => server !== undefined);
}

/** In one spelling for all servers. */
export function hostOf({ remote }: ParsedConnection): string {
  const host = remote.replace(/:\d+$/, '').replace(/^\//, '');
  return shortAddress(host.replace(/^\[(.*)\]$/, '$1'));
}
