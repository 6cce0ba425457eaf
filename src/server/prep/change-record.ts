import type { ACL } from '../../protocol/data.js';
import type { PreparedNode } from '../tree/data-tree.js';
import type { NodeStat } from '../tree/node-stat.js';
import type { Znode } from '../tree/znode.js';
import type { UsageChange } from './pending-usage.js';

/**
 * The pending state of a znode. Its Stat is the tree's while nothing is pending, so that lookups
 * copy nothing. A change makes a new record, because a failed multi takes it back.
 */
export class ChangeRecord implements PreparedNode {
  readonly path: string;
  readonly hash: number;
  /** The znode in the tree; null until the create is applied. */
  znode: Znode | null;
  generation: number;
  /** Its own, of the pending ones, once it is put. */
  readonly stat: NodeStat;
  /** The ACL after the change; it does not change once the record is put. */
  acl: readonly ACL[];
  /** The number of children after the change; it does not change once the record is put. */
  childCount: number;
  /** The znode's part of the tree digest after the change; 0 without digests or a znode. */
  digest: number;
  /** False if the change deletes the znode; it does not change once the record is put. */
  exists = true;
  /** The cversion, if the tree will keep another one; null if it will not. */
  pendingCversion: number | null = null;
  /** True if the change creates an ephemeral; it does not change once the record is put. */
  isEphemeralCreate = false;
  /** What the change adds to a quota; null if no quota counts it. */
  usage: UsageChange | null = null;
  /** The pending change of the same path before this one; null once that one is applied. */
  older: ChangeRecord | null = null;
  /** The pending change of the same path after this one; null for the newest. */
  newer: ChangeRecord | null = null;
  /** The next record of its bucket in PendingRecords; null outside a bucket. */
  next: ChangeRecord | null = null;

  constructor(
    path: string,
    hash: number,
    stat: NodeStat,
    acl: readonly ACL[],
    childCount: number,
    digest: number,
    znode: Znode | null = null,
    generation = 0,
  ) {
    this.path = path;
    this.hash = hash;
    this.znode = znode;
    this.generation = generation;
    this.stat = stat;
    this.acl = acl;
    this.childCount = childCount;
    this.digest = digest;
  }

  get pathSum(): number {
    return this.stat.pathCrc;
  }

  get dataLength(): number {
    return this.stat.dataLength;
  }

  get version(): number {
    return this.stat.version;
  }

  get aversion(): number {
    return this.stat.aversion;
  }

  /** Counts creates. Past 2^31 pending ones still count, so that names match Apache's. */
  get cversion(): number {
    return this.pendingCversion ?? this.stat.cversion;
  }

  get ephemeralOwner(): bigint {
    return this.stat.ephemeralOwner;
  }
}
