/** Makes a snapshot from an older one and the txns since, without the tree. */

import { assert } from '../../base/assert.js';
import {
  DIGEST_STAT_SIZE,
  DIGEST_VERSION,
  nodeDigest,
  orderPersisted,
  TreeDigest,
} from '../../files/digest.js';
import { decodeNode, placeDigest } from '../../files/node-place.js';
import {
  OPEN_ACL_KEY,
  type SnapshotDigest,
  type SnapshotNode,
  type SnapshotSession,
  type SnapshotSource,
} from '../../files/snapshot.js';
import type { SnapshotItem, SnapshotReader } from '../../files/snapshot-reader.js';
import { STAT_PERSISTED_SIZE } from '../../protocol/data.js';
import { hex64 } from '../../protocol/zxid.js';
import {
  type KeyOf,
  keysOf,
  type MergedNode,
  NO_KEY,
  type SnapshotChanges,
} from './snapshot-changes.js';
import type { ExactContent } from './snapshot-content.js';
import { UnchangedNodes } from './unchanged-nodes.js';

export interface MergeResult extends ExactContent {
  readonly zxid: bigint;
  readonly sessions: readonly SnapshotSession[];
  readonly isLastZxidWritten: boolean;
}

const RESERVED = '/zookeeper/';

export class SnapshotMerge implements SnapshotSource {
  readonly zxid: bigint;
  readonly sessions: MergeResult['sessions'];
  readonly acls: MergeResult['acls'];
  readonly nodes: Iterable<SnapshotNode | Buffer | null>;
  readonly lastProcessedZxid: bigint | undefined;
  /** The next node needs more of the old snapshot; the caller pushes it, then asks again. */
  needsInput = false;
  private readonly result: MergeResult;
  private readonly reader: SnapshotReader;
  private readonly changes: SnapshotChanges;
  private readonly keyOf: KeyOf;
  /** The keys of ACLs in the new snapshot, by those in the old one. */
  private readonly keys = new Map([[OPEN_ACL_KEY, OPEN_ACL_KEY]]);
  private readonly unchanged: UnchangedNodes;
  /** The reader's last node may be a changed one, and was not written yet. */
  private isAtChange = false;
  /** All nodes were written. */
  private isComplete = false;
  /** The sum of the digests of the nodes written so far. */
  private readonly digested = new TreeDigest();
  private readonly ordered = Buffer.alloc(DIGEST_STAT_SIZE);

  constructor(result: MergeResult, reader: SnapshotReader, changes: SnapshotChanges) {
    this.zxid = result.zxid;
    this.sessions = result.sessions;
    this.acls = result.acls;
    this.lastProcessedZxid = result.isLastZxidWritten ? result.zxid : undefined;
    this.result = result;
    this.reader = reader;
    this.changes = changes;
    this.keyOf = keysOf(result.acls);
    this.unchanged = new UnchangedNodes(changes, this.keys);
    this.nodes = this.merge();
  }

  /** Read after the last node. */
  get digest(): SnapshotDigest {
    const { digested, zxid, result } = this;
    assert(this.isComplete, 'snapshot merge: the digest of a part', zxid);
    const { digest } = result;
    if (digested.value === digest) return { zxid, version: DIGEST_VERSION, digest };
    throw new Error(`the digest would be ${digested} (expected 0x${hex64(digest)})`);
  }

  private *merge(): Generator<SnapshotNode | Buffer | null> {
    for (;;) {
      const run = this.takeUnchanged();
      if (run !== null) yield run;
      if (this.isAtChange) {
        yield* this.merged(decodeNode(this.reader.node));
        continue;
      }
      const item = this.reader.next();
      if (item.kind === 'end') break;
      if (item.kind === 'need-more') yield* this.waitForInput();
      // Only the root: the reader had to find the start of the nodes.
      else if (item.kind === 'node') yield* this.merged(item);
      else this.takeOther(item);
    }
    for (const node of this.changes.created(this.keyOf)) yield* this.counted(node);
    yield* this.result.reserved;
    this.isComplete = true;
  }

  private *waitForInput(): Generator<null> {
    assert(!this.isAtChange, 'snapshot merge: a changed node was left out', this.zxid);
    this.needsInput = true;
    yield null;
    this.needsInput = false;
  }

  /** Takes a run of unchanged nodes; null if the next one changed. */
  private takeUnchanged(): Buffer | null {
    const { reader, unchanged, digested } = this;
    const { node } = reader;
    let from = -1;
    let to = 0;
    for (;;) {
      this.isAtChange = reader.skipNode();
      if (!this.isAtChange || !unchanged.has(node)) break;
      digested.add(placeDigest(node));
      if (from < 0) from = node.start;
      else assert(node.start === to, 'snapshot merge: a gap in a run of nodes', node.start, to);
      to = node.end;
    }
    if (from < 0) return null;
    assert(from < to, 'snapshot merge: an empty run of nodes', from, to);
    return node.bytes.subarray(from, to);
  }

  private takeOther(item: SnapshotItem): void {
    if (item.kind === 'acl') this.keys.set(item.key, this.keyOf(item.acl));
    if (item.kind === 'invalid') throw new Error(`at offset ${item.offset}: ${item.reason}`);
  }

  private *merged(node: MergedNode): Generator<MergedNode> {
    const aclKey = this.keys.get(BigInt(node.aclKey)) ?? NO_KEY;
    const merged = this.changes.merge({ ...node, aclKey }, this.keyOf);
    if (merged !== null) yield* this.counted(merged);
  }

  private *counted(node: MergedNode): Generator<MergedNode> {
    if (node.path.startsWith(RESERVED)) return;
    const { length } = node.stat;
    assert(length === STAT_PERSISTED_SIZE, 'snapshot merge: the size of a Stat', length);
    if (node.aclKey === NO_KEY) throw new Error(`${node.path}: unknown ACL`);
    orderPersisted(node.stat, this.ordered);
    this.digested.add(nodeDigest(node.path, node.data, this.ordered));
    yield node;
  }
}
