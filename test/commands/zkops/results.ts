import type { Member } from '../../../src/commands/ensemble/member.js';
import type { OpsVerb } from '../../../src/commands/ensemble/verb.js';
import type { OpsResult } from '../../../src/commands/ensemble/verdict/result.js';
import { judge } from '../../../src/commands/ensemble/verdict/verdict.js';

export const TIME = '2026-11-21T08:00:00.000Z';

/** What a run found that asked these members at a fixed time. */
export function resultOf(
  verb: OpsVerb,
  members: readonly Member[],
  more: Partial<OpsResult> = {},
): OpsResult {
  const verdict = judge(verb, members);
  return {
    verb,
    time: TIME,
    timeMs: Date.parse(TIME),
    members,
    verdict,
    ...more,
  };
}
