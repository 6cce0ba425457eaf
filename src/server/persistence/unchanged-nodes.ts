/** Decides which znodes of a snapshot go into the next one unchanged. */

import { ACL_KEY_SIZE, type NodePlace } from '../../files/node-place.js';
import { OPEN_ACL_KEY } from '../../files/snapshot.js';
import { getLong } from '../../jute/long.js';
import type { SnapshotChanges } from './snapshot-changes.js';

/** The znodes that a server changes without a txn. */
const RESERVED = Buffer.from('/zookeeper/');
/** The offset in a StatPersisted. */
const OWNER = 44;

export class UnchangedNodes {
  private readonly changes: SnapshotChanges;
  private readonly keys: ReadonlyMap<bigint, bigint>;
  private readonly filter: ReturnType<SnapshotChanges['filter']>;

  /** @param keys of ACLs in the new snapshot, by their keys in the old one */
  constructor(changes: SnapshotChanges, keys: ReadonlyMap<bigint, bigint>) {
    this.changes = changes;
    this.keys = keys;
    this.filter = changes.filter();
  }

  has(place: NodePlace): boolean {
    const { bytes, start, pathEnd } = place;
    if (this.filter.mayHave(bytes, start + 4, pathEnd)) return false;
    return this.hasSameKey(place) && !isReserved(place) && !this.isClosed(place);
  }

  private hasSameKey({ bytes, dataEnd }: NodePlace): boolean {
    if (bytes.readInt32BE(dataEnd) === -1 && bytes.readInt32BE(dataEnd + 4) === -1) return true;
    const key = getLong(bytes, dataEnd);
    return key !== OPEN_ACL_KEY && this.keys.get(key) === key;
  }

  private isClosed({ bytes, dataEnd }: NodePlace): boolean {
    const at = dataEnd + ACL_KEY_SIZE + OWNER;
    if (bytes.readInt32BE(at) === 0 && bytes.readInt32BE(at + 4) === 0) return false;
    return this.changes.isClosed(getLong(bytes, at));
  }
}

function isReserved({ bytes, start, pathEnd }: NodePlace): boolean {
  const from = start + 4;
  const end = from + RESERVED.length;
  // Few paths have "z" here, so this avoids most calls.
  return bytes[from + 1] === 0x7a && end <= pathEnd && RESERVED.equals(bytes.subarray(from, end));
}
