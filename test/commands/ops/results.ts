import type { Member } from '../../../src/commands/ops/member.js';
import type { OpsResult } from '../../../src/commands/ops/result.js';
import type { OpsVerb } from '../../../src/commands/ops/verb.js';
import { judge } from '../../../src/commands/ops/verdict.js';

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
