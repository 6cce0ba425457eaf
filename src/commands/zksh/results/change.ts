import type { WatchEvent } from '../../../client/client.js';
import type { Stat } from '../../../protocol/data.js';

/** What a znode held when it was read. */
export interface ZnodeValue {
  readonly data: Buffer | null;
  readonly stat: Stat;
}

/** One event of a watch, and what it came to: the value before it and the value after. */
export interface Change {
  readonly type: WatchEvent['type'];
  readonly path: string;
  /** -1n where the server does not tell. */
  readonly zxid: bigint;
  /** No event told of it: it happened while there was no connection, and was found by reading. */
  readonly isFoundLate: boolean;
  /** The value was read with an earlier event: several changes in a row were seen at once. */
  readonly isToldAlready: boolean;
  /** Null: there was no such znode. Undefined: not known, or not asked for. */
  readonly before?: ZnodeValue | null | undefined;
  /** Null: it was gone when it was read. Undefined: not read. */
  readonly after?: ZnodeValue | null | undefined;
  /** Of NodeChildrenChanged. */
  readonly children?: ChildrenChange | undefined;
  /** Why the value after could not be read: an error's name. */
  readonly unread?: string | undefined;
}

export interface ChildrenChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly count: number;
}
