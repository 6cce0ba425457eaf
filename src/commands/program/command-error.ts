import { safeText } from '../../protocol/sanitize.js';
import { ExitCode } from './exit-status.js';

/** Offsets into a line as typed, in UTF-16 units; `end` is after the last one. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** An error of a command; error-report.ts builds one from any error. */
export interface ErrorReport {
  /** ZooKeeper's name ("NONODE"), or one of zksh ("USAGE", "UNKNOWNCOMMAND"). */
  readonly code: string;
  /** One of exit-status.ts, or that of a program that ended. */
  readonly exitCode: number;
  /** Without a period. */
  readonly sentence: string;
  readonly path?: string;
  readonly hint?: string;
  readonly place?: Place;
  /** Lines start at 1. */
  readonly location?: { readonly file: string; readonly line: number };
}

export interface CommandErrorOptions {
  readonly code: string;
  readonly exitCode?: number;
  readonly path?: string;
  readonly hint?: string | undefined;
  readonly place?: Place | undefined;
  readonly cause?: unknown;
  /** Lines that name their own place, such as those of zoo.cfg: no program's name precedes them. */
  readonly isQuoted?: boolean;
}

/** The error of all three programs for what does not come from a ZooKeeper server. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code: string;
  readonly exitCode: number;
  readonly path: string | undefined;
  readonly hint: string | undefined;
  readonly place: Place | undefined;
  readonly isQuoted: boolean;

  /** @param text the sentence; further lines are the hint */
  constructor(text: string, options: CommandErrorOptions) {
    const { cause, isQuoted = false, exitCode = ExitCode.failed, hint } = options;
    const [sentence = '', ...more] = isQuoted ? [text] : text.split('\n');
    super(sentence, { cause });
    this.code = options.code;
    this.exitCode = exitCode;
    this.path = options.path;
    this.hint = hint ?? (more.length === 0 ? undefined : more.join('\n'));
    this.place = options.place;
    this.isQuoted = isQuoted;
  }
}

/** The user erred, and nothing was done yet. Exit status 64. */
export function usageError(
  sentence: string,
  place?: Place,
  more: Pick<CommandErrorOptions, 'hint' | 'cause'> = {},
): CommandError {
  return new CommandError(sentence, { code: 'USAGE', exitCode: ExitCode.usage, place, ...more });
}

/** A file of members or limits is not valid. Exit status 65. @param lines each names its place */
export function badFile(lines: readonly string[], cause?: unknown): CommandError {
  const isQuoted = lines.length > 1;
  const options = { code: 'BADFILE', exitCode: ExitCode.badFile, isQuoted, cause };
  return new CommandError(lines.join('\n'), options);
}

export function errorOf({ sentence, ...report }: ErrorReport): CommandError {
  return new CommandError(sentence, report);
}

export function notConnected(): CommandError {
  const [hint, exitCode] = ['run connect HOST:PORT to open a session', ExitCode.connection];
  return new CommandError('not connected', { code: 'NOTCONNECTED', exitCode, hint });
}

/** As a program prints an error: `zkops: <sentence>`, and the hint below it, indented. */
export function errorLines(program: string, error: CommandError): readonly string[] {
  const { message, hint = '', isQuoted } = error;
  // The parser names the command, which may be the program itself.
  const start = isQuoted || message.startsWith(`${program}: `) ? '' : `${program}: `;
  const hints = hint === '' ? [] : hint.split('\n').map((line) => `  ${line}`);
  return [`${start}${message}`, ...hints].flatMap((text) => safeText(text).split('\n'));
}
