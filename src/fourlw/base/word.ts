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
  /** The same in pieces, each read from the live server when it is taken. */
  pieces(view: ServerView, argument?: Buffer): Iterable<string>;
  /** For servers from 3.4 on. Never throws: keeps unknown lines; missing values are undefined. */
  parse(text: string): Parsed;
}

type Shape<Parsed> = Pick<Word<Parsed>, 'word' | 'summary' | 'parse'> &
  Partial<Pick<Word<Parsed>, 'argumentBytes'>> & { readonly notServing?: string } & (
    | Pick<Word<Parsed>, 'render'>
    /** For a word whose answer grows with the clients or the tree. */
    | Pick<Word<Parsed>, 'pieces'>
  );

export function servingWord<Parsed>(shape: Shape<Parsed>): Word<Parsed> {
  return { notServing: `${NOT_SERVING}\n`, argumentBytes: 0, ...shape, ...bothForms(shape) };
}

export function anytimeWord<Parsed>(shape: Shape<Parsed>): Word<Parsed> {
  return { argumentBytes: 0, ...shape, ...bothForms(shape), notServing: undefined };
}

function bothForms<Parsed>(shape: Shape<Parsed>): Pick<Word<Parsed>, 'render' | 'pieces'> {
  if ('pieces' in shape) {
    return { ...shape, render: (view, argument) => [...shape.pieces(view, argument)].join('') };
  }
  return {
    ...shape,
    *pieces(view, argument) {
      yield shape.render(view, argument);
    },
  };
}
