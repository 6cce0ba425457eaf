/**
 * The data that a server loads before it serves: tree and sessions, from a snapshot and the log
 * after it. node/storage reads the files.
 */

import { assert } from '../../base/assert.js';
import { DIGEST_VERSION } from '../../files/digest.js';
import { hasOpenAcl, isAsciiPath, type NodePlace, withValidPath } from '../../files/node-place.js';
import { reachOf } from '../../files/recovery.js';
import { readTxn } from '../../files/txn.js';
import { RequestData } from '../../files/txn-data.js';
import { getLong } from '../../jute/long.js';
import type { ACL } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../protocol/perms.js';
import { hex64 } from '../../protocol/zxid.js';
import { DataTree, type DataTreeOptions } from '../tree/data-tree.js';
import type { Znode } from '../tree/znode.js';
import type { SnapshotSums } from './snapshot-sums.js';

export class Database {
  readonly tree: DataTree;
  /** The sessions of the snapshot and of the txns replayed so far, by hex id. */
  readonly sessions = new Map<string, { readonly id: bigint; readonly timeoutMs: number }>();
  /** The ACLs of the snapshot by their keys; complete before its first znode. */
  private readonly acls = new Map<bigint, readonly ACL[]>();

  /** Replayed txns whose digest differs from this tree's: their writer had another tree. */
  digestMismatches = 0;
  /**
   * Digests are compared after this zxid, because a fuzzy snapshot matches no past state. 0 until
   * the end of a snapshot names it.
   */
  compareAfter = 0n;
  /** The digest at the end of the file, of a past tree; null without one. */
  sealed: {
    readonly zxid: bigint;
    readonly version: number;
    readonly digest: bigint | null;
  } | null = null;
  /** The last zxid in the tree, from the end of the file; null without one. */
  reachedZxid: bigint | null = null;
  /** The snapshot is complete, so only txns follow. */
  private isLoaded = false;
  /** The znodes that still lack their sums; null if they are computed here. */
  private unsummed: Znode[] | null = null;

  constructor(options: DataTreeOptions) {
    this.tree = new DataTree(options);
  }

  /** The sums of the znodes come with `finishSnapshot`. */
  omitSums(): void {
    assert(!this.isLoaded && this.unsummed === null, 'replay: sums are left out too late');
    this.unsummed = [];
    this.tree.stopDigesting();
  }

  addSession(id: bigint, timeoutMs: number): void {
    this.sessions.set(hex64(id), { id, timeoutMs });
  }

  addAcl(key: bigint, acl: readonly ACL[]): void {
    this.acls.set(key, acl);
  }

  /**
   * The table lacks the ACL of a znode that changed during the snapshot (ZOOKEEPER-4846). The log
   * has the ACL, so nobody gets access until then.
   */
  addNode(given: NodePlace): void {
    assert(!this.isLoaded, 'replay: a znode after the end of the snapshot');
    const isAscii = isAsciiPath(given);
    const place = isAscii ? given : withValidPath(given);
    const acl = hasOpenAcl(place)
      ? OPEN_ACL_UNSAFE
      : this.acls.get(getLong(place.bytes, place.dataEnd));
    const znode = this.tree.load(place, acl ?? DENY_ALL, isAscii);
    this.unsummed?.push(znode);
  }

  /**
   * @param zxid in the name of the snapshot, which surely contains all txns up to it
   * @param sums of its znodes, after `omitSums`
   */
  finishSnapshot(zxid: bigint, sums?: SnapshotSums): void {
    const { tree, unsummed } = this;
    assert(!this.isLoaded, 'replay: a second snapshot', zxid);
    this.isLoaded = true;
    if (unsummed !== null) {
      assert(sums !== undefined, 'replay: a snapshot without its sums');
      tree.takeSums(unsummed, sums);
      this.unsummed = null;
      tree.startDigesting();
    }
    tree.finishLoading(zxid);
    assert(this.unsummed === null, 'replay: znodes without sums', zxid);
    assert(tree.lastProcessedZxid === zxid, 'zxid order: loaded', zxid, tree.lastProcessedZxid);
  }

  /** Applies the next log entry. @throws JuteError when no release could have written it */
  replay(entry: Buffer): void {
    const { head, txn, digest } = readTxn(entry, RequestData.read);
    const { lastProcessedZxid: last } = this.tree;
    assert(this.isLoaded, 'replay: a txn before the end of the snapshot', head.zxid);
    assert(head.zxid > last, 'zxid order: replayed', head.zxid, last);
    if (txn.type === OpCode.createSession) this.addSession(head.sessionId, txn.timeoutMs);
    this.tree.apply(head, txn);
    assert(this.tree.lastProcessedZxid === head.zxid, 'zxid order: replayed, applied', head.zxid);
    this.tree.noteDigest(head.zxid);
    if (txn.type === OpCode.closeSession) this.sessions.delete(hex64(head.sessionId));
    const isCompared =
      digest !== null && this.tree.isDigestEnabled && head.zxid > this.compareAfter;
    if (!isCompared) return;
    // A match shows that the log has caught up with the fuzzy snapshot.
    if (digest === this.tree.digest.value) this.tree.isFuzzy = false;
    else if (!this.tree.isFuzzy) this.digestMismatches++;
  }

  /**
   * The last txn that the loaded snapshot may contain; null if nothing tells it.
   * @param named the zxid of its name
   */
  reachFrom(named: bigint): bigint | null {
    const { sealed, tree } = this;
    const isExact =
      tree.isDigestEnabled &&
      sealed?.version === DIGEST_VERSION &&
      sealed.digest === tree.digest.value;
    return reachOf(this, named, isExact);
  }

  /** Deletes the ephemerals of sessions that no longer exist (ZooKeeperServer.loadData). */
  removeOrphans(): void {
    assert(this.isLoaded, 'replay: sessions of an unfinished snapshot');
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
      const left = this.tree.ephemeralsOf(head.sessionId).size;
      assert(left === 0, 'replay: ephemerals of a session that does not exist', left);
    }
  }
}

/** Matches no client. */
const DENY_ALL: readonly ACL[] = [{ perms: 0, id: { scheme: 'world', id: 'anyone' } }];
