import type { TlsOptions } from '../../../client/base/tls.js';
import type { AskWord } from '../../ensemble/ask.js';
import type { MemberAddress } from '../../ensemble/member-address.js';
import type { CellValue } from '../../ensemble/verb.js';
import type { Level, RunResult } from '../../ensemble/verdict/result.js';
import type { CallOption } from '../../program/command-line.js';

// A task is a zkops call that is not a word: it reads files, or works with sessions. Like a verb it
// is data, and every output format renders its result.

export interface Task {
  readonly name: string;
  /** Of one of several tasks; a single task uses the summary of its entry. */
  readonly summary?: string;
  /** `FILE`, `[FILE]` or `FILE...`, as commander writes them: `<file>`, `[file]`, `<file...>`. */
  readonly args?: readonly string[];
  readonly options: readonly CallOption[];
  /** It works with members, so it takes the options for members and TLS. */
  readonly hasMembers: boolean;
  /** It prints a listing and judges nothing. */
  readonly isListing?: true;
  readonly run: (call: TaskCall) => Promise<Report>;
}

/** A task loads when it is called, because a check every minute should not pay for it. */
export interface TaskEntry {
  readonly name: string;
  readonly summary: string;
  /** The tasks of the entry, as `snap top`, or the one task of the same name. */
  readonly load: () => Promise<readonly Task[]>;
}

/** The arguments of a call, and its access to the surroundings. */
export interface TaskCall {
  readonly args: readonly string[];
  readonly members: readonly MemberAddress[];
  readonly tls: TlsOptions | undefined;
  readonly text: (option: string) => string | undefined;
  readonly number: (option: string) => number | undefined;
  readonly has: (option: string) => boolean;
  readonly ask: AskWord;
  readonly now: () => Date;
  /** Aborts when the user interrupts, or when nobody reads the output anymore. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Reports the progress of a long job; shown on a terminal, after a moment. */
export type Progress = (label: string, done: number, total: number) => void;

export interface ReportColumn {
  /** As a heading: `BYTES`. */
  readonly title: string;
  /** In CSV and JSON: `bytes`. */
  readonly key: string;
  /** How a table shows it; the other formats print the exact value. */
  readonly show?: (value: string | number | bigint) => string;
  /** The minimum width, where rows are printed as they arrive. */
  readonly width?: number;
}

export type ReportRow = readonly CellValue[];

/** The result of a task. */
export interface Report {
  readonly columns: readonly ReportColumn[];
  /** In batches, so that a file of any size is printed in constant memory. */
  readonly rows: Iterable<readonly ReportRow[]> | AsyncIterable<readonly ReportRow[]>;
  /** Too many rows to hold: a table prints them as they arrive. */
  readonly isEndless?: boolean;
  /** The rows are the answer, so a healthy table ends without a verdict. */
  readonly isPlain?: boolean;
  /** The level of a row, when its member alone does not determine it. */
  readonly levelOf?: (row: ReportRow) => Level | undefined;
  /** It runs until it is stopped; that is not an interruption. */
  readonly isService?: boolean;
  /** A text for a program, printed unchanged in every format, instead of rows. */
  readonly document?: string;
  /** Called after the last row. */
  readonly finish: () => Conclusion;
}

export interface Conclusion extends Pick<RunResult, 'verdict' | 'changes'> {
  /** Sentences for a person, below the table. */
  readonly notes?: readonly string[];
  /** Totals, for JSON. */
  readonly totals?: Readonly<Record<string, unknown>>;
}

/** A report whose rows are all available. */
export function finishedReport(
  columns: readonly ReportColumn[],
  rows: readonly ReportRow[],
  conclusion: Conclusion,
  levelOf?: Report['levelOf'],
): Report {
  const levels = levelOf === undefined ? {} : { levelOf };
  return { columns, rows: [rows], finish: () => conclusion, ...levels };
}
