/**
 * The reads whose cost does not follow from their length. Each yields after some work, and the
 * server continues it in a later turn (`ReadProcessor.goOn`). Writes are applied in between. A read
 * that must see one state begins again after a change of it.
 */
import type { InputArchive } from '../../jute/input-archive.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { ustring } from '../../jute/record.js';
import type { Id } from '../../protocol/data.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { ListRequestType } from '../../protocol/keeper-dialect.js';
import { OpCode } from '../../protocol/op-code.js';
import { Perms } from '../../protocol/perms.js';
import { SetWatches, SetWatches2 } from '../../protocol/proto.js';
import { LIMITS } from '../limits/limits.js';
import { BYTES_PER_STEP } from '../limits/work.js';
import { STAT_SIZE } from '../metrics/metrics.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';
import { WatchMode } from '../state/watch-manager.js';
import type { Znode } from '../tree/znode.js';
import { isListed } from './keeper-reads.js';
import type { WatchNotifier } from './watch-notifier.js';

type Steps = Generator<void, ErrorCode, undefined>;

/** Steps between two yields. */
const SLICE = 1000;
/** A path of setWatches is decoded, found, and watched. */
const STEPS_PER_WATCH = 8;
/** After this many changes during a list, it is written at once. */
const TRIES = 3;
const REPLY_LIMIT = LIMITS.replyBytes.value;

export class LongReads {
  private readonly state: ServerState;
  private readonly notifier: WatchNotifier;

  constructor(state: ServerState, notifier: WatchNotifier) {
    this.state = state;
    this.notifier = notifier;
  }

  /** Undefined if the read is a short one. Reads `input` only before the first yield. */
  begin(
    connection: ClientConnection,
    type: number,
    input: InputArchive,
    body: OutputArchive,
  ): Steps | undefined {
    switch (type) {
      case OpCode.getAllChildrenNumber:
        return this.getAllChildrenNumber(connection, input, body);
      case OpCode.getEphemerals:
        return this.getEphemerals(connection, input, body);
      case OpCode.setWatches:
      case OpCode.setWatches2:
        return this.setWatches(connection, type, input);
      default:
        return undefined;
    }
  }

  private *getAllChildrenNumber(
    connection: ClientConnection,
    input: InputArchive,
    body: OutputArchive,
  ): Steps {
    const { state } = this;
    const { tree } = state;
    const path = ustring.read(input);
    const node = tree.get(path);
    if (node === undefined) return ErrorCode.NONODE;
    const acl = tree.aclOf(node);
    if (!state.auth.isAllowed(acl, Perms.READ, connection.ids)) return ErrorCode.NOAUTH;
    if (node === tree.root) {
      // The table has the root under two names: "/" counts neither, "" counts the other as a child.
      body.writeInt(tree.nodeCount - (path === '' ? 1 : 2));
      return ErrorCode.OK;
    }
    let visited = 0;
    for (const _ of tree.walk(node)) {
      if (++visited % SLICE !== 0) continue;
      state.work.steps += SLICE;
      yield;
    }
    state.work.steps += visited % SLICE;
    body.writeInt(visited - 1);
    return ErrorCode.OK;
  }

  private *getEphemerals(
    connection: ClientConnection,
    input: InputArchive,
    body: OutputArchive,
  ): Steps {
    const { work, tree } = this.state;
    const prefix = ustring.read(input);
    const isAll = prefix.trim() === '' || prefix.trim() === '/';
    body.skip(4);
    let steps = 0;
    let count = 0;
    for (const path of tree.ephemeralsOf(connection.session?.id ?? 0n)) {
      steps++;
      if (isAll || path.startsWith(prefix)) {
        body.writeString(path);
        count++;
        steps += path.length / BYTES_PER_STEP;
      }
      if (steps < SLICE) continue;
      work.steps += Math.ceil(steps);
      steps = 0;
      if (body.length > REPLY_LIMIT) return this.tooLong(connection);
      yield;
    }
    work.steps += Math.ceil(steps);
    body.patchInt(0, count);
    return ErrorCode.OK;
  }

