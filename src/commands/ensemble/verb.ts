import type { WordName } from '../../fourlw/index.js';
import type { ArgumentSpecs } from '../machine/declaration.js';
import type { Member } from './member.js';

export type CellValue = string | number | bigint | undefined;

export interface Column {
  /** The name in CSV: `avg_latency_ms`. */
  readonly key: string;
  /** The heading of tables, with the unit: `AVG ms`. By default the key in capitals. */
  readonly title?: string;
  /** Narrow terminals drop the columns of the highest rank first, and never those of rank 0. */
  readonly rank: number;
  /** As CSV and plain print it. */
  readonly value: (member: Member, members: readonly Member[]) => CellValue;
  /** Codes of the problems that color this column. */
  readonly codes?: readonly string[];
  /** The text in a table, such as `1.2G`. */
  readonly show?: (value: string | number | bigint) => string;
}

export interface Details {
  /** The names of the columns in CSV, with the unit: `avg_ms`. */
  readonly keys: readonly string[];
  readonly rows: (member: Member) => readonly (readonly CellValue[])[];
}

export const JUDGED = { judge: 'ensemble', isConfirmed: true, isMeasured: true } as const;

export interface OpsVerb {
  readonly name: string;
  readonly summary: string;
  readonly args?: ArgumentSpecs;
  /** Every member gets these words. The first one is the main word of the verb. */
  readonly words: readonly WordName[];
  /** The refusal of these words gives no note. */
  readonly extraWords?: readonly WordName[];
  /** `ensemble` judges the roles of the members, `answers` only whether they answer. */
  readonly judge: 'ensemble' | 'answers';
  /** It changes the server, so it needs `--yes`. */
  readonly isReset?: boolean;
  /** The answer may be huge on a server with many watches; `--force` asks anyway. */
  readonly isCostly?: boolean;
  /** A critical verdict needs a second poll, a moment later. */
  readonly isConfirmed?: boolean;
  /** Compares values with the limits of thresholds.ts. */
  readonly isMeasured?: boolean;
  /** Polls repeatedly, and draws on the terminal. */
  readonly isLive?: boolean;
  /** `--explain` prints the limits instead. */
  readonly hasExplanation?: boolean;
  readonly columns: readonly Column[];
  readonly details?: Details;
  /** Every entry of the answer, for --all and --keys. */
  readonly pairs?: (member: Member) => readonly (readonly [name: string, value: string])[];
  /** The fields of a member in JSON. Bigints become strings. */
  readonly data: (member: Member) => Readonly<Record<string, unknown>>;
}
