/** Reads of ClickHouse Keeper's dialect that show one state: each is one step, and limited. */
import type { InputArchive } from '../../jute/input-archive.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { ephemeralTypeOf } from '../../protocol/create-mode.js';
import { ErrorCode } from '../../protocol/error-code.js';
import {
  FilteredListRequest,
  FilteredListWithStatsAndDataRequest,
  ListRecursiveRequest,
  ListRequestType,
} from '../../protocol/keeper-dialect.js';
import { Perms } from '../../protocol/perms.js';
import { LIMITS, type LimitName } from '../limits/limits.js';
import { BYTES_PER_STEP } from '../limits/work.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';
import { WatchMode } from '../state/watch-manager.js';
import type { DataTree } from '../tree/data-tree.js';
import type { Znode } from '../tree/znode.js';

const REPLY_LIMIT = LIMITS.replyBytes.value;
const STEPS_LIMIT = LIMITS.multiReadSteps.value;
const DATA_LIMIT = LIMITS.multiReadBytes.value;

/** Containers and TTL nodes are persistent. */
export function isListed(tree: DataTree, child: Znode, listType: number): boolean {
  if (listType === ListRequestType.all) return true;
  const owner = tree.hasOwner(child) ? tree.statOf(child).ephemeralOwner : 0n;
  const kind = ephemeralTypeOf(owner, tree.options.isTTLEnabled === true);
  return (kind === 'session') === (listType === ListRequestType.ephemeralOnly);
}

/** The paths below a znode, but for znodes without READ and those below them. */
export function listRecursive(
  state: ServerState,
  connection: ClientConnection,
  input: InputArchive,
): ErrorCode {
  const { tree, work } = state;
  const { path, limit } = ListRecursiveRequest.read(input);
  const top = tree.get(path);
  if (top === undefined) return ErrorCode.NONODE;
  if (!mayRead(state, connection, top)) return ErrorCode.NOAUTH;
  const list = new BoundedList(connection.out);
  const found = [top];
  const begun = work.steps;
  for (const parent of found) {
    for (const child of tree.childrenOf(parent)) {
      if (list.count >= limit >>> 0) return list.end();
      if (++work.steps - begun > STEPS_LIMIT) return tooLong(state, connection, 'multiReadSteps');
      if (list.isFull) return tooLong(state, connection, 'replyBytes');
      if (!mayRead(state, connection, child)) continue;
      connection.out.writeString(tree.pathOf(child));
      list.count++;
      if (tree.numChildren(child) > 0) found.push(child);
    }
  }
  return list.end();
}

/** A part of a multi-read. Its watch flag has no effect, as in one of Apache's. */
export function filteredList(
  state: ServerState,
  connection: ClientConnection,
  input: InputArchive,
): ErrorCode {
  const { tree, work } = state;
  const { path, listRequestType } = FilteredListRequest.read(input);
  const parent = tree.get(path);
  if (parent === undefined) return ErrorCode.NONODE;
  if (!mayRead(state, connection, parent)) return ErrorCode.NOAUTH;
  const list = new BoundedList(connection.out);
  const start = tree.nameStart(parent);
  for (const child of tree.childrenOf(parent)) {
    work.steps++;
    if (list.isFull) return tooLong(state, connection, 'replyBytes');
    if (listRequestType !== ListRequestType.all && !mayRead(state, connection, child)) {
      return ErrorCode.NOAUTH;
    }
    if (!isListed(tree, child, listRequestType)) continue;
    tree.writeName(connection.out, child, start);
    list.count++;
  }
  tree.writeStat(connection.out, parent);
  return list.end();
}

/** The names of the children, their Stats, and their data, with the Stat of the parent. */
export function filteredListWithStatsAndData(
  state: ServerState,
  connection: ClientConnection,
  input: InputArchive,
  mayWatch: boolean,
): ErrorCode {
  const { tree, work } = state;
  const { out } = connection;
  const request = FilteredListWithStatsAndDataRequest.read(input);
  const { path, watch, withStat, withData } = request;
  const parent = tree.get(path);
  if (parent === undefined) return ErrorCode.NONODE;
  if (!mayRead(state, connection, parent)) return ErrorCode.NOAUTH;
  const names = new BoundedList(out, DATA_LIMIT);
  const listed = writeListed(state, connection, { ...request, parent }, names);
  if (!Array.isArray(listed)) return listed;
  tree.writeStat(out, parent);
  const stats = new BoundedList(out);
  for (const child of withStat ? listed : []) {
    tree.writeStat(out, child);
    stats.count++;
  }
  stats.end();
  const data = new BoundedList(out);
  for (const child of withData ? listed : []) {
    if (names.isFull) return tooLong(state, connection, 'multiReadBytes');
    work.steps += Math.ceil(tree.dataLength(child) / BYTES_PER_STEP);
    tree.writeData(out, child);
    data.count++;
  }
  if (watch && mayWatch) state.childWatches.add(path, connection, WatchMode.STANDARD);
  return data.end();
}

interface Listing {
  readonly parent: Znode;
  readonly listRequestType: number;
  readonly withStat: boolean;
  readonly withData: boolean;
}

/** Writes the names, and returns the children in the same order. */
function writeListed(
  state: ServerState,
  connection: ClientConnection,
  { parent, listRequestType, withStat, withData }: Listing,
  names: BoundedList,
): Znode[] | ErrorCode {
  const { tree, work } = state;
  const isSecret = withStat || withData || listRequestType !== ListRequestType.all;
  const listed: Znode[] = [];
  const start = tree.nameStart(parent);
  const begun = work.steps;
  for (const child of tree.childrenOf(parent)) {
    if (++work.steps - begun > STEPS_LIMIT) return tooLong(state, connection, 'multiReadSteps');
    if (names.isFull) return tooLong(state, connection, 'multiReadBytes');
    if (isSecret && !mayRead(state, connection, child)) return ErrorCode.NOAUTH;
    if (!isListed(tree, child, listRequestType)) continue;
    tree.writeName(connection.out, child, start);
    listed.push(child);
  }
  names.count = listed.length;
  names.end();
  return listed;
}

/** A jute vector whose length is written last. */
class BoundedList {
  count = 0;
  private readonly out: OutputArchive;
  private readonly begin: number;
  /** In bytes, of this vector and those behind it. */
  private readonly limit: number;

  constructor(out: OutputArchive, limit = REPLY_LIMIT) {
    this.out = out;
    this.limit = limit;
    this.begin = out.skip(4);
  }

  get isFull(): boolean {
    return this.out.length - this.begin > this.limit;
  }

  end(): ErrorCode {
    this.out.patchInt(this.begin, this.count);
    return ErrorCode.OK;
  }
}

function mayRead({ auth, tree }: ServerState, { ids }: ClientConnection, node: Znode): boolean {
  return auth.isAllowed(tree.aclOf(node), Perms.READ, ids);
}

function tooLong(state: ServerState, { remoteIp }: ClientConnection, limit: LimitName): ErrorCode {
  state.exceeded(limit, remoteIp);
  return ErrorCode.MARSHALLINGERROR;
}
