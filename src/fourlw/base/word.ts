import type { ServerView } from './server-view.js';

/** Most words answer this and a newline while the server does not serve. */
export const NOT_SERVING = 'This ZooKeeper instance is not currently serving requests';

export interface Word<Parsed = unknown> {
  readonly word: string;
  /** One line for help and man page. */
  readonly summary: string;
  /** The answer while the server does not serve (isZkServerRunning); undefined: always answers. */
  readonly notServing: string | undefined;
  /** Bytes that a client sends after the word: 8 for `stmk`, 0 for all others. */
  readonly argumentBytes: number;
  /** The exact text of Apache's server. It is "" for `stmk` without its argument. */
  render(view: ServerView, argument?: Buffer): string;
  /** For servers from 3.4 on. Never throws: keeps unknown lines; missing values are undefined. */
  parse(text: string): Parsed;
}

type Shape<Parsed> = Pick<Word<Parsed>, 'word' | 'summary' | 'render' | 'parse'> &
  Partial<Pick<Word<Parsed>, 'argumentBytes'>> & { readonly notServing?: string };

export function servingWord<Parsed>(shape: Shape<Parsed>): Word<Parsed> {
  return { notServing: `${NOT_SERVING}\n`, argumentBytes: 0, ...shape };
}

export function anytimeWord<Parsed>(shape: Shape<Parsed>): Word<Parsed> {
  return { argumentBytes: 0, ...shape, notServing: undefined };
}
