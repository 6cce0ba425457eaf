import type { Member } from '../member.js';
import type { OpsVerb } from '../verb.js';
import type { FindingName } from './finding-name.js';

export type Level = 'healthy' | 'warning' | 'critical' | 'unknown';

export interface Problem {
  readonly level: Exclude<Level, 'healthy'>;
  readonly code: FindingName;
  /** Absent for a problem of the ensemble. */
  readonly server?: string;
  /** The members of a problem of the ensemble. */
  readonly servers?: readonly string[];
  readonly text: string;
  /** An event since an earlier poll; it does not last. */
  readonly isEvent?: true;
  readonly limit?: {
    readonly name: string;
    readonly value: number;
    readonly threshold: number;
    readonly source: string;
  };
}

export interface Verdict {
  readonly level: Level;
  readonly summary: string;
  readonly problems: readonly Problem[];
  /** Found in too few runs in a row to count (--for). */
  readonly pending?: readonly Problem[];
}

export interface RunResult {
  /** The start of the run in ISO 8601. */
  readonly time: string;
  /** The end of the last poll, in ms since 1970. */
  readonly timeMs: number;
  /** Empty for a task, which has rows instead. */
  readonly members: readonly Member[];
  readonly verdict: Verdict;
  readonly changes?: readonly Change[];
}

/** The result of a verb. Output formats read nothing else. */
export interface OpsResult extends RunResult {
  readonly verb: OpsVerb;
}

export interface TrendPoint {
  readonly time: string;
  readonly level: Level;
  /** The member that led or served alone; null if none did. Older points lack it. */
  readonly leader?: string | null;
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
  /** The paths and data of the tree, as the server estimates them. */
  readonly dataBytes?: number;
  /** Resident memory, or else the Java heap, if its metrics have one of them. */
  readonly memoryBytes?: number;
  /** Snapshots and logs; only if the run asked `dirs`. */
  readonly diskBytes?: number;
}

export interface Change {
  readonly kind: 'problem' | 'level' | 'recovered' | 'role' | 'restart' | 'election';
  readonly level: Level;
  readonly server?: string;
  readonly text: string;
}

export interface TimedChange extends Change {
  readonly time: string;
}
