import type { Member } from '../member.js';
import type { Column } from '../verb.js';
import type { Level, Problem, Verdict } from './result.js';
import type { Threshold } from './threshold.js';
import { THRESHOLDS } from './thresholds.js';

/** Also those that it shares with other members. */
export function problemsOf({ server }: Pick<Member, 'server'>, verdict: Verdict): Problem[] {
  return verdict.problems.filter(
    (problem) => problem.server === server || problem.servers?.includes(server) === true,
  );
}

/** Undefined without problems. Critical is worse than unknown, unknown is worse than warning. */
export function worstLevel(problems: readonly Pick<Problem, 'level'>[]): Level | undefined {
  const levels = ['critical', 'unknown', 'warning'] as const;
  return levels.find((level) => problems.some((problem) => problem.level === level));
}

/** The sentence starts with the worst problem. @param overall a clause on the whole ensemble */
export function concludeFrom(problems: readonly Problem[], overall: string): Verdict {
  const level = worstLevel(problems);
  const worst = problems.find((problem) => problem.level === level);
  if (level === undefined || worst === undefined) {
    return { level: 'healthy', summary: overall, problems };
  }
  // The advice comes after the semicolon.
  const [found = ''] = worst.text.split('; ');
  if (overall.includes(found)) return { level, summary: overall, problems };
  const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  const about = worst.server === undefined ? '' : `${worst.server}: `;
  return { level, summary: `${about}${found}${more}; ${overall}`, problems };
}

export function levelOfCell({ codes = [] }: Column, problems: readonly Problem[]) {
  return worstLevel(problems.filter(({ code }) => codes.includes(code.replace(/^limit:/, ''))));
}

/** @param key of mntr, without `zk_` */
export function levelOfKey(key: string, problems: readonly Problem[]): Level | undefined {
  const about = THRESHOLDS.filter(({ reading }) => keysOf(reading).includes(key));
  const names = about.map(({ name }) => `limit:${name}`);
  return worstLevel(problems.filter(({ code }) => names.includes(code)));
}

function keysOf(reading: Threshold['reading']): readonly string[] {
  switch (reading.kind) {
    case 'gauge':
    case 'ratio':
    case 'increase':
      return [reading.key];
    case 'peak':
      return [`max_${reading.summary}`, `last_${reading.summary}`];
    case 'mean':
      return [`avg_${reading.summary}`];
    case 'p99':
      return [`p99_${reading.summary}`];
    case 'rate':
      return [`sum_${reading.summary}`];
    default:
      return [];
  }
}
