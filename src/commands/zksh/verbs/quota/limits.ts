import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import { namedColumns, type Result } from '../../../results/result.js';
import type { Quota } from '../../../znodes/quota-nodes.js';
import type { CommandContext } from '../../engine/command.js';

/** By the options of setquota and delquota. */
export const LIMITS = {
  count: 'count',
  bytes: 'bytes',
  'hard-count': 'countHardLimit',
  'hard-bytes': 'byteHardLimit',
} as const;
export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

/** Quotas are stored below /zookeeper, which a chroot hides. @throws CommandError */
export function refuseChroot({ session }: CommandContext): void {
  if (session.chroot === '') return;
  throw new CommandError(`quotas are not accessible from a chroot: ${session.chroot}`, {
    code: 'CHROOT',
    exitCode: ExitCode.usage,
    hint: 'connect without the chroot and pass the full path',
  });
}

export function noQuota(path: string): CommandError {
  return new CommandError(`${path}: no quota`, {
    code: 'NOQUOTA',
    exitCode: ExitCode.noNode,
    path,
    hint: 'run setquota to set one',
  });
}

/** One row for znodes and one for bytes. */
export function quotaRows(path: string, { limits, usage }: Quota): Result {
  const limitOf = (limit: number) => (limit < 0 ? undefined : limit);
  const row = (what: string, used: number, soft: number, hard: number) => {
    const full = fullness(used, hard < 0 ? soft : hard);
    return [path, what, used, limitOf(soft), limitOf(hard), full];
  };
  return {
    kind: 'rows',
    columns: [
      ...namedColumns('path', 'what', 'used', 'soft', 'hard'),
      { key: 'full', isPercent: true },
    ],
    rows: [
      row('znodes', usage.count, limits.count, limits.countHardLimit),
      row('bytes', usage.bytes, limits.bytes, limits.byteHardLimit),
    ],
  };
}

/** In percent; undefined without a limit. */
function fullness(used: number, limit: number): number | undefined {
  if (limit < 0) return undefined;
  return limit === 0 ? 100 : Math.round((used / limit) * 100);
}
