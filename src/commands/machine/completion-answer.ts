// The answer of `__complete` to a completion script: candidates, and directives for the script.

import { parseDuration } from '../program/duration.js';

export interface Candidate {
  /** The whole word, as the program would get it. */
  readonly value: string;
  readonly about?: string | undefined;
}

export interface Answer {
  readonly candidates: readonly Candidate[];
  /** The script adds the names of files, or of folders. */
  readonly files?: 'files' | 'folders' | undefined;
  /** Whether the word may continue: the script adds no blank then. */
  readonly isOpen?: boolean | undefined;
}

export const NO_ANSWER: Answer = { candidates: [] };
export const FILES: Answer = { candidates: [], files: 'files' };
export const FOLDERS: Answer = { candidates: [], files: 'folders' };

const MAX_CANDIDATES = 300;
/** A script that waits longer makes the prompt look dead. ZKSH_COMPLETION_TIMEOUT changes it. */
const LIMIT_MS = 500;
/** For the output, and the end of the process. */
const RESERVE_MS = 60;
const LEAST_MS = 100;

/** Line breaks and tabs would forge candidates, the others would imitate names. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** One candidate a line, `value<TAB>about`, then directives, each with a colon before it. */
export function renderAnswer({ candidates, files, isOpen }: Answer): string {
  const safe = candidates.filter(
    ({ value }) => value !== '' && !value.startsWith(':') && !UNPRINTABLE.test(value),
  );
  const lines = safe.slice(0, MAX_CANDIDATES).map(({ value, about = '' }) => {
    const text = UNPRINTABLE.test(about) ? '' : about;
    return text === '' ? value : `${value}\t${text}`;
  });
  if (files !== undefined) lines.push(`:${files}`);
  if (isOpen === true) lines.push(':nospace');
  return lines.map((line) => `${line}\n`).join('');
}

/** In ms, for lookups on the network, counted from the start of the process. */
export function timeLeft(): number {
  const limitMs = parseDuration(process.env['ZKSH_COMPLETION_TIMEOUT'] ?? '', 1) ?? LIMIT_MS;
  return Math.max(LEAST_MS, limitMs - RESERVE_MS - performance.now());
}

/** Undefined after the time limit, or if it fails. */
async function inTime<Value>(value: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeLeft());
  });
  try {
    return await Promise.race([value, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Only those that continue the word. */
export function fitting(candidates: readonly Candidate[], begun: string): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(begun));
}

/** Completes the last entry of a list with commas. */
export function inList(candidates: readonly Candidate[], text: string): Answer {
  const start = text.lastIndexOf(',') + 1;
  const listed = text.slice(0, start).split(',');
  const left = candidates.filter(({ value }) => !listed.includes(value));
  const values = left.map(({ value, about }) => ({ value: text.slice(0, start) + value, about }));
  return { candidates: fitting(values, text), isOpen: true };
}

/** Words after `--`; the last one is the word to complete. Never throws. */
export async function answerCompletion(
  args: readonly string[],
  complete: (before: readonly string[], word: string) => Promise<Answer>,
): Promise<string> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const answer = await inTime(complete(words.slice(0, -1), words.at(-1) ?? ''));
  return renderAnswer(answer ?? NO_ANSWER);
}
