import type { CellValue } from '../../ensemble/verb.js';

/** Rows of values under titles, for the formats made of rows. */
export interface Grid {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly CellValue[])[];
}
