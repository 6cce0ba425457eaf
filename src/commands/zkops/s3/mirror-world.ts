import type { Progress } from '../calls/task.js';

export interface MirrorTimes {
  /** Between two changes of the bucket: each costs a few requests. */
  readonly paceMs: number;
  /** A third of the lease. */
  readonly renewMs: number;
  /** After a failure; each further one doubles it. */
  readonly pauseMs: number;
}

export interface Spool {
  readonly path: string;
  readonly files: string;
  readonly staging: string;
  /** The content of its marker. */
  readonly marker: string;
}

export interface MirrorWorld {
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly times?: MirrorTimes;
}
