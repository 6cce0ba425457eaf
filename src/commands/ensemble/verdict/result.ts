import type { Member } from '../member.js';
import type { OpsVerb } from '../verb.js';

export type Level = 'healthy' | 'warning' | 'critical' | 'unknown';

export interface Problem {
  readonly level: Exclude<Level, 'healthy'>;
  /** What kind of problem it is, the same from run to run: `no-quorum`, `limit:open_files`. */
  readonly code: string;
  /** Absent when it is about the ensemble. */
  readonly server?: string;
  /** Of what is about the ensemble: the members that it is about. */
  readonly servers?: readonly string[];
  readonly text: string;
  /** Something that happened since an earlier look, and not a state: it does not last. */
  readonly isEvent?: true;
  /** Of a figure beyond its limit. */
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
  /** Found, but with --for in too few runs in a row to count. */
  readonly pending?: readonly Problem[];
}

/** What a run of a verb or a task found. */
export interface RunResult {
  /** ISO 8601, when the run began. */
  readonly time: string;
  /** When the last look ended, in ms since 1970. */
  readonly timeMs: number;
  /** None for a task, whose rows are its own. */
  readonly members: readonly Member[];
  readonly verdict: Verdict;
  /** What is new since the run before, with --state. */
  readonly changes?: readonly Change[];
  /** What the runs so far found, the oldest first, with --state. */
  readonly trend?: readonly TrendPoint[];
}

/** Everything a verb found; each output format is a rendering of this and of nothing else. */
export interface OpsResult extends RunResult {
  readonly verb: OpsVerb;
}

/** One run as the trend remembers it, by member. */
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

/** Something that is new since the run before. */
export interface Change {
  readonly kind: 'problem' | 'level' | 'recovered' | 'role' | 'restart' | 'election';
  readonly level: Level;
  readonly server?: string;
  readonly text: string;
}
