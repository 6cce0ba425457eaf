import type { CellValue } from '../../ensemble/verb.js';

export interface Grid {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly CellValue[])[];
}
