// `zkops top` loads its screen and the library for drawing only on demand.

import type { EarlierLook } from '../../ensemble/earlier-look.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';

export interface LiveSession {
  /** Asks all members once. Computes rates against the earlier look. */
  readonly look: (
    earlier: ReadonlyMap<string, EarlierLook>,
    signal?: AbortSignal,
  ) => Promise<OpsResult>;
  readonly reset: () => Promise<string>;
  /** Prints one look of a batch; undefined if the screen itself is printed. */
  readonly print: ((result: OpsResult) => void) | undefined;
  readonly write: (text: string) => void;
  readonly intervalMs: number;
  /** Prints `count` screens instead of drawing on the terminal. */
  readonly isBatch: boolean;
  /** Undefined means no end. */
  readonly count: number | undefined;
  /** The key of the first sort column; `filter` is a part of the names to show. */
  readonly sort: string | undefined;
  readonly filter: string;
  readonly width: number;
}

/** Ends when the user quits or after `count` looks. Returns the last result. */
export type StartLive = (session: LiveSession) => Promise<OpsResult | undefined>;
