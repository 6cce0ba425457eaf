// The inputs of `zkops top`. The drawing code and its library load only on demand.

import type { EarlierLook } from '../../ensemble/earlier-look.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';

export interface LiveSession {
  /** Asks all members once and computes rates against the earlier look. */
  readonly look: (
    earlier: ReadonlyMap<string, EarlierLook>,
    signal?: AbortSignal,
  ) => Promise<OpsResult>;
  /** Sends srst to all members and returns a sentence. */
  readonly reset: () => Promise<string>;
  /** Prints a result of a batch; undefined where the screen itself is printed. */
  readonly print: ((result: OpsResult) => void) | undefined;
  readonly write: (text: string) => void;
  readonly intervalMs: number;
  /** Print `count` screens instead of drawing on the terminal. */
  readonly isBatch: boolean;
  /** The number of looks; undefined means no end. */
  readonly count: number | undefined;
  /** The key of the initial sort column, and the text that the names of members must contain. */
  readonly sort: string | undefined;
  readonly filter: string;
  readonly width: number;
}

/** Draws until the user quits or `count` looks are done; returns the last result. */
export type StartLive = (session: LiveSession) => Promise<OpsResult | undefined>;
