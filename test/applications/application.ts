import type { Ensemble } from './ensemble.js';

/** An application that uses ZooKeeper. */
export interface Application {
  readonly name: string;
  /** What it does while members are killed, for the table. */
  readonly work: string;
  /** @returns its version, or undefined if it is not installed */
  version(): string | undefined;
  /** How to install it. */
  readonly source: string;
  /** Starts it. */
  start(ensemble: Ensemble): Promise<Running>;
}

/** An application at work. */
export interface Running {
  /** Waits until all parts of the work continue. */
  continues(): Promise<void>;
  /** Ends the work, and judges it. The ensemble is complete. */
  finish(): Promise<Outcome>;
  /** Ends all processes. */
  close(): Promise<void>;
}

export interface Outcome {
  /** Empty if all promises hold. */
  readonly problems: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** Durations in milliseconds, of which less is better. */
  readonly durations: Readonly<Record<string, number>>;
}
