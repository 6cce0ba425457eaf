/**
 * Answers reads from the applied tree, in the turn they arrive or after the pending writes of their
 * session. A watch is armed in the same step as its read, so it misses no change. Rules:
 * docs/protocol.md (FinalRequestProcessor).
 */
import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { ustring } from '../../jute/record.js';
import { ACLVector } from '../../protocol/data.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode } from '../../protocol/op-code.js';
import { Perms } from '../../protocol/perms.js';
import {
  GetEphemeralsResponse,
  SetWatches,
  SetWatches2,
  WhoAmIResponse,
} from '../../protocol/proto.js';
import { AddWatchMode, WatcherType } from '../../protocol/watch-event.js';
import { STAT_SIZE } from '../metrics/metrics.js';
import { maskDigests, shownUser } from '../session/auth.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';
import { WatchMode } from '../state/watch-manager.js';
import type { DataTree } from '../tree/data-tree.js';
import { NO_SLOT } from '../tree/path-table.js';
import { countBelow } from '../tree/walk.js';
import { beginReply, endReply } from './reply.js';
import type { WatchNotifier } from './watch-notifier.js';

export class ReadProcessor {
  private readonly state: ServerState;
  private readonly notifier: WatchNotifier;

  constructor(state: ServerState, notifier: WatchNotifier) {
    this.state = state;
    this.notifier = notifier;
  }

  process(connection: ClientConnection, xid: number, type: number, input: InputArchive): void {
    // Events of setWatches precede its reply, so it opens the reply itself.
    if (type === OpCode.setWatches || type === OpCode.setWatches2) {
      this.setWatches(connection, xid, type, input);
      return;
    }
    const start = beginReply(connection, xid);
    let err: ErrorCode;
    try {
      err = this.answer(connection, type, input);
    } catch (error) {
      if (!(error instanceof JuteError)) throw error;
      err = ErrorCode.MARSHALLINGERROR;
    }
    endReply(this.state, connection, start, err);
  }

  /** Writes the body, which is dropped if an error is returned. */
  private answer(connection: ClientConnection, type: number, input: InputArchive): ErrorCode {
    switch (type) {
      case OpCode.getData:
        return this.getData(connection, input);
      case OpCode.exists:
        return this.exists(connection, input);
      case OpCode.getChildren:
      case OpCode.getChildren2:
        return this.getChildren(connection, type, input);
      case OpCode.ping:
        return ErrorCode.OK;
      case OpCode.sync:
        connection.out.writeString(ustring.read(input));
        return ErrorCode.OK;
      case OpCode.getACL:
        return this.getACL(connection, input);
      case OpCode.getAllChildrenNumber:
        return this.getAllChildrenNumber(connection, input);
      case OpCode.getEphemerals:
        return this.getEphemerals(connection, input);
      case OpCode.whoAmI:
        return this.whoAmI(connection);
      case OpCode.addWatch:
        return this.addWatch(connection, input);
      case OpCode.checkWatches:
      case OpCode.removeWatches:
        return this.findWatches(connection, type, input);
      case OpCode.multiRead:
        return this.multiRead(connection, input);
      default:
        return ErrorCode.UNIMPLEMENTED;
    }
  }

  private getData(connection: ClientConnection, input: InputArchive, mayWatch = true): ErrorCode {
    const { tree } = this.state;
    const start = input.at;
    const slot = tree.nodes.read(input);
    const isNameless = input.at === start + 4;
    const isWatching = input.readBool() && mayWatch;
    if (slot === NO_SLOT) return ErrorCode.NONODE;
    if (!this.mayRead(connection, slot)) return ErrorCode.NOAUTH;
    const { stats, content } = tree;
    this.state.stats.metrics.reads.recordNode(slot, content, STAT_SIZE + stats.dataLength(slot));
    content.writeData(connection.out, slot);
    stats.writeStat(connection.out, slot);
    if (isWatching) {
      // "" means the root, but is not the path that changes of the root have.
      const path = isNameless ? '' : content.keptPathOf(slot);
      this.state.dataWatches.add(path, connection, WatchMode.STANDARD);
    }
    return ErrorCode.OK;
  }

