import { containerOwner, ephemeralTypeOf, ttlOwner } from '../../protocol/create-mode.js';
import type { ACL, StatPersisted } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { parentPath } from '../../protocol/path.js';
import { READ_ACL_UNSAFE } from '../../protocol/perms.js';
import { hex64 } from '../../protocol/zxid.js';
import { assert } from '../assert.js';
import { AclTable, OPEN_ACL_KEY } from './acl-table.js';
import { DataNode, type ZnodeData } from './data-node.js';
import { PathTable } from './path-table.js';
import { StatTable } from './stat-table.js';
import type { CreateNodeTxn, SetDataTxn, Txn, TxnHead } from './txn.js';

/** Told of each change as it is applied, in order: the watches hang on it. */
export interface TreeListener {
  created(node: DataNode, parent: DataNode, zxid: bigint): void;
  deleted(node: DataNode, parent: DataNode, zxid: bigint): void;
  dataChanged(node: DataNode, zxid: bigint): void;
}

const ZERO_STAT: StatPersisted = {
  czxid: 0n,
  mzxid: 0n,
  ctime: 0n,
  mtime: 0n,
  version: 0,
  cversion: 0,
  aversion: 0,
  ephemeralOwner: 0n,
  pzxid: 0n,
};

/**
 * The znodes, and the one place that changes them: `apply`. It never refuses: prep has decided, and
 * a replay over a fuzzy snapshot meets changes that are there already (server.md 3.2), so each one
 * is idempotent. Rules of Stat fields: server.md 2.5.
 */
export class DataTree {
  readonly nodes = new PathTable();
  readonly stats = new StatTable();
  readonly acls = new AclTable();
  readonly root: DataNode;
  /** Paths by owning session, as hex. */
  private readonly ephemerals = new Map<string, Set<string>>();
  readonly containers = new Set<string>();
  readonly ttls = new Set<string>();
  listener: TreeListener | null = null;
  lastProcessedZxid = 0n;
  private readonly isTTLEnabled: boolean;
  private dataSize = 0;
  private ephemeralCount = 0;

  constructor(isTTLEnabled = false) {
    this.isTTLEnabled = isTTLEnabled;
    this.root = this.insert('/', '', OPEN_ACL_KEY, ZERO_STAT);
    // Requests for "" reach the root, and Apache's node count has it twice for that.
    this.nodes.set('', this.root);
  }

  /** /zookeeper and what every server has below it, where a snapshot did not bring it. */
  addReserved(): this {
    for (const path of ['/zookeeper', '/zookeeper/quota', '/zookeeper/config']) {
      if (this.nodes.get(path) !== undefined) continue;
      const isConfig = path === '/zookeeper/config';
      const aclKey = isConfig ? this.acls.acquire(READ_ACL_UNSAFE) : OPEN_ACL_KEY;
      const stat = isConfig ? { ...ZERO_STAT, aversion: -1 } : ZERO_STAT;
      this.addChild(this.parentOf(path), this.insert(path, '', aclKey, stat));
    }
    return this;
  }

  /** As Apache counts: the root twice. */
  get nodeCount(): number {
    return this.nodes.size;
  }

  get ephemeralsCount(): number {
    return this.ephemeralCount;
  }

  get approximateDataSize(): number {
    return this.dataSize;
  }

  get(path: string): DataNode | undefined {
    return this.nodes.get(path);
  }

  aclOf(node: DataNode): readonly ACL[] {
    return this.acls.get(node.aclKey);
  }

  ephemeralsOf(sessionId: bigint): ReadonlySet<string> {
    return this.ephemerals.get(hex64(sessionId)) ?? NO_PATHS;
  }

  *sessionsWithEphemerals(): Generator<[sessionIdHex: string, paths: ReadonlySet<string>]> {
    yield* this.ephemerals;
  }

  /** Applies a txn whole; lastProcessedZxid moves when all of it is done. */
  apply(head: TxnHead, txn: Txn): void {
    if (txn.type === OpCode.multi) {
      // A multi that failed is logged as error sub-txns: it changes nothing.
      if (!txn.txns.some((sub) => sub.type === OpCode.error)) {
        for (const sub of txn.txns) this.applyPart(head, sub);
      }
    } else {
      this.applyPart(head, txn);
    }
    this.finish(head);
  }