  /** A change of the children begins the list again. The watch is set when the list is complete. */
  *getChildren(
    connection: ClientConnection,
    body: OutputArchive,
    { type, path, watched, listType }: ChildrenRequest,
  ): Steps {
    const { auth, childWatches, tree } = this.state;
    for (let tries = 1; ; tries++) {
      const node = tree.get(path);
      if (node === undefined) return ErrorCode.NONODE;
      if (!auth.isAllowed(tree.aclOf(node), Perms.READ, connection.ids)) return ErrorCode.NOAUTH;
      body.reset();
      const filter = listType === ListRequestType.all ? null : { listType, ids: connection.ids };
      const written = yield* this.writeNames(body, node, filter, tries < TRIES);
      if (written === 'changed') continue;
      if (written === 'too long') return this.tooLong(connection);
      if (written === 'unreadable') return ErrorCode.NOAUTH;
      const namesSize = body.length - 4 * (written + 1);
      this.state.stats.metrics.reads.recordNode(tree, node, STAT_SIZE + namesSize);
      if (type === OpCode.getChildren2) tree.writeStat(body, node);
      if (watched !== null) childWatches.add(watched, connection, WatchMode.STANDARD);
      return ErrorCode.OK;
    }
  }

  /** Returns the number of names. */
  private *writeNames(
    body: OutputArchive,
    parent: Znode,
    filter: ListFilter | null,
    isSliced: boolean,
  ): Generator<void, number | 'changed' | 'too long' | 'unreadable', undefined> {
    const { auth, work, tree } = this.state;
    const stat = tree.statOf(parent);
    const generation = tree.generationOf(parent);
    const { cversion, aversion, pzxid } = stat;
    body.skip(4);
    let count = 0;
    const start = tree.nameStart(parent);
    let steps = 0;
    for (const child of tree.childrenOf(parent)) {
      const before = body.length;
      if (filter !== null && !auth.isAllowed(tree.aclOf(child), Perms.READ, filter.ids)) {
        return 'unreadable';
      }
      if (filter === null || isListed(tree, child, filter.listType)) {
        tree.writeName(body, child, start);
        count++;
      }
      steps += 1 + (body.length - before) / BYTES_PER_STEP;
      if (steps < SLICE) continue;
      work.steps += Math.ceil(steps);
      steps = 0;
      if (body.length > REPLY_LIMIT) return 'too long';
      if (!isSliced) continue;
      yield;
      const isSame =
        tree.generationOf(parent) === generation &&
        stat.cversion === cversion &&
        stat.aversion === aversion &&
        stat.pzxid === pzxid;
      if (!isSame) return 'changed';
    }
    work.steps += Math.ceil(steps);
    body.patchInt(0, count);
    return count;
  }

  /** Each path is compared and watched in one step; events precede the reply. */
  private *setWatches(connection: ClientConnection, type: number, input: InputArchive): Steps {
    const { dataWatches, childWatches, work } = this.state;
    const request =
      type === OpCode.setWatches2
        ? SetWatches2.read(input)
        : { ...SetWatches.read(input), persistentWatches: [], persistentRecursiveWatches: [] };
    let set = 0;
    for (const _ of this.notifier.setWatches(connection, request.relativeZxid, {
      data: request.dataWatches,
      exist: request.existWatches,
      child: request.childWatches,
    })) {
      work.steps += STEPS_PER_WATCH;
      if (++set % SLICE === 0) yield;
    }
    for (const path of request.persistentWatches) {
      dataWatches.add(path, connection, WatchMode.PERSISTENT);
      childWatches.add(path, connection, WatchMode.PERSISTENT);
      work.steps += STEPS_PER_WATCH;
      if (++set % SLICE === 0) yield;
    }
    for (const path of request.persistentRecursiveWatches) {
      dataWatches.add(path, connection, WatchMode.PERSISTENT_RECURSIVE);
      work.steps += STEPS_PER_WATCH;
      if (++set % SLICE === 0) yield;
    }
    return ErrorCode.OK;
  }

  private tooLong({ remoteIp }: ClientConnection): ErrorCode {
    this.state.exceeded('replyBytes', remoteIp);
    return ErrorCode.MARSHALLINGERROR;
  }
}

export interface ChildrenRequest {
  readonly type: number;
  readonly path: string;
  /** The path to watch; null for none. */
  readonly watched: string | null;
  /** A ListRequestType: which children. */
  readonly listType: number;
}

/** Only who may read a child learns whether it is an ephemeral. */
interface ListFilter {
  readonly listType: number;
  readonly ids: readonly Id[];
}
