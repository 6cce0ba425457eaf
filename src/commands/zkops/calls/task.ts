import type { TlsOptions } from '../../../client/base/tls.js';
import type { AskWord } from '../../ensemble/ask.js';
import type { MemberAddress } from '../../ensemble/member-address.js';
import type { CellValue } from '../../ensemble/verb.js';
import type { Level, RunResult } from '../../ensemble/verdict/result.js';
import type { ArgumentSpecs, OptionSpecs } from '../../machine/declaration.js';

// A call of zkops that is not a word: it reads files, or opens sessions. Every output format
// renders its report.

export interface Task {
  readonly name: string;
  /** An entry with one task has its own summary. */
  readonly summary?: string;
  readonly args?: ArgumentSpecs;
  readonly options: OptionSpecs;
  readonly hasMembers: boolean;
  /** A profile that is protected or read-only forbids it. Files of the operator do not count. */
  readonly changesEnsemble: boolean | ((call: TaskCall) => boolean);
  /** It prints a listing without a verdict. */
  readonly isListing?: true;
  readonly run: (call: TaskCall) => Promise<Report>;
}

export const unlessDryRun = (call: TaskCall): boolean => !call.has('dry-run');

/** Tasks load on demand, because a check every minute should not pay for them. */
export interface TaskEntry {
  readonly name: string;
  readonly summary: string;
  /** Several tasks such as `snap top`, or one with the name of the entry. */
  readonly load: () => Promise<readonly Task[]>;
}

export interface TaskCall {
  readonly args: readonly string[];
  readonly members: readonly MemberAddress[];
  readonly tls: TlsOptions | undefined;
  readonly text: (option: string) => string | undefined;
  readonly number: (option: string) => number | undefined;
  readonly has: (option: string) => boolean;
  readonly ask: AskWord;
  readonly now: () => Date;
  /** Aborts when the user interrupts, or when the reader of the output leaves. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** A terminal shows it after a moment. */
export type Progress = (label: string, done: number, total: number) => void;

export interface ReportColumn {
  /** The heading in tables: `BYTES`. */
  readonly title: string;
  /** The name in CSV and JSON: `bytes`. */
  readonly key: string;
  /** The text in a table. Other formats print the exact value. */
  readonly show?: (value: string | number | bigint) => string;
  /** The minimum width, if the table prints rows as they arrive. */
  readonly width?: number;
}

export type ReportRow = readonly CellValue[];

export interface Report {
  readonly columns: readonly ReportColumn[];
  /** In batches: a file of any size prints in constant memory. */
  readonly rows: Iterable<readonly ReportRow[]> | AsyncIterable<readonly ReportRow[]>;
  /** Too many rows to hold, so a table prints them as they arrive. */
  readonly isEndless?: boolean;
  /** The rows are the answer, so a healthy table ends without a verdict. */
  readonly isPlain?: boolean;
  /** The level of a row, if not that of its member. */
  readonly levelOf?: (row: ReportRow) => Level | undefined;
  /** It runs until it is stopped, which is not an interruption. */
  readonly isService?: boolean;
  /** Replaces the rows, in every format: a text for another program. */
  readonly document?: string;
  /** Called after the last row. */
  readonly finish: () => Conclusion;
}

export interface Conclusion extends Pick<RunResult, 'verdict' | 'changes'> {
  readonly notes?: readonly string[];
  readonly totals?: Readonly<Record<string, unknown>>;
}

export function finishedReport(
  columns: readonly ReportColumn[],
  rows: readonly ReportRow[],
  conclusion: Conclusion,
  levelOf?: Report['levelOf'],
): Report {
  const levels = levelOf === undefined ? {} : { levelOf };
  return { columns, rows: [rows], finish: () => conclusion, ...levels };
}
