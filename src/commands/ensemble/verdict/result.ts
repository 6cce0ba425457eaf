import type { Member } from '../member.js';
import type { OpsVerb } from '../verb.js';

export type Level = 'healthy' | 'warning' | 'critical' | 'unknown';

export interface Problem {
  readonly level: Exclude<Level, 'healthy'>;
  /** The kind of problem, the same from run to run: `no-quorum`, `limit:open_files`. */
  readonly code: string;
  /** Absent for a problem of the ensemble. */
  readonly server?: string;
  /** For a problem of the ensemble: the members that it is about. */
  readonly servers?: readonly string[];
  readonly text: string;
  /** An event since an earlier look, not a state: it does not last. */
  readonly isEvent?: true;
  /** For a value beyond its limit. */
  readonly limit?: {
    readonly name: string;
    readonly value: number;
    readonly limit: number;
    readonly source: string;
  };
}

export interface Verdict {
  readonly level: Level;
  /** One sentence. */
  readonly summary: string;
  readonly problems: readonly Problem[];
  /** Found, but in too few runs in a row to count (--for). */
  readonly pending?: readonly Problem[];
}

/** The result of a verb or a task. */
export interface RunResult {
  /** ISO 8601, the start of the run. */
  readonly time: string;
  /** The end of the last look, in ms since 1970. */
  readonly timeMs: number;
  /** Empty for a task, which has rows instead. */
  readonly members: readonly Member[];
  readonly verdict: Verdict;
  /** The changes since the previous run, with --state. */
  readonly changes?: readonly Change[];
  /** The results of the runs so far, the oldest first, with --state. */
  readonly trend?: readonly TrendPoint[];
}

/** The result of a verb; each output format renders this and nothing else. */
export interface OpsResult extends RunResult {
  readonly verb: OpsVerb;
}

/** One run in the trend, by member. */
export interface TrendPoint {
  readonly time: string;
  readonly level: Level;
  readonly members: Readonly<Record<string, TrendFigures>>;
}

export interface TrendFigures {
  readonly isServing: boolean;
  readonly requestsPerSecond?: number;
  readonly writesPerSecond?: number;
  readonly latencyMs?: number;
  readonly outstanding?: number;
  readonly connections?: number;
  readonly znodes?: number;
}

/** A change since the previous run. */
export interface Change {
  readonly kind: 'problem' | 'level' | 'recovered' | 'role' | 'restart' | 'election';
  readonly level: Level;
  readonly server?: string;
  readonly text: string;
}
