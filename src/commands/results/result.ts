import type { WatchEvent } from '../../client/base/client.js';
import type { ACL, ClientInfo, Stat } from '../../protocol/data.js';
import type { CellValue } from '../ensemble/verb.js';
import type { Level, RunResult } from '../ensemble/verdict/result.js';
import type { Change } from './change.js';

/** Commands never print: renderers convert results to text, tables, and JSON. */
export type Result =
  /** No text, such as cd or a change without `-s`. In JSON, `done` names the command. */
  | { readonly kind: 'done'; readonly done: string; readonly path?: string }
  /** Sorted; `stat` if requested. */
  | {
      readonly kind: 'children';
      readonly path: string;
      readonly children: readonly string[];
      readonly stat?: Stat;
    }
  | { readonly kind: 'path'; readonly path: string; readonly stat?: Stat }
  | { readonly kind: 'paths'; readonly paths: readonly string[] }
  | {
      readonly kind: 'data';
      readonly path: string;
      /** Null differs from an empty buffer. */
      readonly data: Buffer | null;
      readonly view: DataForm;
      readonly stat?: Stat;
    }
  | { readonly kind: 'stat'; readonly path: string; readonly stat: Stat }
  | { readonly kind: 'created'; readonly path: string; readonly stat: Stat }
  /** The result of set and setAcl. Text shows the Stat only if requested. */
  | {
      readonly kind: 'changed';
      readonly path: string;
      readonly stat: Stat;
      /** Its ACL changed, not its data. */
      readonly isAcl?: true;
      readonly isStatShown: boolean;
    }
  | {
      readonly kind: 'deleted';
      /** The path or pattern as typed. */
      readonly path: string;
      readonly count: number;
      readonly isDryRun: boolean;
      /** The path is a pattern. */
      readonly isMatched?: true;
    }
  | {
      readonly kind: 'acl';
      readonly path: string;
      readonly acl: readonly ACL[];
      readonly stat?: Stat;
    }
  | { readonly kind: 'count'; readonly path: string; readonly count: number }
  | { readonly kind: 'identities'; readonly identities: readonly ClientInfo[] }
  | { readonly kind: 'event'; readonly event: WatchEvent }
  | { readonly kind: 'change'; readonly change: Change }
  /** Changes that arrived faster than zksh could show them. */
  | { readonly kind: 'missed'; readonly count: number }
  /** A background watch at the prompt; `end` is the reason of its end. */
  | {
      readonly kind: 'watching';
      readonly path: string;
      readonly isRecursive: boolean;
      readonly end?: string;
    }
  | { readonly kind: 'output'; readonly data: Buffer }
  | {
      readonly kind: 'ran-on-change';
      readonly command: readonly string[];
      readonly exitCode?: number;
      readonly signal?: string;
    }
  /** `fields` are for JSON. */
  | {
      readonly kind: 'message';
      readonly text: string;
      readonly fields: Readonly<Record<string, unknown>>;
      /** For pipes, without a newline; by default the text. */
      readonly raw?: string;
      readonly isDrawn?: true;
      /** The text needs a heading with the path. */
      readonly isNameless?: true;
    }
  /** The end of a program. zksh exits with its exit status. */
  | { readonly kind: 'ran'; readonly command: readonly string[]; readonly exitCode: number }
  /** Aligned in text; one object for each row in JSON. */
  | ({ readonly kind: 'rows' } & Table)
  /** For one match of a pattern; text adds a heading. */
  | {
      readonly kind: 'of-path';
      readonly path: string;
      readonly isFirst: boolean;
      readonly result: Result;
    }
  /** The command has emitted everything. */
  | { readonly kind: 'end' }
  | { readonly kind: 'exit' };

export interface Column {
  /** The name in CSV and JSON, with the unit: `max_latency_ms`. */
  readonly key: string;
  /** The heading of tables; by default the key in capitals. */
  readonly title?: string;
  /** The text in tables, such as `1.2G`. Other formats have the exact value. */
  readonly show?: (value: NonNullable<CellValue>) => string;
  /** Narrow terminals drop the columns of the highest rank first, and never those without one. */
  readonly rank?: number;
  /** The least width, if the rows are drawn as they arrive. */
  readonly width?: number;
  /** With a bar on a terminal. */
  readonly isPercent?: boolean;
}

/** In the order of the columns. */
export type Row = readonly CellValue[];

/** What every listing of every program is; each format is a function of it. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** A table with a verdict, whose rows may come from a file of any size. */
export interface Report {
  readonly columns: readonly Column[];
  /** In batches: every format prints them in constant memory. */
  readonly rows: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;
  /** Too many rows to hold, so a table prints them as they arrive. */
  readonly isEndless?: boolean;
  /** The rows are the answer, so a healthy table ends without a verdict. */
  readonly isPlain?: boolean;
  /** The cells are sentences: where the table is too wide, each row is a paragraph. */
  readonly isProse?: boolean;
  /** The level of a row, if not that of its member. */
  readonly levelOf?: (row: Row) => Level | undefined;
  /** It runs until it is stopped, which is not an interruption. */
  readonly isService?: boolean;
  /** Replaces the rows, in every format: a text for another program. */
  readonly document?: string;
  /** Called after the last row. */
  readonly finish: () => Conclusion;
}

export interface Conclusion extends Pick<RunResult, 'verdict' | 'changes'> {
  readonly notes?: readonly string[];
  readonly totals?: Readonly<Record<string, unknown>>;
}

/** Columns whose headings are their names. */
export function namedColumns(...keys: readonly string[]): readonly Column[] {
  return keys.map((key) => ({ key }));
}

export function finishedReport(
  columns: readonly Column[],
  rows: readonly Row[],
  conclusion: Conclusion,
  levelOf?: Report['levelOf'],
): Report {
  const levels = levelOf === undefined ? {} : { levelOf };
  return { columns, rows: [rows], finish: () => conclusion, ...levels };
}

export type ResultKind = Result['kind'];

/** For text output; JSON always has the bytes. */
export type DataForm = 'text' | 'base64' | 'hexdump' | 'raw';
