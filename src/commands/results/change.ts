import type { WatchEvent } from '../../client/base/client.js';
import type { Stat } from '../../protocol/data.js';
import { formatZxid } from '../../protocol/zxid.js';
import { dataToJson } from './data.js';

export interface ZnodeValue {
  readonly data: Buffer | null;
  readonly stat: Stat;
}

export interface Change {
  readonly type: WatchEvent['type'];
  readonly path: string;
  /** -1n if the server does not report it. */
  readonly zxid: bigint;
  /** Found by reading after a reconnect, without an event. */
  readonly isFoundLate: boolean;
  /** An earlier event already showed this value. */
  readonly isAlreadyReported: boolean;
  /** Null: the znode did not exist. Undefined: unknown or not requested. */
  readonly before?: ZnodeValue | null | undefined;
  /** Null: the znode was deleted before the read. Undefined: not read. */
  readonly after?: ZnodeValue | null | undefined;
  readonly children?: ChildrenChange | undefined;
  /** The name of the error that prevented the read. */
  readonly unread?: string | undefined;
}

export interface ChildrenChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly count: number;
}

/** `before` and `after` are null if the znode did not exist, and undefined if unknown. */
export function changeToJson(change: Change) {
  const { type, path, zxid, isFoundLate, before, after, children, unread } = change;
  return {
    event: type,
    path,
    zxid: zxid < 0n ? null : formatZxid(zxid),
    isFoundLate: isFoundLate || undefined,
    isAlreadyReported: change.isAlreadyReported || undefined,
    before: valueToJson(before),
    after: valueToJson(after),
    children,
    unread,
  };
}

function valueToJson(value: ZnodeValue | null | undefined) {
  return value ? { ...dataToJson(value.data), version: value.stat.version } : value;
}
