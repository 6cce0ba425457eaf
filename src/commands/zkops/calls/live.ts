// What `zkops top` is made of, for whoever draws it. The drawing itself, with its library, is
// loaded only when it is asked for.

import type { EarlierLook } from '../../ensemble/earlier-look.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';

export interface LiveSession {
  /** Asks all members once; rates are told against the look handed in. */
  readonly look: (
    earlier: ReadonlyMap<string, EarlierLook>,
    signal?: AbortSignal,
  ) => Promise<OpsResult>;
  /** Sends srst to all members; gives a sentence. */
  readonly reset: () => Promise<string>;
  /** Prints a result of a batch; undefined where the screen itself is printed. */
  readonly print: ((result: OpsResult) => void) | undefined;
  readonly write: (text: string) => void;
  readonly intervalMs: number;
  /** Print screens instead of drawing on the terminal, as many as `count`. */
  readonly isBatch: boolean;
  /** How many looks; undefined for no end. */
  readonly count: number | undefined;
  /** The key of the column to sort by at first, and what the members' names must hold. */
  readonly sort: string | undefined;
  readonly filter: string;
  readonly width: number;
}

/** Draws until somebody leaves or the looks are done; gives the last result. */
export type StartLive = (session: LiveSession) => Promise<OpsResult | undefined>;
