import type { ACL } from '../../protocol/data.js';
import type { ZnodeData } from '../tree/data-node.js';
import type { StatTable } from '../tree/stat-table.js';

/**
 * One znode as it will be. Its Stat lies in a table: the tree's own while nothing is outstanding,
 * so that looking costs nothing, else that of the outstanding changes. A change makes a new record,
 * since an older one may have to come back: the records of a path are a stack.
 */
export class ChangeRecord {
  readonly path: string;
  readonly stats: StatTable;
  readonly slot: number;
  data: ZnodeData;
  acl: readonly ACL[];
  childCount: number;
  /** Its part of the tree digest; 0 where none is kept. */
  digest: number;
  /** False once a delete is on its way. */
  isThere = true;
  /** Set where it is another one than the tree will have. */
  pendingCversion: number | null = null;
  /** It makes an ephemeral of a session. */
  isEphemeralCreate = false;
  /** The pending changes of its path before and after it. */
  older: ChangeRecord | null = null;
  newer: ChangeRecord | null = null;

  constructor(
    path: string,
    stats: StatTable,
    slot: number,
    data: ZnodeData,
    acl: readonly ACL[],
    childCount: number,
    digest: number,
  ) {
    this.path = path;
    this.stats = stats;
    this.slot = slot;
    this.data = data;
    this.acl = acl;
    this.childCount = childCount;
    this.digest = digest;
  }

  get version(): number {
    return this.stats.version(this.slot);
  }

  get aversion(): number {
    return this.stats.aversion(this.slot);
  }

  /**
   * As stored: creates only. Past 2^31 creates the tree's stays where it is, and pending ones count
   * on from there; Apache's server gives their names the same numbers.
   */
  get cversion(): number {
    return this.pendingCversion ?? this.stats.cversion(this.slot);
  }

  get ephemeralOwner(): bigint {
    return this.stats.hasOwner(this.slot) ? this.stats.ephemeralOwner(this.slot) : 0n;
  }
}