  /** The watch is armed even if the znode does not exist. */
  private exists(connection: ClientConnection, input: InputArchive): ErrorCode {
    const path = ustring.read(input);
    const isWatching = input.readBool();
    if (path.includes('\0')) return ErrorCode.BADARGUMENTS;
    const { stats, content, nodes } = this.state.tree;
    const slot = nodes.get(path);
    if (slot !== NO_SLOT && !this.mayRead(connection, slot)) return ErrorCode.NOAUTH;
    if (isWatching) this.state.dataWatches.add(path, connection, WatchMode.STANDARD);
    if (slot === NO_SLOT) return ErrorCode.NONODE;
    this.state.stats.metrics.reads.recordNode(slot, content, STAT_SIZE);
    stats.writeStat(connection.out, slot);
    return ErrorCode.OK;
  }

  private getChildren(
    connection: ClientConnection,
    type: number,
    input: InputArchive,
    mayWatch = true,
  ): ErrorCode {
    const { tree } = this.state;
    const start = input.at;
    const slot = tree.nodes.read(input);
    const isNameless = input.at === start + 4;
    const isWatching = input.readBool() && mayWatch;
    if (slot === NO_SLOT) return ErrorCode.NONODE;
    if (!this.mayRead(connection, slot)) return ErrorCode.NOAUTH;
    const { stats, content } = tree;
    const namesSize = writeNames(connection, tree, slot);
    this.state.stats.metrics.reads.recordNode(slot, content, STAT_SIZE + namesSize);
    if (type === OpCode.getChildren2) stats.writeStat(connection.out, slot);
    if (isWatching) {
      const path = isNameless ? '' : content.keptPathOf(slot);
      this.state.childWatches.add(path, connection, WatchMode.STANDARD);
    }
    return ErrorCode.OK;
  }

  private getACL(connection: ClientConnection, input: InputArchive): ErrorCode {
    const { auth, tree } = this.state;
    const slot = tree.nodes.read(input);
    if (slot === NO_SLOT) return ErrorCode.NONODE;
    const acl = tree.aclOf(slot);
    if (!auth.isAllowed(acl, Perms.READ | Perms.ADMIN, connection.ids)) return ErrorCode.NOAUTH;
    const isAdmin = auth.isAllowed(acl, Perms.ADMIN, connection.ids);
    ACLVector.write(connection.out, isAdmin ? acl : maskDigests(acl));
    tree.stats.writeStat(connection.out, slot);
    return ErrorCode.OK;
  }

  private getAllChildrenNumber(connection: ClientConnection, input: InputArchive): ErrorCode {
    const path = ustring.read(input);
    const { nodes, nodeCount, root, children } = this.state.tree;
    const slot = nodes.get(path);
    if (slot === NO_SLOT) return ErrorCode.NONODE;
    if (!this.mayRead(connection, slot)) return ErrorCode.NOAUTH;
    // The table has the root under two names: "/" counts neither, "" counts the other as a child.
    const isRoot = slot === root.slot;
    const count = isRoot ? nodeCount - (path === '' ? 1 : 2) : countBelow(children, slot);
    connection.out.writeInt(count);
    return ErrorCode.OK;
  }

  private getEphemerals(connection: ClientConnection, input: InputArchive): ErrorCode {
    const prefix = ustring.read(input);
    const isAll = prefix.trim() === '' || prefix.trim() === '/';
    const all = this.state.tree.ephemeralsOf(connection.session?.id ?? 0n);
    const ephemerals = [...all].filter((path) => isAll || path.startsWith(prefix));
    GetEphemeralsResponse.write(connection.out, { ephemerals });
    return ErrorCode.OK;
  }

  private whoAmI(connection: ClientConnection): ErrorCode {
    const clientInfo = connection.ids.map((id) => ({
      authScheme: id.scheme,
      user: shownUser(id),
    }));
    WhoAmIResponse.write(connection.out, { clientInfo });
    return ErrorCode.OK;
  }

  private addWatch(connection: ClientConnection, input: InputArchive): ErrorCode {
    const path = ustring.read(input);
    const mode = input.readInt();
    const { dataWatches, childWatches } = this.state;
    if (mode === AddWatchMode.PERSISTENT) {
      dataWatches.add(path, connection, WatchMode.PERSISTENT);
      childWatches.add(path, connection, WatchMode.PERSISTENT);
    } else if (mode === AddWatchMode.PERSISTENT_RECURSIVE) {
      dataWatches.add(path, connection, WatchMode.PERSISTENT_RECURSIVE);
    } else {
      return ErrorCode.MARSHALLINGERROR;
    }
    // The record in the reply is an ErrorResponse: four bytes that mean OK.
    connection.out.writeInt(ErrorCode.OK);
    return ErrorCode.OK;
  }

