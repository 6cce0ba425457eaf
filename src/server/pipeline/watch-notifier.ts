/**
 * Turns changes of the tree into watch events. An event enters a connection's archive when the
 * change is applied, before that write's reply and later reads: no client sees a change before its
 * event. A connection gets no event of a znode that it may not read (CVE-2024-23944).
 */
import { assert } from '../../base/assert.js';
import type { BasicSummaryName, TTL_COUNTERS } from '../../fourlw/base/mntr-keys.js';
import { OutputArchive } from '../../jute/output-archive.js';
import { ephemeralTypeOf } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { Xid } from '../../protocol/op-code.js';
import { Perms } from '../../protocol/perms.js';
import { EventType, KeeperState } from '../../protocol/watch-event.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';
import type { DataNode } from '../tree/data-node.js';
import type { DataTree } from '../tree/data-tree.js';
import type { TreeListener } from '../tree/data-tree-options.js';

/** Summaries of how many watches a change fired. */
const FIRED = new Map<EventType, BasicSummaryName>([
  [EventType.NodeCreated, 'node_created_watch_count'],
  [EventType.NodeDeleted, 'node_deleted_watch_count'],
  [EventType.NodeDataChanged, 'node_changed_watch_count'],
  [EventType.NodeChildrenChanged, 'node_children_watch_count'],
]);

interface EventFrame {
  readonly type: EventType;
  readonly path: string;
  readonly zxid: bigint;
  readonly frame: Buffer;
}

export class WatchNotifier implements TreeListener {
  private readonly state: ServerState;
  /** The frame of the last event: watchers of one change share it. */
  private last: EventFrame = { type: EventType.None, path: '', zxid: 0n, frame: Buffer.alloc(0) };

  constructor(state: ServerState) {
    this.state = state;
  }

  created(node: DataNode, parent: DataNode, zxid: bigint): void {
    this.recordWrite(node);
    this.countTtl(node, 'ttl_node_created_count');
    this.fireData(node, this.state.tree, EventType.NodeCreated, zxid);
    this.fireChildren(parent, this.state.tree, zxid);
  }

  dataChanged(node: DataNode, zxid: bigint): void {
    this.recordWrite(node);
    this.fireData(node, this.state.tree, EventType.NodeDataChanged, zxid);
  }

  private recordWrite({ path, slot }: DataNode): void {
    const { tree, stats } = this.state;
    stats.metrics.writes.record(path, tree.stats.dataLength(slot));
  }

  deleted(node: DataNode, parent: DataNode, zxid: bigint): void {
    const { path } = node;
    this.state.stats.metrics.writes.record(path, 0);
    this.state.stats.metrics.reads.forgetNode(node.slot);
    this.countTtl(node, 'ttl_node_deleted_count');
    this.fireDeletion(node, this.state.tree, zxid);
    this.fireChildren(parent, this.state.tree, zxid);
  }

  private countTtl({ slot }: DataNode, name: (typeof TTL_COUNTERS)[number]): void {
    const { stats, options } = this.state.tree;
    if (!stats.hasOwner(slot)) return;
    const kind = ephemeralTypeOf(stats.ephemeralOwner(slot), options.isTTLEnabled === true);
    if (kind === 'ttl') this.state.stats.count(name);
  }

  /** @param tree the tree that contains the znode, for its ACL */
  fireDeletion(node: DataNode, tree: DataTree, zxid: bigint): void {
    const notified = this.fireData(node, tree, EventType.NodeDeleted, zxid);
    const { childWatches } = this.state;
    if (childWatches.pathCount === 0) return;
    const { path } = node;
    const acl = tree.aclOf(node.slot);
    let fired = 0;
    childWatches.trigger(path, false, (connection) => {
      fired++;
      // A connection gets one event per change, even if it watches both data and children.
      if (notified?.has(connection) !== true) {
        this.send(connection, EventType.NodeDeleted, path, zxid, acl);
      }
    });
    this.countFired(EventType.NodeDeleted, fired);
  }

