import type { WatchEvent } from '../../../client/base/client.js';
import type { ACL, ClientInfo, Stat } from '../../../protocol/data.js';
import type { Change } from './change.js';

/**
 * The result of a command. Commands never print; the renderers convert results to text, tables, and
 * JSON.
 */
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
  /** One path of a long list. */
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
  /** The result of set and setAcl; text shows the Stat only if requested. */
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
      /** Is the path a pattern? */
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
  /** A watch event. */
  | { readonly kind: 'event'; readonly event: WatchEvent }
  /** An event of `watch` with its values. */
  | { readonly kind: 'change'; readonly change: Change }
  /** Changes that arrived faster than they could be shown. */
  | { readonly kind: 'missed'; readonly count: number }
  /** A background watch at the prompt; `end` is the reason of its end. */
  | {
      readonly kind: 'watching';
      readonly path: string;
      readonly isRecursive: boolean;
      readonly end?: string;
    }
  /** Output of a program that runs for a change. */
  | { readonly kind: 'output'; readonly data: Buffer }
  /** The end of that program, by itself or by a signal. */
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
  /** Text, and the fields that JSON shows. */
  | {
      readonly kind: 'message';
      readonly text: string;
      readonly fields: Readonly<Record<string, unknown>>;
      /** For pipes, without a newline; default: the text. */
      readonly raw?: string;
      /** Is the text drawn with lines? */
      readonly isDrawn?: true;
      /** Does the text need a heading with the path? */
      readonly isNameless?: true;
    }
  /** The end of a program; zksh exits with its exit status. */
  | { readonly kind: 'ran'; readonly command: readonly string[]; readonly exitCode: number }
  /** A table: aligned in text, one object per row in JSON. */
  | { readonly kind: 'rows'; readonly columns: readonly Column[]; readonly rows: readonly Row[] }
  /** The result for one match of a pattern; text adds a heading. */
  | {
      readonly kind: 'of-path';
      readonly path: string;
      readonly isFirst: boolean;
      readonly result: Result;
    }
  /** Everything was emitted already. */
  | { readonly kind: 'end' }
  /** Ends the shell. */
  | { readonly kind: 'exit' };

export interface Column {
  /** The key of its cells, also in JSON. */
  readonly name: string;
  /** Default: the name in capitals. */
  readonly title?: string;
  /** Aligns the column to the right. */
  readonly isRight?: boolean;
  /** A percentage: with a bar on a terminal, only the number in JSON. */
  readonly isPercent?: boolean;
}

/** The cells of a row; null is shown as a dash. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

export type ResultKind = Result['kind'];

/** The text form of `data`; JSON always has the bytes. */
export type DataForm = 'text' | 'base64' | 'hexdump' | 'raw';
