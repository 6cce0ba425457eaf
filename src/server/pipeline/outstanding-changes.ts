/**
 * What the tree will be once every proposed write is committed: prep decides against this, not
 * against the tree, or two writes in flight would both see the version before them. A record stands
 * until the txn that made it is applied (PrepRequestProcessor's outstandingChanges).
 */
import type { ACL, StatPersisted } from '../../protocol/data.js';
import { hex64 } from '../../protocol/zxid.js';
import type { ZnodeData } from '../tree/data-node.js';
import type { DataTree } from '../tree/data-tree.js';

/**
 * One znode as it will be, its Stat included. A change makes a new record: an older one may have to
 * come back.
 */
export interface ChangeRecord extends StatPersisted {
  readonly path: string;
  /** False once a delete is on its way. */
  readonly isThere: boolean;
  readonly childCount: number;
  readonly acl: readonly ACL[];
  readonly data: ZnodeData;
  /** Its part of the tree digest; 0 where none is kept. */
  digest: number;
}

/** What a failed multi takes back. */
export type Undo = { readonly path: string; readonly before: ChangeRecord | undefined }[];

export class OutstandingChanges {
  private readonly tree: DataTree;
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
    const stat = stats.persisted(node.slot);
    return {
      path,
      isThere: true,
      childCount: node.numChildren,
      acl: this.tree.aclOf(node),
      data: node.data,
      digest: stats.digest(node.slot),
      czxid: stat.czxid,
      mzxid: stat.mzxid,
      ctime: stat.ctime,
      mtime: stat.mtime,
      version: stat.version,
      cversion: stat.cversion,
      aversion: stat.aversion,
      ephemeralOwner: stat.ephemeralOwner,
      pzxid: stat.pzxid,
    };
  }

  put(record: ChangeRecord): ChangeRecord {
    this.undo?.push({ path: record.path, before: this.records.get(record.path) });
    this.records.set(record.path, record);
    return record;
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

  rollBack(undo: Undo): void {
    for (const { path, before } of undo.reverse()) {
      const record = this.records.get(path);
      if (before !== undefined) {
        this.records.set(path, before);
      } else if (record !== undefined) {
        this.records.delete(path);
        if (record.ephemeralOwner !== 0n) this.forgetEphemeral(record);
      }
    }
  }

  /** The txn that made these records is applied: the tree says it all now. */
  settle(records: readonly ChangeRecord[]): void {
    for (const record of records) {
      if (this.records.get(record.path) === record) this.records.delete(record.path);
      if (record.ephemeralOwner !== 0n) this.forgetEphemeral(record);
    }
  }

  private forgetEphemeral({ ephemeralOwner, path }: ChangeRecord): void {
    const key = hex64(ephemeralOwner);
    const paths = this.creating.get(key);
    if (paths?.delete(path) && paths.size === 0) this.creating.delete(key);
  }
}