  /** Returns the notified connections, or undefined without data watches. */
  fireData(
    node: DataNode,
    tree: DataTree,
    type: EventType,
    zxid: bigint,
  ): Set<ClientConnection> | undefined {
    const { dataWatches } = this.state;
    if (dataWatches.pathCount === 0) return undefined;
    const notified = new Set<ClientConnection>();
    const { path } = node;
    const acl = tree.aclOf(node.slot);
    dataWatches.trigger(path, false, (connection) => {
      assert(!notified.has(connection), 'watch counts: a watcher is notified twice', path);
      notified.add(connection);
      this.send(connection, type, path, zxid, acl);
    });
    this.countFired(type, notified.size);
    return notified;
  }

  fireChildren(node: DataNode, tree: DataTree, zxid: bigint): void {
    const { childWatches } = this.state;
    if (childWatches.pathCount === 0) return;
    const { path } = node;
    const acl = tree.aclOf(node.slot);
    let fired = 0;
    childWatches.trigger(path, true, (connection) => {
      fired++;
      this.send(connection, EventType.NodeChildrenChanged, path, zxid, acl);
    });
    this.countFired(EventType.NodeChildrenChanged, fired);
  }

  private countFired(type: EventType, watches: number): void {
    const name = FIRED.get(type);
    if (watches > 0 && name !== undefined) this.state.stats.metrics.record(name, watches);
  }

  private send(
    connection: ClientConnection,
    type: EventType,
    path: string,
    zxid: bigint,
    acl: readonly ACL[],
  ): void {
    if (!this.mayRead(connection, acl)) return;
    sendEvent(this.state, connection, this.frameOf(type, path, zxid));
  }

  private mayRead({ ids }: ClientConnection, acl: readonly ACL[]): boolean {
    return this.state.auth.isAllowed(acl, Perms.READ, ids);
  }

  private frameOf(type: EventType, path: string, zxid: bigint): Buffer {
    const { last } = this;
    if (last.type === type && last.zxid === zxid && last.path === path) return last.frame;
    const frame = eventFrame(type, path, zxid);
    this.last = { type, path, zxid, frame };
    return frame;
  }

  /**
   * Arms the watches that a client sends after a reconnect. Fires those of znodes that changed
   * after `relativeZxid`, the last zxid that the client saw (DataTree.setWatches). As live, a watch
   * ends without an event if the client may not read the znode; in Apache's server it gets one.
   * Yields after each.
   */
  *setWatches(
    connection: ClientConnection,
    relativeZxid: bigint,
    watches: { data: readonly string[]; exist: readonly string[]; child: readonly string[] },
  ): Generator<void, void, undefined> {
    const { tree, dataWatches, childWatches } = this.state;
    const fire = (type: EventType, path: string, node?: DataNode): void => {
      if (node !== undefined && !this.mayRead(connection, tree.aclOf(node.slot))) return;
      sendEvent(this.state, connection, eventFrame(type, path, -1n));
    };
    for (const path of watches.data) {
      const node = tree.get(path);
      if (node === undefined) fire(EventType.NodeDeleted, path);
      else if (tree.stats.mzxid(node.slot) > relativeZxid)
        fire(EventType.NodeDataChanged, path, node);
      else dataWatches.add(path, connection, 1);
      yield;
    }
    for (const path of watches.exist) {
      const node = tree.get(path);
      if (node !== undefined) fire(EventType.NodeCreated, path, node);
      else dataWatches.add(path, connection, 1);
      yield;
    }
    for (const path of watches.child) {
      const node = tree.get(path);
      if (node === undefined) fire(EventType.NodeDeleted, path);
      else if (tree.stats.pzxid(node.slot) > relativeZxid) {
        fire(EventType.NodeChildrenChanged, path, node);
      } else childWatches.add(path, connection, 1);
      yield;
    }
  }
}

/** Watchers of one change share its frame. */
function eventFrame(type: EventType, path: string, zxid: bigint): Buffer {
  const out = new OutputArchive();
  const start = out.skip(4);
  out.writeInt(Xid.notification);
  out.writeLong(zxid);
  out.writeInt(0);
  out.writeInt(type);
  out.writeInt(KeeperState.SyncConnected);
  out.writeString(path);
  out.patchInt(start, out.length - start - 4);
  return out.take();
}

function sendEvent(state: ServerState, connection: ClientConnection, frame: Buffer): void {
  if (connection.phase !== 'open') return;
  connection.out.writeShared(frame);
  state.stats.metrics.count('watch_bytes', frame.length - 4);
  connection.stats.sent++;
  state.stats.sent++;
  state.markEventPending(connection);
}
