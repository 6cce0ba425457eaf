import type { TlsOptions } from '../../../client/tls.js';
import type { AskWord } from '../../ensemble/ask.js';
import type { MemberAddress } from '../../ensemble/member-address.js';
import type { CellValue } from '../../ensemble/verb.js';
import type { Level, Problem, Verdict } from '../../ensemble/verdict/result.js';
import type { CallOption } from './options.js';

// What zkops does beyond asking a word of every member: it reads files, or works with sessions.
// Like a verb it is data, and gives a result that every output format is a rendering of.

export const TASK_FORMATS = ['table', 'json', 'jsonl', 'csv', 'plain', 'nagios'] as const;
export type TaskFormat = (typeof TASK_FORMATS)[number];

export interface Task {
  readonly name: string;
  readonly summary: string;
  /** `FILE`, `[FILE]` or `FILE...`, as commander writes them: `<file>`, `[file]`, `<file...>`. */
  readonly args: readonly string[];
  readonly options: readonly CallOption[];
  /** It works with members: takes what names them, and TLS. */
  readonly hasMembers: boolean;
  readonly run: (call: TaskCall) => Promise<Report>;
}

/** `snap`, whose tasks are `snap top` and so on; or one task of the same name. */
export interface TaskGroup {
  readonly name: string;
  readonly summary: string;
  readonly tasks: readonly Task[];
}

/** What is no word: loaded when it is called, for a check every minute should not pay for it. */
export interface TaskEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<TaskGroup>;
}

/** What a call typed, and what it may use of the world. */
export interface TaskCall {
  readonly args: readonly string[];
  readonly members: readonly MemberAddress[];
  readonly tls: TlsOptions | undefined;
  readonly text: (option: string) => string | undefined;
  readonly number: (option: string) => number | undefined;
  readonly has: (option: string) => boolean;
  readonly ask: AskWord;
  readonly now: () => Date;
  /** Aborts when the user interrupts, or nobody reads the output any more. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** Tells how far a long job is; shown where someone looks, after a moment. */
export type Progress = (label: string, done: number, total: number) => void;

export interface ReportColumn {
  /** As a heading: `BYTES`. */
  readonly title: string;
  /** In CSV and JSON: `bytes`. */
  readonly key: string;
  /** How a table shows it; the other formats give the exact value. */
  readonly show?: (value: string | number | bigint) => string;
  /** At least so wide, where rows are printed as they come. */
  readonly width?: number;
}

export type ReportRow = readonly CellValue[];

/** What a task found. */
export interface Report {
  readonly columns: readonly ReportColumn[];
  /** In batches, so that a file of any size is printed in constant memory. */
  readonly rows: Iterable<readonly ReportRow[]> | AsyncIterable<readonly ReportRow[]>;
  /** Too many to hold: a table prints them as they come. */
  readonly isEndless?: boolean;
  /** The rows are what was asked for, so a table ends with no verdict when all is well. */
  readonly isPlain?: boolean;
  /** How grave a row is, where its member alone does not tell. */
  readonly levelOf?: (row: ReportRow) => Level | undefined;
  /** It runs until it is told to end, which is no interruption then. */
  readonly isService?: boolean;
  /** Instead of rows: a text for a program, printed as it is in every format. */
  readonly document?: string;
  /** Asked when the last row was taken. */
  readonly finish: () => Conclusion;
}

export interface Conclusion {
  readonly verdict: Verdict;
  /** Sentences for a person, below the table. */
  readonly notes?: readonly string[];
  /** Totals, for JSON. */
  readonly totals?: Readonly<Record<string, unknown>>;
}

/** Worst wins; a proven critical beats what cannot be judged, and that beats a warning. */
export function concludeFrom(problems: readonly Problem[], summary: string): Verdict {
  const levels: readonly Level[] = ['critical', 'unknown', 'warning'];
  const level = levels.find((one) => problems.some((found) => found.level === one));
  return { level: level ?? 'healthy', summary, problems };
}

/** A report whose rows are all there. */
export function finishedReport(
  columns: readonly ReportColumn[],
  rows: readonly ReportRow[],
  conclusion: Conclusion,
  levelOf?: Report['levelOf'],
): Report {
  const levels = levelOf === undefined ? {} : { levelOf };
  return { columns, rows: [rows], finish: () => conclusion, ...levels };
}
