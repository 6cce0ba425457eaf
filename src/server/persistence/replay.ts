/**
 * What a server knows before it serves: the tree and the sessions, from a snapshot and the log
 * entries behind it. Pure: the bytes come from node/data-dir.
 */
import type { ACL } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../protocol/perms.js';
import { hex64 } from '../../protocol/zxid.js';
import { toZnodeData } from '../tree/data-node.js';
import { DataTree, type DataTreeOptions } from '../tree/data-tree.js';
import { readTxn } from '../tree/txn.js';
import { OPEN_ACL_KEY } from './snapshot.js';

export class Database {
  readonly tree: DataTree;
  /** By id as hex. */
  readonly sessions = new Map<string, { readonly id: bigint; readonly timeoutMs: number }>();
  /** The ACLs of the snapshot being loaded, by its keys. */
  private readonly acls = new Map<bigint, readonly ACL[]>();

  /** Txns whose digest is not the one this tree has: it is not the tree their writer had. */
  digestMismatches = 0;
  /** Digests are compared behind it: a fuzzy snapshot is no tree that ever was. */
  compareAfter = 0n;
  /** What the file says of itself: the digest of a tree that was, and how far the tree had come. */
  sealed: {
    readonly zxid: bigint;
    readonly version: number;
    readonly digest: bigint | null;
  } | null = null;
  reachedZxid: bigint | null = null;

  constructor(options: DataTreeOptions) {
    this.tree = new DataTree(options);
  }

  addSession(id: bigint, timeoutMs: number): void {
    this.sessions.set(hex64(id), { id, timeoutMs });
  }

  addAcl(key: bigint, acl: readonly ACL[]): void {
    this.acls.set(key, acl);
  }

  /**
   * A key that the table lacks belongs to a znode made, or an ACL set, while the snapshot was being
   * written (ZOOKEEPER-4846): the log behind it says which ACL, so nobody may do anything till
   * then.
   * @param stat the 60 bytes of its StatPersisted
   */
  addNode(path: string, data: Buffer | null, aclKey: bigint, stat: Buffer): void {
    const acl = aclKey === OPEN_ACL_KEY ? OPEN_ACL_UNSAFE : this.acls.get(aclKey);
    this.tree.load(path, toZnodeData(data), acl ?? NOBODY, stat);
  }

  /** The snapshot is whole: its name says which txns it surely holds. */
  finishSnapshot(zxid: bigint): void {
    this.tree.finishLoading(zxid);
  }

  /**
   * Applies the entry of a log that comes behind the last one.
   * @throws JuteError when no release could have written it
   */
  replay(entry: Buffer): void {
    const { head, txn, digest } = readTxn(entry);
    if (txn.type === OpCode.createSession) this.addSession(head.sessionId, txn.timeoutMs);
    this.tree.apply(head, txn);
    this.tree.noteDigest(head.zxid);
    if (txn.type === OpCode.closeSession) this.sessions.delete(hex64(head.sessionId));
    const isCompared =
      digest !== null && this.tree.isDigestEnabled && head.zxid > this.compareAfter;
    if (!isCompared) return;
    // One that fits says that all which the snapshot showed too early has come.
    if (digest === this.tree.digest.value) this.tree.isFuzzy = false;
    else if (!this.tree.isFuzzy) this.digestMismatches++;
  }

  /** Removes the ephemerals of sessions that are no more (ZooKeeperServer.loadData). */
  removeOrphans(): void {
    const orphans = [...this.tree.sessionsWithEphemerals()].filter(
      ([id]) => !this.sessions.has(id),
    );
    for (const [id, paths] of orphans) {
      const head = {
        sessionId: BigInt.asIntN(64, BigInt(`0x${id}`)),
        cxid: 0,
        zxid: this.tree.lastProcessedZxid,
        time: 0n,
      };
      this.tree.apply(head, { type: OpCode.closeSession, paths: [...paths] });
    }
  }
}

/** An ACL that no id matches. */
const NOBODY: readonly ACL[] = [{ perms: 0, id: { scheme: 'world', id: 'anyone' } }];