  /** checkWatches tests for the watches, removeWatches removes them. */
  private findWatches(connection: ClientConnection, type: number, input: InputArchive): ErrorCode {
    const path = ustring.read(input);
    const tables = this.tablesOf(input.readInt());
    if (tables === undefined) return ErrorCode.MARSHALLINGERROR;
    let isFound = false;
    for (const [table, modes] of tables) {
      const isHere =
        type === OpCode.removeWatches
          ? table.remove(path, connection, modes)
          : table.has(path, connection, modes);
      isFound ||= isHere;
    }
    return isFound ? ErrorCode.OK : ErrorCode.NOWATCHER;
  }

  private tablesOf(
    watcherType: number,
  ): [table: ServerState['dataWatches'], modes: number][] | undefined {
    const { dataWatches, childWatches } = this.state;
    const { STANDARD, PERSISTENT, PERSISTENT_RECURSIVE } = WatchMode;
    const any = STANDARD | PERSISTENT | PERSISTENT_RECURSIVE;
    switch (watcherType) {
      case WatcherType.Children:
        return [[childWatches, STANDARD]];
      case WatcherType.Data:
        return [[dataWatches, STANDARD]];
      case WatcherType.Any:
        return [
          [childWatches, any],
          [dataWatches, any],
        ];
      case WatcherType.Persistent:
        return [
          [childWatches, PERSISTENT],
          [dataWatches, PERSISTENT],
        ];
      case WatcherType.PersistentRecursive:
        return [[dataWatches, PERSISTENT_RECURSIVE]];
      default:
        return undefined;
    }
  }

  private setWatches(
    connection: ClientConnection,
    xid: number,
    type: number,
    input: InputArchive,
  ): void {
    let err: ErrorCode = ErrorCode.OK;
    try {
      const request =
        type === OpCode.setWatches2
          ? SetWatches2.read(input)
          : { ...SetWatches.read(input), persistentWatches: [], persistentRecursiveWatches: [] };
      this.notifier.setWatches(connection, request.relativeZxid, {
        data: request.dataWatches,
        exist: request.existWatches,
        child: request.childWatches,
      });
      const { dataWatches, childWatches } = this.state;
      for (const path of request.persistentWatches) {
        dataWatches.add(path, connection, WatchMode.PERSISTENT);
        childWatches.add(path, connection, WatchMode.PERSISTENT);
      }
      for (const path of request.persistentRecursiveWatches) {
        dataWatches.add(path, connection, WatchMode.PERSISTENT_RECURSIVE);
      }
    } catch (error) {
      if (!(error instanceof JuteError)) throw error;
      err = ErrorCode.MARSHALLINGERROR;
    }
    endReply(this.state, connection, beginReply(connection, xid), err);
  }

  /** Each read has its own result. Watch flags have no effect: Apache's server ignores them. */
  private multiRead(connection: ClientConnection, input: InputArchive): ErrorCode {
    const { out } = connection;
    for (;;) {
      const type = input.readInt();
      const isDone = input.readBool();
      input.readInt();
      if (isDone) break;
      if (type !== OpCode.getData && type !== OpCode.getChildren) {
        return ErrorCode.MARSHALLINGERROR;
      }
      const headerAt = out.length;
      writeMultiHeader(out, type, false, ErrorCode.OK);
      const err =
        type === OpCode.getData
          ? this.getData(connection, input, false)
          : this.getChildren(connection, type, input, false);
      if (err === ErrorCode.OK) continue;
      out.truncate(headerAt);
      writeMultiHeader(out, OpCode.error, false, err);
      out.writeInt(err);
    }
    writeMultiHeader(out, -1, true, -1);
    return ErrorCode.OK;
  }

  private mayRead(connection: ClientConnection, slot: number): boolean {
    return this.state.auth.isAllowed(this.state.tree.aclOf(slot), Perms.READ, connection.ids);
  }
}

export function writeMultiHeader(
  out: ClientConnection['out'],
  type: number,
  isDone: boolean,
  err: number,
): void {
  out.writeInt(type);
  out.writeBool(isDone);
  out.writeInt(err);
}

/** Writes the names of the children; returns their size in bytes. */
function writeNames({ out }: ClientConnection, tree: DataTree, parent: number): number {
  const { stats, children, content } = tree;
  const start = out.length;
  const count = stats.numChildren(parent);
  out.writeInt(count);
  const prefixLength = content.prefixLength(parent);
  for (const slot of children.placesOf(parent)) {
    if (slot >= 0) content.writePath(out, slot, prefixLength);
  }
  return count === 0 ? 0 : out.length - start - 4 * (count + 1);
}
