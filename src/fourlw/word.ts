import type { ServerView } from './server-view.js';

/** The answer of most words while the server does not serve (a newline follows it). */
export const NOT_SERVING = 'This ZooKeeper instance is not currently serving requests';

/** One four-letter word: renders the answer of a server, and parses it. */
export interface Word<Parsed = unknown> {
  readonly word: string;
  /** One line for help and man page. */
  readonly summary: string;
  /**
   * The answer while the server does not serve; undefined for words that always answer. Source: the
   * CommandExecutor's classes, `isZkServerRunning`.
   */
  readonly notServing: string | undefined;
  /** Bytes that a client sends after the word: 8 for `stmk`, 0 for all others. */
  readonly argumentBytes: number;
  /** The exact text of Apache's server. Without its argument it is "", as Apache closes then. */
  render(view: ServerView, argument?: Buffer): string;
  /**
   * Parses an answer of any server from 3.4 on. Never throws: unknown lines are kept in the result,
   * missing values are undefined.
   */
  parse(text: string): Parsed;
}

type Shape<Parsed> = Pick<Word<Parsed>, 'word' | 'summary' | 'render' | 'parse'> &
  Partial<Pick<Word<Parsed>, 'argumentBytes'>> & { readonly notServing?: string };

/** A word that requires a serving server. */
export function servingWord<Parsed>(shape: Shape<Parsed>): Word<Parsed> {
  return { notServing: `${NOT_SERVING}\n`, argumentBytes: 0, ...shape };
}

/** A word that answers at any time. */
export function anytimeWord<Parsed>(shape: Shape<Parsed>): Word<Parsed> {
  return { argumentBytes: 0, ...shape, notServing: undefined };
}
