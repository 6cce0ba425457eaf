import type { ACL } from '../../protocol/data.js';
import type { DataNode } from '../tree/data-node.js';
import type { PreparedNode } from '../tree/data-tree-options.js';
import type { StatTable } from '../tree/stat-table.js';
import type { UsageChange } from './pending-usage.js';

/**
 * The pending state of a znode. `stats` is the tree's table while nothing is pending, so that
 * lookups are free. A change makes a new record, because a failed multi takes it back.
 */
export class ChangeRecord implements PreparedNode {
  readonly path: string;
  readonly hash: number;
  node: DataNode | null;
  readonly stats: StatTable;
  readonly slot: number;
  acl: readonly ACL[];
  childCount: number;
  /** Its part of the tree digest; 0 without digests. */
  digest: number;
  /** False if a delete is pending. */
  exists = true;
  /** Set if it differs from the one that the tree will have. */
  pendingCversion: number | null = null;
  isEphemeralCreate = false;
  /** Null if no quota counts the change. */
  usage: UsageChange | null = null;
  older: ChangeRecord | null = null;
  newer: ChangeRecord | null = null;
  /** In a bucket of PendingRecords. */
  next: ChangeRecord | null = null;

  constructor(
    path: string,
    hash: number,
    node: DataNode | null,
    stats: StatTable,
    slot: number,
    acl: readonly ACL[],
    childCount: number,
    digest: number,
  ) {
    this.path = path;
    this.hash = hash;
    this.node = node;
    this.stats = stats;
    this.slot = slot;
    this.acl = acl;
    this.childCount = childCount;
    this.digest = digest;
  }

  get pathSum(): number {
    return this.stats.pathCrc(this.slot);
  }

  get dataLength(): number {
    return this.stats.dataLength(this.slot);
  }

  get version(): number {
    return this.stats.version(this.slot);
  }

  get aversion(): number {
    return this.stats.aversion(this.slot);
  }

  /** Counts creates. Past 2^31 pending ones still count, so that names match Apache's. */
  get cversion(): number {
    return this.pendingCversion ?? this.stats.cversion(this.slot);
  }

  get ephemeralOwner(): bigint {
    return this.stats.hasOwner(this.slot) ? this.stats.ephemeralOwner(this.slot) : 0n;
  }
}
