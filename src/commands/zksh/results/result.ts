import type { WatchEvent } from '../../../client/client.js';
import type { ACL, ClientInfo, Stat } from '../../../protocol/data.js';
import type { Change } from './change.js';

/**
 * What a command gives back. Commands never print: render/ makes text, tables and JSON of these,
 * and nothing else is ever shown for a command that went well.
 */
export type Result =
  /** Nothing to show: cd, a change without `-s`. In JSON, `done` says what was done. */
  | { readonly kind: 'done'; readonly done: string; readonly path?: string }
  /** Sorted; `stat` when it was asked for. */
  | {
      readonly kind: 'children';
      readonly path: string;
      readonly children: readonly string[];
      readonly stat?: Stat;
    }
  /** One path of a long list, emitted one by one. */
  | { readonly kind: 'path'; readonly path: string; readonly stat?: Stat }
  | { readonly kind: 'paths'; readonly paths: readonly string[] }
  | {
      readonly kind: 'data';
      readonly path: string;
      /** Null is not the empty buffer: a znode can hold either. */
      readonly data: Buffer | null;
      readonly view: DataForm;
      readonly stat?: Stat;
    }
  | { readonly kind: 'stat'; readonly path: string; readonly stat: Stat }
  | { readonly kind: 'created'; readonly path: string; readonly stat: Stat }
  /** Of set and setAcl; the stat is shown in text only when it was asked for. */
  | {
      readonly kind: 'changed';
      readonly path: string;
      readonly stat: Stat;
      readonly isStatShown: boolean;
    }
  | {
      readonly kind: 'deleted';
      /** What was asked for. */
      readonly path: string;
      readonly count: number;
      readonly isDryRun: boolean;
    }
  | {
      readonly kind: 'acl';
      readonly path: string;
      readonly acl: readonly ACL[];
      readonly stat?: Stat;
    }
  | { readonly kind: 'count'; readonly path: string; readonly count: number }
  | { readonly kind: 'identities'; readonly identities: readonly ClientInfo[] }
  /** A watch that fired. */
  | { readonly kind: 'event'; readonly event: WatchEvent }
  /** An event of `watch`, and what it came to. */
  | { readonly kind: 'change'; readonly change: Change }
  /** Changes that came faster than they were shown. */
  | { readonly kind: 'missed'; readonly count: number }
  /** A watch that goes on beside the prompt; with why, when it has ended. */
  | {
      readonly kind: 'watching';
      readonly path: string;
      readonly isRecursive: boolean;
      readonly end?: string;
    }
  /** What a program run for a change printed, as it came. */
  | { readonly kind: 'output'; readonly data: Buffer }
  /** That program ended, by itself or by a signal. */
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
  /** Text with named values behind it, which is what JSON shows. */
  | {
      readonly kind: 'message';
      readonly text: string;
      readonly fields: Readonly<Record<string, unknown>>;
      /** For pipes, without a line end; default: the text. */
      readonly raw?: string;
      /** Does the text not say of which znode it is? */
      readonly isNameless?: true;
    }
  /** A program that was run, and how it ended: its exit code becomes that of zksh. */
  | { readonly kind: 'ran'; readonly command: readonly string[]; readonly exitCode: number }
  /** A table: text aligns it, JSON makes an object of each row. */
  | { readonly kind: 'rows'; readonly columns: readonly Column[]; readonly rows: readonly Row[] }
  /** Of one of several paths that a pattern fits; text says which. */
  | {
      readonly kind: 'of-path';
      readonly path: string;
      readonly isFirst: boolean;
      readonly result: Result;
    }
  /** All was emitted already. */
  | { readonly kind: 'end' }
  /** The shell is asked to end. */
  | { readonly kind: 'exit' };

export interface Column {
  /** The key of its cells, and its name in JSON. */
  readonly name: string;
  /** Default: the name in capitals. */
  readonly title?: string;
  /** Figures stand under each other by their last digit. */
  readonly isRight?: boolean;
  /** A share in percent: a bar on a terminal, and the figure alone in JSON. */
  readonly isPercent?: boolean;
}

/** A cell is shown as it is; null shows as a dash. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

export type ResultKind = Result['kind'];

/** How `data` is shown in text; JSON always carries the bytes. */
export type DataForm = 'text' | 'base64' | 'hexdump' | 'raw';
