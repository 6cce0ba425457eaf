import { parseSnapshotName } from '../../src/files/file-names.js';
import { SnapshotReader } from '../../src/files/snapshot-reader.js';
import { feedSnapshot } from '../../src/server/persistence/feed-snapshot.js';
import { Database } from '../../src/server/persistence/replay.js';
import type { DataTree } from '../../src/server/tree/data-tree.js';
import type { Znode } from '../../src/server/tree/znode.js';
import type { Ledger } from './ledger.js';
import {
  isJudged,
  type NaiveState,
  type Sessions,
  storedStat,
  textOfNode,
  textOfVersion,
  type Version,
} from './naive-state.js';
import { contentOf, MAX_ENTRY_LENGTH } from './nodes/stored-zxid.js';
import { hex, Violation } from './violation.js';

/** A tree and its sessions: of a server, of its disk, or of a snapshot. */
export interface Found {
  readonly tree: DataTree;
  readonly sessions: Sessions;
}

/** A snapshot, its zxid, and the last txn that it may contain. */
interface Span {
  readonly what: string;
  readonly zxid: bigint;
  readonly reached: bigint;
}

/** Compares whole trees and sessions with those that the committed txns make. */
export class StateChecks {
  private readonly ledger: Ledger;
  private readonly state: NaiveState;
  compared = 0;
  snapshots = 0;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
    this.state = ledger.state;
  }

  /**
   * Each znode with its data, ACL, and Stat, and each session with its timeout. A learner may know
   * more sessions than its txns opened.
   */
  compare(name: string, { tree, sessions }: Found, mayHaveMore = false): void {
    const zxid = tree.lastProcessedZxid;
    if (this.ledger.znodes.isUnseenBetween(zxid, zxid)) return;
    this.compared++;
    const seen = new Set<string>();
    for (const node of tree.walk()) {
      const path = tree.pathOf(node);
      seen.add(path);
      if (!isJudged(path) || this.isLeftCount(path, zxid)) continue;
      const stat = storedStat(tree, node);
      const text = textOfNode(tree.dataOf(node), tree.aclOf(node), stat, stat.ephemeralOwner);
      const version = this.state.versionAt(path, zxid);
      this.same(`${name}: ${path} at ${hex(zxid)}`, text, textOfVersion(version));
      const numChildren = tree.numChildren(node);
      this.same(`${name}: children of ${path} at ${hex(zxid)}`, numChildren, version?.numChildren);
    }
    for (const path of this.state.paths) {
      if (seen.has(path) || !isJudged(path)) continue;
      const version = this.state.versionAt(path, zxid);
      this.same(`${name}: ${path} at ${hex(zxid)}`, 'no znode', textOfVersion(version));
    }
    this.compareSessions({ what: name, zxid, reached: zxid }, sessions, mayHaveMore);
  }

  /**
   * Whether it counts for a quota whose limits were deleted, also if they exist again. A start
   * counts the znodes then, and nothing else does, so members may differ, as with Apache's.
   */
  private isLeftCount(path: string, zxid: bigint): boolean {
    if (!path.endsWith('/zookeeper_stats')) return false;
    const made = this.state.versionAt(path, zxid)?.node?.czxid ?? zxid;
    const limits = path.replace(/stats$/, 'limits');
    return this.state.versionsBetween(limits, made, zxid).some(({ node }) => node === null);
  }

  /** A session that was closed up to `reached` may be absent: the log has its close. */
  private compareSessions(
    { what: name, zxid, reached }: Span,
    sessions: Sessions,
    mayHaveMore: boolean,
  ): void {
    const found = new Map([...sessions].map(({ id, timeoutMs }) => [id, timeoutMs]));
    for (const [id, timeoutMs] of found) {
      const span = this.state.sessionAt(id, zxid);
      if (span === undefined && mayHaveMore) continue;
      this.same(`${name}: session ${hex(id)} at ${hex(zxid)}`, timeoutMs, span?.timeoutMs);
    }
    for (const id of this.state.sessions.keys()) {
      if (found.has(id) || this.state.sessionAt(id, zxid) === undefined) continue;
      if (this.state.sessionAt(id, reached) === undefined) continue;
      throw new Violation(`${name}: lacks the session ${hex(id)} at ${hex(zxid)}`);
    }
  }

  private same(what: string, found: unknown, expected: unknown): void {
    if (found !== expected) throw new Violation(`${what}: ${found} (expected ${expected})`);
  }

  /**
   * Its data of the start. Txns that are not committed may be among them. A process that ends
   * between a SNAP and the txns after it has a snapshot that shows some of them already.
   */
  recovered(name: string, found: Found): void {
    const { lastProcessedZxid: zxid, isFuzzy } = found.tree;
    if (!this.ledger.knows(zxid)) return;
    if (!isFuzzy) this.compare(name, found);
    else this.between({ what: name, zxid, reached: this.ledger.last }, found);
  }

  /**
   * A snapshot is written while its tree changes: each znode is as it was at its zxid, or later.
   * None that is younger is in it, and none that always existed is missing.
   * @param reached the last txn of the tree when the snapshot was complete
   */
  written(name: string, file: string, bytes: Buffer, reached: bigint): void {
    const { zxid = -1n, compression = 'none' } = parseSnapshotName(file) ?? {};
    if (!this.ledger.knows(zxid) || !this.ledger.knows(reached)) return;
    this.snapshots++;
    const what = `${name}: ${file}`;
    this.between({ what, zxid, reached }, load(what, contentOf(bytes, compression)));
  }

  private between(span: Span, { tree, sessions }: Found): void {
    const { what, zxid, reached } = span;
    if (this.ledger.znodes.isUnseenBetween(zxid, reached)) return;
    const seen = new Set<string>();
    for (const node of tree.walk()) {
      const path = tree.pathOf(node);
      seen.add(path);
      // A load counts the znodes below a quota again.
      const isCounted = path.endsWith('/zookeeper_stats');
      if (isJudged(path) && !isCounted) this.nodeBetween(tree, node, span);
    }
    for (const path of this.state.paths) {
      const versions = this.state.versionsBetween(path, zxid, reached);
      const isOld = ({ node }: Version) => node !== null && node.czxid <= zxid;
      const isKept = versions.length > 0 && versions.every(isOld);
      if (isKept && isJudged(path) && !seen.has(path)) throw new Violation(`${what} lacks ${path}`);
    }
    this.compareSessions(span, sessions, true);
  }

  /** As it was at the zxid of the snapshot, or later while it was written. */
  private nodeBetween(tree: DataTree, node: Znode, { what, zxid, reached }: Span): void {
    const path = tree.pathOf(node);
    const stat = storedStat(tree, node);
    if (stat.czxid > zxid) throw new Violation(`${what} has the younger ${path}`);
    const versions = this.state.versionsBetween(path, zxid, reached);
    const data = tree.dataOf(node);
    const acl = tree.aclOf(node);
    // The table of ACLs was written before a change.
    const isDenied = versions.length > 1 && acl.every(({ perms }) => perms === 0);
    const isAny = versions.some(({ node: known }) => {
      if (known === null) return false;
      const text = textOfNode(data, isDenied ? known.acl : acl, stat, stat.ephemeralOwner);
      return text === textOfNode(known.data, known.acl, known, known.owner);
    });
    if (isAny) return;
    const expected = versions.map(textOfVersion).join(' or ');
    const found = textOfNode(data, acl, stat, stat.ephemeralOwner);
    throw new Violation(`${what} has ${path} ${found} (expected ${expected})`);
  }
}

function load(name: string, bytes: Buffer): Found {
  const database = new Database({ isTTLEnabled: true });
  const reader = new SnapshotReader(MAX_ENTRY_LENGTH);
  reader.push(bytes);
  reader.end();
  const fed = feedSnapshot(database, reader);
  if (fed.kind !== 'end') throw new Violation(`${name}: it cannot be read (${fed.kind})`);
  database.finishSnapshot(0n);
  return { tree: database.tree, sessions: [...database.sessions.values()] };
}
