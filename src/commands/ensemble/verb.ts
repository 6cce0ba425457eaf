import type { WordName } from '../../fourlw/index.js';
import type { Member } from './member.js';

export type CellValue = string | number | bigint | undefined;

/** One column of a table with one row per member. */
export interface Column {
  /** `AVG ms`: the unit is in the heading. */
  readonly title: string;
  /** The name in CSV: `avg_latency_ms`. */
  readonly key: string;
  /** Narrow terminals lose the columns of the highest rank first; 0 is never dropped. */
  readonly rank: number;
  /** The exact value, as CSV and plain print it. */
  readonly value: (member: Member, members: readonly Member[]) => CellValue;
  /** The limits and codes of problems that affect this column. */
  readonly tells?: readonly string[];
  /** How a table shows it: `1.2G`. Numbers are right-aligned. */
  readonly show?: (value: string | number | bigint) => string;
}

/** A second table with several rows per member, for --all. */
export interface Details {
  readonly titles: readonly string[];
  readonly rows: (member: Member) => readonly (readonly CellValue[])[];
}

/** The properties of verbs that judge an ensemble by roles and values. */
export const JUDGED = { judge: 'ensemble', isConfirmed: true, isMeasured: true } as const;

/** A verb of zkops as data: what to ask, how to judge, what to show. */
export interface OpsVerb {
  readonly name: string;
  readonly summary: string;
  /** The arguments in commander's form: `<mask>`. */
  readonly args?: readonly string[];
  /** Asked of every member; the first is the verb's main word. */
  readonly words: readonly WordName[];
  /** Optional words: a refusal gives no note. */
  readonly extraWords?: readonly WordName[];
  /**
   * `ensemble`: judges the roles of the members (quorum, one leader). `answers`: judges only who
   * answered.
   */
  readonly judge: 'ensemble' | 'answers';
  /** It changes the server, so it needs `--yes`. */
  readonly isReset?: boolean;
  /** A server with many watches would build a huge answer; `--force` asks anyway. */
  readonly isCostly?: boolean;
  /** Reports critical only when a second look, a moment later, confirms it. */
  readonly isConfirmed?: boolean;
  /** Compares values with the limits of thresholds.ts. */
  readonly isMeasured?: boolean;
  /** `--html` renders it as a page. */
  readonly hasPage?: boolean;
  /** Looks repeatedly, and draws on the terminal. */
  readonly isLive?: boolean;
  /** `--explain` lists the limits instead. */
  readonly hasExplanation?: boolean;
  readonly columns: readonly Column[];
  readonly details?: Details;
  /** Name and value of every entry of the answer, for --all and --keys. */
  readonly pairs?: (member: Member) => readonly (readonly [name: string, value: string])[];
  /** The fields of a member in JSON besides its state; bigints become strings. */
  readonly data: (member: Member) => Readonly<Record<string, unknown>>;
}
