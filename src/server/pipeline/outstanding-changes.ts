/**
 * What the tree will be once every proposed write is committed: prep decides against this, not
 * against the tree, or two writes in flight would both see the version before them. A record stands
 * until the txn that made it is applied (PrepRequestProcessor's outstandingChanges).
 */
import type { ACL } from '../../protocol/data.js';
import { hex64 } from '../../protocol/zxid.js';
import type { ZnodeData } from '../tree/data-node.js';
import type { DataTree } from '../tree/data-tree.js';
import { StatTable } from '../tree/stat-table.js';
import { ChangeRecord } from './change-record.js';

/** What a failed multi takes back. */
export type Undo = { readonly path: string; readonly before: ChangeRecord | undefined }[];

export class OutstandingChanges {
  private readonly tree: DataTree;
  private readonly stats = new StatTable();
  private readonly records = new Map<string, ChangeRecord>();
  /** Paths of ephemerals that are being created, by owner, so that a close finds them. */
  private readonly creating = new Map<string, Set<string>>();
  /** While a multi is prepared: what it replaced. */
  undo: Undo | null = null;

  constructor(tree: DataTree) {
    this.tree = tree;
  }

  get size(): number {
    return this.records.size;
  }

  /** The znode as it will be, or undefined when there will be none. */
  get(path: string): ChangeRecord | undefined {
    const record = this.records.get(path);
    if (record !== undefined) return record.isThere ? record : undefined;
    const node = this.tree.get(path);
    if (node === undefined) return undefined;
    const { stats } = this.tree;
    const { slot } = node;
    const acl = this.tree.aclOf(node);
    return new ChangeRecord(
      path,
      stats,
      slot,
      node.data,
      acl,
      node.numChildren,
      stats.digest(slot),
    );
  }

  /** A copy of a record, to be changed and then put. */
  copy({ path, stats, slot, data, acl, childCount, digest }: ChangeRecord): ChangeRecord {
    const copied = this.stats.allocateCopy(stats, slot);
    return new ChangeRecord(path, this.stats, copied, data, acl, childCount, digest);
  }

  /**
   * A znode that is made, to be put.
   * @param crc of path and data
   * @param owner as stored: a session or a mark
   */
  make(
    path: string,
    data: ZnodeData,
    crc: number,
    acl: readonly ACL[],
    owner: bigint,
    { zxid, time }: { zxid: bigint; time: bigint },
  ): ChangeRecord {
    const slot = this.stats.allocateNew(zxid, time, owner);
    this.stats.setContentCrc(slot, crc);
    return new ChangeRecord(path, this.stats, slot, data, acl, 0, 0);
  }

  put(record: ChangeRecord): void {
    this.undo?.push({ path: record.path, before: this.records.get(record.path) });
    this.records.set(record.path, record);
  }

  /** Remembers an ephemeral being created for `owner`. */
  noteEphemeral(owner: bigint, path: string): void {
    const key = hex64(owner);
    const paths = this.creating.get(key);
    if (paths === undefined) this.creating.set(key, new Set([path]));
    else paths.add(path);
  }

  /** The ephemerals that `owner` will have, for the txn that closes its session. */
  ephemeralsOf(owner: bigint): string[] {
    const paths = new Set(this.tree.ephemeralsOf(owner));
    for (const path of this.creating.get(hex64(owner)) ?? []) paths.add(path);
    return [...paths].filter((path) => this.get(path)?.ephemeralOwner === owner);
  }

  /** Takes back what a multi that failed had put. */
  rollBack(undo: Undo, records: readonly ChangeRecord[]): void {
    for (const { path, before } of undo.reverse()) {
      if (before === undefined) this.records.delete(path);
      else this.records.set(path, before);
    }
    for (const record of records) this.free(record, this.get(record.path) === undefined);
  }

  /** The txn that made these records is applied: the tree says it all now. */
  settle(records: readonly ChangeRecord[]): void {
    for (const record of records) {
      const { path } = record;
      // A later txn's record, when there is one, will say what the digest is by then.
      if (this.records.get(path) === record) {
        this.records.delete(path);
        this.tree.adoptDigest(path, record.digest, this.stats.contentCrc(record.slot));
      }
      this.free(record, true);
    }
  }

  private free(record: ChangeRecord, isCreationOver: boolean): void {
    if (isCreationOver && this.stats.hasOwner(record.slot)) this.forgetEphemeral(record);
    this.stats.release(record.slot);
  }

  private forgetEphemeral({ ephemeralOwner, path }: ChangeRecord): void {
    const key = hex64(ephemeralOwner);
    const paths = this.creating.get(key);
    if (paths?.delete(path) && paths.size === 0) this.creating.delete(key);
  }
}
