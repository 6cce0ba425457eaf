import type { Member } from './member.js';
import type { OpsVerb } from './verb.js';

export type Level = 'healthy' | 'warning' | 'critical' | 'unknown';

export interface Problem {
  readonly level: Exclude<Level, 'healthy'>;
  /** Absent when it is about the ensemble. */
  readonly server?: string;
  readonly text: string;
}

export interface Verdict {
  readonly level: Level;
  /** One sentence. */
  readonly summary: string;
  readonly problems: readonly Problem[];
}

/** Everything a run found; each output format is a rendering of this and of nothing else. */
export interface OpsResult {
  readonly verb: OpsVerb;
  /** ISO 8601, when the run began. */
  readonly time: string;
  readonly members: readonly Member[];
  readonly verdict: Verdict;
}

export const EXIT_CODES = { healthy: 0, warning: 1, critical: 2, unknown: 3 } as const;
/** sysexits.h: EX_USAGE and EX_DATAERR. */
export const EXIT_USAGE = 64;
export const EXIT_BAD_HOSTS_FILE = 65;
