import type { WatchEvent } from '../../../client/base/client.js';
import type { ACL, ClientInfo, Stat } from '../../../protocol/data.js';
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
  | {
      readonly kind: 'connection';
      readonly server: string;
      readonly sessionId: bigint;
      readonly sessionTimeoutMs: number;
      readonly isReadOnly: boolean;
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
  | { readonly kind: 'rows'; readonly columns: readonly Column[]; readonly rows: readonly Row[] }
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
  readonly name: string;
  /** By default the name in capitals. */
  readonly title?: string;
  readonly isRight?: boolean;
  /** With a bar on a terminal; only the number in JSON. */
  readonly isPercent?: boolean;
  /** Narrow terminals drop the columns of the highest rank first, and never those without one. */
  readonly rank?: number;
}

/** Null is shown as a dash. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

export type ResultKind = Result['kind'];

/** For text output; JSON always has the bytes. */
export type DataForm = 'text' | 'base64' | 'hexdump' | 'raw';
