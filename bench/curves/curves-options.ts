import type { ServerKind } from '../servers.js';
import type { Plot } from './plot.js';

export interface CurvesOptions {
  readonly kinds: readonly ServerKind[];
  readonly home: string;
  readonly isQuick: boolean;
  readonly rounds: number;
  /** The length of each round. */
  readonly seconds: number;
}

export interface Curves {
  readonly tables: readonly (readonly (readonly string[])[])[];
  readonly plots: readonly { readonly file: string; readonly plot: Plot }[];
}
