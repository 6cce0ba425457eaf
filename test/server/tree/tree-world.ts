import type { CreateNodeTxn, Txn } from '../../../src/files/txn.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { type ACL, StatRecord } from '../../../src/protocol/data.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { DataTree, type DataTreeOptions } from '../../../src/server/tree/data-tree.js';

export interface CreateOptions {
  readonly type?: CreateNodeTxn['type'];
  readonly data?: string | null;
  readonly acl?: readonly ACL[];
  readonly isEphemeral?: boolean;
  readonly parentCVersion?: number;
  readonly ttl?: bigint;
}

/** A create as prep makes it, but for a parentCVersion of -1: "one more than it is". */
export function createTxn(path: string, options: CreateOptions = {}): CreateNodeTxn {
  return {
    type: OpCode.create,
    path,
    data: null,
    acl: OPEN_ACL_UNSAFE,
    isEphemeral: false,
    parentCVersion: -1,
    ttl: 0n,
    ...options,
  };
}

export function deleteTxn(path: string): Txn {
  return { type: OpCode.delete, path };
}

export function setDataTxn(path: string, data: string | null, version: number): Txn {
  return { type: OpCode.setData, path, data, version };
}

/** A tree, and txns that get the next zxid; their time is 1000 times the zxid. */
export class TreeWorld {
  readonly tree: DataTree;
  private zxid = 0n;

  constructor(options: DataTreeOptions = {}) {
    this.tree = new DataTree(options);
    this.tree.finishLoading(0n);
  }

  /** @returns the zxid */
  apply(txn: Txn, sessionId = 0x5n): bigint {
    this.zxid++;
    this.replay(this.zxid, txn, sessionId);
    return this.zxid;
  }

  replay(zxid: bigint, txn: Txn, sessionId = 0x5n): void {
    this.tree.apply({ sessionId, cxid: 1, zxid, time: zxid * 1000n }, txn);
  }

  create(path: string, options?: CreateOptions, sessionId?: bigint): bigint {
    return this.apply(createTxn(path, options), sessionId);
  }

  /** The StatRecord as a client sees it; undefined without a znode. */
  stat(path: string): StatRecord | undefined {
    const node = this.tree.get(path);
    if (node === undefined) return undefined;
    const out = new OutputArchive();
    this.tree.writeStat(out, node);
    return StatRecord.decode(out.take());
  }

  paths(): string[] {
    return [...this.tree.paths()];
  }

  /** All that a client could see, as text: what two trees are compared by. */
  dump(): string[] {
    const own = [...this.tree.walk()].map((node) => {
      const path = this.tree.pathOf(node);
      const stat = Object.values(this.stat(path) ?? {}).join(' ');
      const acl = this.tree.aclOf(node).map(({ perms, id }) => `${perms}:${id.scheme}:${id.id}`);
      return `${path} ${JSON.stringify(this.tree.dataOf(node))} ${stat} ${acl.join()}`;
    });
    return own.sort();
  }
}
