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
import type { DataTree, TreeListener } from '../tree/data-tree.js';
import type { Znode } from '../tree/znode.js';

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

  created(path: string, node: Znode, parent: Znode, zxid: bigint): void {
    const { tree } = this.state;
    this.recordWrite(path, tree.dataLength(node));
    this.countTtl(node, 'ttl_node_created_count');
    this.fireData(path, tree.aclOf(node), EventType.NodeCreated, zxid);
    this.fireChildren(tree, parent, zxid);
  }

  dataChanged(path: string, node: Znode, zxid: bigint): void {
    const { tree } = this.state;
    this.recordWrite(path, tree.dataLength(node));
    this.fireData(path, tree.aclOf(node), EventType.NodeDataChanged, zxid);
  }

  deleted(path: string, node: Znode, parent: Znode, zxid: bigint): void {
    const { tree } = this.state;
    this.recordWrite(path, 0);
    this.countTtl(node, 'ttl_node_deleted_count');
    this.fireDeletion(path, tree.aclOf(node), zxid);
    this.fireChildren(tree, parent, zxid);
  }

  private recordWrite(path: string, bytes: number): void {
    this.state.stats.metrics.writes.record(path, bytes);
  }

  private countTtl(node: Znode, name: (typeof TTL_COUNTERS)[number]): void {
    const { tree } = this.state;
    if (!tree.hasOwner(node)) return;
    const owner = tree.statOf(node).ephemeralOwner;
    const kind = ephemeralTypeOf(owner, tree.options.isTTLEnabled === true);
    if (kind === 'ttl') this.state.stats.count(name);
  }

  /** @param acl of the znode, as it was */
  fireDeletion(path: string, acl: readonly ACL[], zxid: bigint): void {
    const notified = this.fireData(path, acl, EventType.NodeDeleted, zxid);
    const { childWatches } = this.state;
    if (childWatches.pathCount === 0) return;
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

  /**
   * Returns the notified connections, or undefined without data watches.
   * @param acl of the znode
   */
  fireData(
    path: string,
    acl: readonly ACL[],
    type: EventType,
    zxid: bigint,
  ): Set<ClientConnection> | undefined {
    const { dataWatches } = this.state;
    if (dataWatches.pathCount === 0) return undefined;
    const notified = new Set<ClientConnection>();
    dataWatches.trigger(path, false, (connection) => {
      assert(!notified.has(connection), 'watch counts: a watcher is notified twice', path);
      notified.add(connection);
      this.send(connection, type, path, zxid, acl);
    });
    this.countFired(type, notified.size);
    return notified;
  }

  /** @param tree the tree that contains the znode */
  fireChildren(tree: DataTree, node: Znode, zxid: bigint): void {
    const { childWatches } = this.state;
    if (childWatches.pathCount === 0) return;
    const path = tree.pathOf(node);
    const acl = tree.aclOf(node);
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
    if (!this.mayRead(connection, acl) || !this.state.hasRoomForEvent(connection)) return;
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
    const fire = (type: EventType, path: string, node?: Znode): void => {
      if (node !== undefined && !this.mayRead(connection, tree.aclOf(node))) return;
      sendEvent(this.state, connection, eventFrame(type, path, -1n));
    };
    for (const path of watches.data) {
      const node = tree.get(path);
      if (node === undefined) fire(EventType.NodeDeleted, path);
      else if (tree.statOf(node).mzxid > relativeZxid) fire(EventType.NodeDataChanged, path, node);
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
      else if (tree.statOf(node).pzxid > relativeZxid) {
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
  state.addEvent(connection, frame);
  state.stats.metrics.count('watch_bytes', frame.length - 4);
  connection.stats.sent++;
  state.stats.sent++;
}
