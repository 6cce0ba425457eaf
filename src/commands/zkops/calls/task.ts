import type { TlsOptions } from '../../../client/tls.js';
import type { AskWord } from '../../ensemble/ask.js';
import type { MemberAddress } from '../../ensemble/member-address.js';
import type { CellValue } from '../../ensemble/verb.js';
import { worstLevel } from '../../ensemble/verdict/blame.js';
import type { Level, Problem, RunResult, Verdict } from '../../ensemble/verdict/result.js';
import type { CallOption } from '../../program/command-line.js';

// What zkops does beyond asking a word of every member: it reads files, or works with sessions.
// Like a verb it is data, and gives a result that every output format is a rendering of.

export interface Task {
  readonly name: string;
  /** Of one among several; that of its entry where it is alone. */
  readonly summary?: string;
  /** `FILE`, `[FILE]` or `FILE...`, as commander writes them: `<file>`, `[file]`, `<file...>`. */
  readonly args?: readonly string[];
  readonly options: readonly CallOption[];
  /** It works with members: takes what names them, and TLS. */
  readonly hasMembers: boolean;
  /** It prints what is there, and judges nothing. */
  readonly isListing?: true;
  readonly run: (call: TaskCall) => Promise<Report>;
}

/** What is no word: loaded when it is called, for a check every minute should not pay for it. */
export interface TaskEntry {
  readonly name: string;
  readonly summary: string;
  /** The tasks of it, as `snap top`; or the one of the same name. */
  readonly load: () => Promise<readonly Task[]>;
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

export interface Conclusion extends Pick<RunResult, 'verdict' | 'changes'> {
  /** Sentences for a person, below the table. */
  readonly notes?: readonly string[];
  /** Totals, for JSON. */
  readonly totals?: Readonly<Record<string, unknown>>;
}

export function concludeFrom(problems: readonly Problem[], summary: string): Verdict {
  return { level: worstLevel(problems) ?? 'healthy', summary, problems };
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
