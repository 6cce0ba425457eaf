// `zkops top` loads its screen and the library for drawing only on demand.

import type { LoadKind } from '../../../fourlw/base/load-view.js';
import type { Sample } from '../../ensemble/sample.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';

export interface LivePoll {
  readonly earlier: ReadonlyMap<string, Sample>;
  /** What a row is; undefined for a member. */
  readonly by: LoadKind | undefined;
}

export interface LiveSession {
  /** Asks all members once. Computes rates against the earlier poll. */
  readonly poll: (poll: LivePoll, signal?: AbortSignal) => Promise<OpsResult>;
  readonly reset: () => Promise<string>;
  /** Prints one poll of a batch; undefined if the screen itself is printed. */
  readonly print: ((result: OpsResult) => void | Promise<void>) | undefined;
  readonly write: (text: string) => void | Promise<void>;
  /** Ends a batch: nobody takes its output. */
  readonly outputEnded?: AbortSignal | undefined;
  /** What a row is at first. */
  readonly by?: LoadKind | undefined;
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

/** Ends when the user quits or after `count` polls. Returns the last result. */
export type StartLive = (session: LiveSession) => Promise<OpsResult | undefined>;