  /** The txn of `head` is applied whole. */
  finish(head: TxnHead): void {
    if (head.zxid > this.lastProcessedZxid) this.lastProcessedZxid = head.zxid;
  }

  /** Applies a txn that is no multi, or one part of one; `finish` follows. */
  applyPart(head: TxnHead, txn: Txn): void {
    switch (txn.type) {
      case OpCode.create:
      case OpCode.create2:
      case OpCode.createContainer:
      case OpCode.createTTL:
        this.applyCreate(head, txn);
        break;
      case OpCode.delete:
      case OpCode.deleteContainer:
        this.applyDelete(txn.path, head.zxid);
        break;
      case OpCode.setData:
      case OpCode.reconfig:
        this.applySetData(head, txn);
        break;
      case OpCode.setACL:
        this.applySetACL(txn.path, txn.acl, txn.version);
        break;
      case OpCode.closeSession:
        for (const path of txn.paths) this.applyDelete(path, head.zxid);
        for (const path of [...this.ephemeralsOf(head.sessionId)])
          this.applyDelete(path, head.zxid);
        break;
      case OpCode.createSession:
      case OpCode.check:
      case OpCode.error:
        break;
      case OpCode.multi:
        assert(false, 'a multi inside a multi');
    }
  }

  private applyCreate(head: TxnHead, txn: CreateNodeTxn): void {
    const parent = this.nodes.get(parentPath(txn.path));
    if (parent === undefined) return;
    const existing = this.nodes.get(txn.path);
    this.raiseParent(parent, txn.parentCVersion, head.zxid);
    if (existing !== undefined) {
      this.changeAcl(existing, txn.acl);
      return;
    }
    const node = this.insert(txn.path, txn.data, this.acls.acquire(txn.acl), {
      czxid: head.zxid,
      mzxid: head.zxid,
      ctime: head.time,
      mtime: head.time,
      version: 0,
      cversion: 0,
      aversion: 0,
      ephemeralOwner: ownerOf(head, txn),
      pzxid: head.zxid,
    });
    this.addChild(parent, node);
    this.listener?.created(node, parent, head.zxid);
  }

  /** Guards a replay over a fuzzy snapshot: a parent that is ahead already stays as it is. */
  private raiseParent(parent: DataNode, parentCVersion: number, zxid: bigint): void {
    const current = this.stats.cversion(parent.slot);
    const cversion = parentCVersion === -1 ? current + 1 : parentCVersion;
    if (cversion <= current) return;
    this.stats.setCversion(parent.slot, cversion);
    this.stats.setPzxid(parent.slot, zxid);
  }

  private applyDelete(path: string, zxid: bigint): void {
    const parent = this.nodes.get(parentPath(path));
    if (parent !== undefined && zxid > this.stats.pzxid(parent.slot)) {
      this.stats.setPzxid(parent.slot, zxid);
    }
    const node = this.nodes.get(path);
    if (node === undefined || parent === undefined || node === this.root) return;
    this.remove(node, parent);
    this.listener?.deleted(node, parent, zxid);
    this.stats.release(node.slot);
    this.acls.release(node.aclKey);
  }

  private applySetData(head: TxnHead, txn: SetDataTxn): void {
    const node = this.nodes.get(txn.path);
    if (node === undefined) return;
    const length = lengthOf(txn.data);
    this.dataSize += length - lengthOf(node.data);
    node.data = txn.data;
    this.stats.setData(node.slot, head.zxid, head.time, txn.version, length);
    this.listener?.dataChanged(node, head.zxid);
  }

  private applySetACL(path: string, acl: readonly ACL[], version: number): void {
    const node = this.nodes.get(path);
    if (node === undefined) return;
    this.changeAcl(node, acl);
    this.stats.setAversion(node.slot, version);
  }

