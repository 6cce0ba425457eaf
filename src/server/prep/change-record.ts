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
  /** The znode in the tree; null until the create is applied. */
  node: DataNode | null;
  readonly stats: StatTable;
  readonly slot: number;
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
