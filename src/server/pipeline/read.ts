/**
 * Answers reads from the applied tree, in the turn they arrive or after the pending writes of their
 * session. Long ones may take several turns (long-reads.ts). A watch is armed in the same step as
 * its read, so it misses no change. Rules: docs/protocol.md (FinalRequestProcessor).
 */
import { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { OutputArchive } from '../../jute/output-archive.js';
import { ustring } from '../../jute/record.js';
import { ACLVector, NO_STAT, StatRecord } from '../../protocol/data.js';
import { ErrorCode } from '../../protocol/error-code.js';
import {
  FilteredListRequest,
  KEEPER_ZNODES,
  KeeperOpCode,
  ListRequestType,
} from '../../protocol/keeper-dialect.js';
import { OpCode } from '../../protocol/op-code.js';
import { Perms } from '../../protocol/perms.js';
import { WhoAmIResponse } from '../../protocol/proto.js';
import { LIMITS, type LimitName } from '../limits/limits.js';
import { STAT_SIZE } from '../metrics/metrics.js';
import { maskDigests, shownUser } from '../session/auth.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { LongRead } from '../state/long-read.js';
import type { ServerState } from '../state/server-state.js';
import { WatchMode } from '../state/watch-manager.js';
import type { Znode } from '../tree/znode.js';
import { filteredList, filteredListWithStatsAndData, listRecursive } from './keeper-reads.js';
import { LongReads } from './long-reads.js';
import { beginReply, endReply } from './reply.js';
import type { WatchNotifier } from './watch-notifier.js';
import { addWatch, findWatches } from './watch-requests.js';

/** A list of more children, or of more bytes of names, is a long read. */
const LONG_LIST = 5000;
const LONG_NAMES = 1024 * 1024;
/** Before a read that waits for a write of its client, with more steps, nothing later is served. */
const DEAR_LIST = 100;
const DEAR_WATCHES = 4096;
const STEPS_PER_ENTRY = 4;
const SHARE_STEPS = LIMITS.connectionSteps.value;
const REPLY_LIMIT = LIMITS.replyBytes.value;
const MULTI_READ_LIMIT = LIMITS.multiReadBytes.value;
const MULTI_READ_STEPS = LIMITS.multiReadSteps.value;
/** So that the path of no other znode is decoded. */
const ANNOUNCED_LENGTHS = new Set([...KEEPER_ZNODES.keys()].map((path) => path.length));
/** In the place of an error: the read continues as a long one. */
const LONG = -1_000_000;

export class ReadProcessor {
  private readonly state: ServerState;
  private readonly longReads: LongReads;
  /** A list that turned out to be long; null between requests. */
  private long: LongRead['run'] | null = null;
  /** The body of the request that `isDear` looks at; nothing keeps it. */
  private readonly peek = new InputArchive(Buffer.alloc(0));
  /** The body of the next long read; empty between requests, because each one takes it away. */
  private body = new OutputArchive();

  constructor(state: ServerState, notifier: WatchNotifier) {
    this.state = state;
    this.longReads = new LongReads(state, notifier);
  }

  /** Returns the rest of a long read, which must go on in a later turn; null if it is answered. */
  process(
    connection: ClientConnection,
    xid: number,
    type: number,
    input: InputArchive,
  ): LongRead | null {
    const run = this.longReads.begin(connection, type, input, this.body);
    if (run !== undefined) return this.begin(connection, xid, type, run);
    const start = beginReply(connection, xid);
    let err: number;
    try {
      err = this.answer(connection, type, input);
    } catch (error) {
      if (!(error instanceof JuteError)) throw error;
      err = ErrorCode.MARSHALLINGERROR;
    }
    if (err !== LONG || this.long === null) {
      endReply(this.state, connection, start, err);
      return null;
    }
    connection.out.truncate(start);
    return this.begin(connection, xid, type, this.long);
  }

  private begin(
    connection: ClientConnection,
    xid: number,
    type: number,
    run: LongRead['run'],
  ): LongRead | null {
    const read = { xid, type, startedMs: this.state.monotonicMs, run, body: this.body };
    this.body = new OutputArchive();
    this.long = null;
    return this.goOn(connection, read) ? null : read;
  }

  /** Works for the share of a connection in a turn. True if the read is answered. */
  goOn(connection: ClientConnection, { xid, run, body }: LongRead, share = SHARE_STEPS): boolean {
    const { work } = this.state;
    const end = work.steps + share;
    let err: ErrorCode = ErrorCode.MARSHALLINGERROR;
    try {
      for (;;) {
        const step = run.next();
        if (step.done === true) {
          err = step.value;
          break;
        }
        if (work.steps >= end) return false;
      }
    } catch (error) {
      if (!(error instanceof JuteError)) throw error;
    }
    const start = beginReply(connection, xid);
    if (err === ErrorCode.OK) connection.out.writeBytes(body.view());
    endReply(this.state, connection, start, err);
    return true;
  }

  /** Whether its cost does not follow from its length. */
  isDear(type: number, { bytes, at, end }: InputArchive): boolean {
    switch (type) {
      case OpCode.getAllChildrenNumber:
      case OpCode.getEphemerals:
      case OpCode.multiRead:
      case KeeperOpCode.filteredListWithStatsAndData:
      case KeeperOpCode.listRecursive:
        return true;
      case OpCode.setWatches:
      case OpCode.setWatches2:
        return end - at > DEAR_WATCHES;
      case OpCode.getChildren:
      case OpCode.getChildren2:
      case KeeperOpCode.filteredList: {
        const { tree } = this.state;
        if (end - at < 4) return false;
        const node = tree.peek(this.peek.reset(bytes, at, end));
        if (node === undefined) return false;
        return tree.numChildren(node) > DEAR_LIST || tree.sizeOfNames(node) > LONG_NAMES;
      }
      default:
        return false;
    }
  }

  /** Writes the body, which is dropped if an error is returned. */
  private answer(connection: ClientConnection, type: number, input: InputArchive): number {
    switch (type) {
      case OpCode.getData:
        return this.getData(connection, input);
      case OpCode.exists:
        return this.exists(connection, input);
      case OpCode.getChildren:
      case OpCode.getChildren2:
        return this.getChildren(connection, type, input);
      case KeeperOpCode.filteredList:
        return this.filteredList(connection, input);
      case KeeperOpCode.filteredListWithStatsAndData:
        return filteredListWithStatsAndData(this.state, connection, input, true);
      case KeeperOpCode.listRecursive:
        return listRecursive(this.state, connection, input);
      case OpCode.ping:
        return ErrorCode.OK;
      case OpCode.sync:
        connection.out.writeString(ustring.read(input));
        return ErrorCode.OK;
      case OpCode.getACL:
        return this.getACL(connection, input);
      case OpCode.whoAmI:
        return this.whoAmI(connection);
      case OpCode.addWatch:
        return addWatch(this.state, connection, input);
      case OpCode.checkWatches:
      case OpCode.removeWatches:
        return findWatches(this.state, connection, type, input);
      case OpCode.multiRead:
        return this.multiRead(connection, input);
      default:
        return ErrorCode.UNIMPLEMENTED;
    }
  }

  private getData(connection: ClientConnection, input: InputArchive, mayWatch = true): ErrorCode {
    const { tree } = this.state;
    const start = input.at;
    const announced = this.announcedAt(input);
    if (announced !== undefined) {
      connection.isOfKeeper = true;
      connection.out.writeBuffer(announced);
      StatRecord.write(connection.out, { ...NO_STAT, dataLength: announced.length });
      input.readBool();
      return ErrorCode.OK;
    }
    const node = tree.read(input);
    const isNameless = input.at === start + 4;
    const isWatching = input.readBool() && mayWatch;
    if (node === undefined) return ErrorCode.NONODE;
    if (!this.mayRead(connection, node)) return ErrorCode.NOAUTH;
    const { reads } = this.state.stats.metrics;
    reads.recordNode(tree, node, STAT_SIZE + tree.dataLength(node));
    tree.writeData(connection.out, node);
    tree.writeStat(connection.out, node);
    if (isWatching) {
      // "" means the root, but is not the path that changes of the root have.
      const path = isNameless ? '' : tree.pathOf(node);
      this.state.dataWatches.add(path, connection, WatchMode.STANDARD);
    }
    return ErrorCode.OK;
  }

  /** The watch is armed even if the znode does not exist. */
  private exists(connection: ClientConnection, input: InputArchive, mayWatch = true): ErrorCode {
    const path = ustring.read(input);
    const isWatching = input.readBool() && mayWatch;
    if (path.includes('\0')) return ErrorCode.BADARGUMENTS;
    const { tree } = this.state;
    const announced = this.isAnnounced ? KEEPER_ZNODES.get(path) : undefined;
    if (announced !== undefined) {
      connection.isOfKeeper = true;
      StatRecord.write(connection.out, { ...NO_STAT, dataLength: announced.length });
      return ErrorCode.OK;
    }
    const node = tree.get(path);
    if (node !== undefined && !this.mayRead(connection, node)) return ErrorCode.NOAUTH;
    if (isWatching) this.state.dataWatches.add(path, connection, WatchMode.STANDARD);
    if (node === undefined) return ErrorCode.NONODE;
    this.state.stats.metrics.reads.recordNode(tree, node, STAT_SIZE);
    tree.writeStat(connection.out, node);
    return ErrorCode.OK;
  }

  private getChildren(
    connection: ClientConnection,
    type: number,
    input: InputArchive,
    isAlone = true,
  ): number {
    const { tree } = this.state;
    const start = input.at;
    const node = tree.read(input);
    const isNameless = input.at === start + 4;
    const isWatching = input.readBool() && isAlone;
    if (node === undefined) return ErrorCode.NONODE;
    if (!this.mayRead(connection, node)) return ErrorCode.NOAUTH;
    const count = tree.numChildren(node);
    this.state.work.steps += isAlone ? 0 : count;
    // Before they are written: a multiRead may ask for them again and again.
    if (!isAlone && tree.sizeOfNames(node) > REPLY_LIMIT) {
      return this.tooLong(connection, 'replyBytes');
    }
    const limit = isAlone ? LONG_NAMES : REPLY_LIMIT;
    const isLong = isAlone && count > LONG_LIST;
    const namesSize = isLong ? limit + 1 : tree.writeNames(connection.out, node, limit);
    if (namesSize > limit) {
      const watched = isWatching ? (isNameless ? '' : tree.pathOf(node)) : null;
      const request = { type, path: tree.pathOf(node), watched, listType: ListRequestType.all };
      this.long = this.longReads.getChildren(connection, this.body, request);
      return LONG;
    }
    this.state.work.steps += isAlone ? count : 0;
    this.state.stats.metrics.reads.recordNode(tree, node, STAT_SIZE + namesSize);
    if (type === OpCode.getChildren2) tree.writeStat(connection.out, node);
    if (isWatching) {
      const path = isNameless ? '' : tree.pathOf(node);
      this.state.childWatches.add(path, connection, WatchMode.STANDARD);
    }
    return ErrorCode.OK;
  }

  private getACL(connection: ClientConnection, input: InputArchive): ErrorCode {
    const { auth, tree } = this.state;
    const node = tree.read(input);
    if (node === undefined) return ErrorCode.NONODE;
    const acl = tree.aclOf(node);
    if (!auth.isAllowed(acl, Perms.READ | Perms.ADMIN, connection.ids)) return ErrorCode.NOAUTH;
    this.state.work.steps += STEPS_PER_ENTRY * acl.length;
    const isAdmin = auth.isAllowed(acl, Perms.ADMIN, connection.ids);
    ACLVector.write(connection.out, isAdmin ? acl : maskDigests(acl));
    tree.writeStat(connection.out, node);
    return ErrorCode.OK;
  }

  private whoAmI(connection: ClientConnection): ErrorCode {
    const clientInfo = connection.ids.map((id) => ({
      authScheme: id.scheme,
      user: shownUser(id),
    }));
    this.state.work.steps += STEPS_PER_ENTRY * clientInfo.length;
    WhoAmIResponse.write(connection.out, { clientInfo });
    return ErrorCode.OK;
  }

  private tooLong({ remoteIp }: ClientConnection, limit: LimitName): ErrorCode {
    this.state.exceeded(limit, remoteIp);
    return ErrorCode.MARSHALLINGERROR;
  }

  /**
   * Each read has its own result. Watch flags have no effect: Apache's server ignores them. All
   * results show one state, so it is one step, and limited. A client that asked for the features of
   * ClickHouse Keeper reads a failed part in its form, and may have more kinds of parts.
   */
  private multiRead(connection: ClientConnection, input: InputArchive): ErrorCode {
    const { out } = connection;
    const { work } = this.state;
    const first = out.length;
    const begun = work.steps;
    for (;;) {
      const type = input.readInt();
      const isDone = input.readBool();
      input.readInt();
      if (isDone) break;
      const part = this.partOfMultiRead(connection, type);
      if (part === undefined) return ErrorCode.MARSHALLINGERROR;
      if (out.length - first > MULTI_READ_LIMIT) return this.tooLong(connection, 'multiReadBytes');
      if (work.steps - begun > MULTI_READ_STEPS) return this.tooLong(connection, 'multiReadSteps');
      const headerAt = out.length;
      writeMultiHeader(out, type, false, ErrorCode.OK);
      const err = part(input);
      if (err === ErrorCode.OK) continue;
      out.truncate(headerAt);
      if (connection.isOfKeeper) {
        writeMultiHeader(out, type, false, err);
      } else {
        writeMultiHeader(out, OpCode.error, false, err);
        out.writeInt(err);
      }
    }
    writeMultiHeader(out, -1, true, -1);
    return ErrorCode.OK;
  }

  /** Undefined if a multi-read may not have this type. */
  private partOfMultiRead(
    connection: ClientConnection,
    type: number,
  ): ((input: InputArchive) => number) | undefined {
    if (type === OpCode.getData) return (input) => this.getData(connection, input, false);
    const isList = type === OpCode.getChildren || type === OpCode.getChildren2;
    if (type !== OpCode.getChildren && !connection.isOfKeeper) return undefined;
    if (isList) return (input) => this.getChildren(connection, type, input, false);
    if (type === OpCode.exists) return (input) => this.exists(connection, input, false);
    if (type === KeeperOpCode.filteredList) {
      return (input) => filteredList(this.state, connection, input);
    }
    if (type !== KeeperOpCode.filteredListWithStatsAndData) return undefined;
    return (input) => filteredListWithStatsAndData(this.state, connection, input, false);
  }

  /** A long read, which begins at once: each child costs a check of its ACL and owner. */
  private filteredList(connection: ClientConnection, input: InputArchive): number {
    const { path, watch, listRequestType: listType } = FilteredListRequest.read(input);
    const request = { type: OpCode.getChildren2, path, watched: watch ? path : null, listType };
    this.long = this.longReads.getChildren(connection, this.body, request);
    return LONG;
  }

  /** Reads a path if it is one of KEEPER_ZNODES, and nothing otherwise. */
  private announcedAt(input: InputArchive): Buffer | undefined {
    if (!this.isAnnounced) return undefined;
    const { at } = input;
    const length = input.readInt();
    input.at = at;
    if (!ANNOUNCED_LENGTHS.has(length)) return undefined;
    const data = KEEPER_ZNODES.get(ustring.read(input));
    if (data === undefined) input.at = at;
    return data;
  }

  private get isAnnounced(): boolean {
    return this.state.keeperDialect === 'announced';
  }

  private mayRead(connection: ClientConnection, node: Znode): boolean {
    return this.state.auth.isAllowed(this.state.tree.aclOf(node), Perms.READ, connection.ids);
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
