import type { WordName } from '../../fourlw/index.js';
import type { Member } from './member.js';

export type CellValue = string | number | bigint | undefined;

/** One column of the table with a row a member. */
export interface Column {
  /** `AVG ms`: the unit stands in the heading. */
  readonly title: string;
  /** The name in CSV: `avg_latency_ms`. */
  readonly key: string;
  /** Narrow terminals lose the columns of the highest rank first; 0 is never dropped. */
  readonly rank: number;
  /** The exact value, as CSV and plain print it. */
  readonly value: (member: Member, members: readonly Member[]) => CellValue;
  /** The limits, and codes of problems, that are about what it shows. */
  readonly tells?: readonly string[];
  /** How a table shows it: `1.2G`. Numbers stand right. */
  readonly show?: (value: string | number | bigint) => string;
}

/** A second table with many rows a member, shown with --all. */
export interface Details {
  readonly titles: readonly string[];
  readonly rows: (member: Member) => readonly (readonly CellValue[])[];
}

/** What the verbs share that judge an ensemble by its roles and its figures. */
export const JUDGED = { judge: 'ensemble', isConfirmed: true, isMeasured: true } as const;

/** One thing zkops can do, as data: what to ask, how to judge, what to show. */
export interface OpsVerb {
  readonly name: string;
  readonly summary: string;
  /** What it takes besides options, as commander writes it: `<mask>`. */
  readonly args?: readonly string[];
  /** Asked of every member, the verb's own word first. */
  readonly words: readonly WordName[];
  /** Those of the words that only add to what the others tell: a refusal goes without a note. */
  readonly extraWords?: readonly WordName[];
  /**
   * `ensemble`: the roles that the members tell are judged (quorum, one leader).
   * `answers`: nothing is known but who answered.
   */
  readonly judge: 'ensemble' | 'answers';
  /** It changes something in the server, so that `--yes` must be said. */
  readonly isReset?: boolean;
  /** It makes a server with many watches build a huge answer; `--force` asks all the same. */
  readonly isCostly?: boolean;
  /** Critical is told only when a second look, a moment later, finds it again. */
  readonly isConfirmed?: boolean;
  /** Figures are held against the limits of thresholds.ts. */
  readonly isMeasured?: boolean;
  /** `--html` makes a page of it. */
  readonly hasPage?: boolean;
  /** It looks again and again, and draws on the terminal. */
  readonly isLive?: boolean;
  /** `--explain` lists the limits instead. */
  readonly hasExplanation?: boolean;
  readonly columns: readonly Column[];
  readonly details?: Details;
  /** Name and value of everything the answer holds, for --all and --keys. */
  readonly pairs?: (member: Member) => readonly (readonly [name: string, value: string])[];
  /** What JSON says of a member besides its state; bigints become strings. */
  readonly data: (member: Member) => Readonly<Record<string, unknown>>;
}