  private changeAcl(node: DataNode, acl: readonly ACL[]): void {
    const before = node.aclKey;
    node.aclKey = this.acls.acquire(acl);
    this.acls.release(before);
  }

  /** Puts a znode of a snapshot in place; its parent came before it, and the root ("") is there. */
  load(path: string, data: ZnodeData, acl: readonly ACL[], stat: StatPersisted): void {
    const aclKey = this.acls.acquire(acl);
    if (path !== '' && path !== '/') {
      this.addChild(this.parentOf(path), this.insert(path, data, aclKey, stat));
      return;
    }
    const { root } = this;
    this.dataSize += lengthOf(data) - lengthOf(root.data);
    root.data = data;
    root.aclKey = aclKey;
    this.stats.setStat(root.slot, stat, lengthOf(data), root.numChildren);
  }

  /** A parent before its children, as a snapshot wants them; "" is the root. Bears changes under way. */
  *walk(): Generator<DataNode> {
    const stack: Iterator<DataNode>[] = [[this.root][Symbol.iterator]()];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { value: node, done } = top.next();
      if (done === true) {
        stack.pop();
        continue;
      }
      // A parent that was deleted after it was yielded takes its subtree with it.
      if (this.nodes.get(node.path) !== node) continue;
      yield node;
      if (node.children !== null) stack.push(node.children.values());
    }
  }

  private insert(path: string, data: ZnodeData, aclKey: number, stat: StatPersisted): DataNode {
    const length = lengthOf(data);
    const kind = ephemeralTypeOf(stat.ephemeralOwner, this.isTTLEnabled);
    const shownOwner = kind === 'session' ? stat.ephemeralOwner : 0n;
    const slot = this.stats.allocate(stat, shownOwner, length);
    const node = new DataNode(path, data, aclKey, slot);
    this.nodes.set(path, node);
    this.dataSize += path.length + length;
    if (kind === 'container') this.containers.add(path);
    else if (kind === 'ttl') this.ttls.add(path);
    else if (kind === 'session') this.addEphemeral(stat.ephemeralOwner, path);
    return node;
  }

  private remove(node: DataNode, parent: DataNode): void {
    const { path } = node;
    this.nodes.delete(path);
    this.dataSize -= path.length + lengthOf(node.data);
    parent.children?.delete(node);
    this.stats.setNumChildren(parent.slot, parent.numChildren);
    if (!this.stats.hasOwner(node.slot)) return;
    const owner = this.stats.ephemeralOwner(node.slot);
    const kind = ephemeralTypeOf(owner, this.isTTLEnabled);
    if (kind === 'container') this.containers.delete(path);
    else if (kind === 'ttl') this.ttls.delete(path);
    else if (kind === 'session') this.removeEphemeral(owner, path);
  }

  private addChild(parent: DataNode, child: DataNode): void {
    parent.children ??= new Set();
    parent.children.add(child);
    this.stats.setNumChildren(parent.slot, parent.children.size);
  }

  private parentOf(path: string): DataNode {
    const parent = this.nodes.get(parentPath(path));
    assert(parent !== undefined, `${path} has no parent`);
    return parent;
  }

  private addEphemeral(owner: bigint, path: string): void {
    const key = hex64(owner);
    const paths = this.ephemerals.get(key);
    if (paths === undefined) this.ephemerals.set(key, new Set([path]));
    else paths.add(path);
    this.ephemeralCount++;
  }

  private removeEphemeral(owner: bigint, path: string): void {
    const key = hex64(owner);
    const paths = this.ephemerals.get(key);
    if (paths === undefined || !paths.delete(path)) return;
    if (paths.size === 0) this.ephemerals.delete(key);
    this.ephemeralCount--;
  }
}

const NO_PATHS: ReadonlySet<string> = new Set();

function lengthOf(data: ZnodeData): number {
  return data === null ? 0 : data.length;
}

function ownerOf(head: TxnHead, txn: CreateNodeTxn): bigint {
  if (txn.type === OpCode.createContainer) return containerOwner();
  if (txn.type === OpCode.createTTL) return ttlOwner(txn.ttl);
  return txn.isEphemeral ? head.sessionId : 0n;
}
