import type { TlsOptions } from '../../../client/base/tls.js';
import type { AskWord } from '../../ensemble/ask.js';
import type { MemberAddress } from '../../ensemble/member-address.js';
import type { ArgumentSpecs, OptionSpecs } from '../../machine/declaration.js';
import type { Report } from '../../results/result.js';

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
