/** Reads of ClickHouse Keeper's dialect that show one state: each is one step, and limited. */
import type { InputArchive } from '../../jute/input-archive.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { ephemeralTypeOf } from '../../protocol/create-mode.js';
import { ErrorCode } from '../../protocol/error-code.js';
import {
  FilteredListRequest,
  ListRecursiveRequest,
  ListRequestType,
} from '../../protocol/keeper-dialect.js';
import { Perms } from '../../protocol/perms.js';
import { LIMITS, type LimitName } from '../limits/limits.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';
import type { DataTree } from '../tree/data-tree.js';
import type { Znode } from '../tree/znode.js';

const REPLY_LIMIT = LIMITS.replyBytes.value;
const STEPS_LIMIT = LIMITS.multiReadSteps.value;

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

/** A jute vector whose length is written last. */
class BoundedList {
  count = 0;
  private readonly out: OutputArchive;
  private readonly begin: number;

  constructor(out: OutputArchive) {
    this.out = out;
    this.begin = out.skip(4);
  }

  get isFull(): boolean {
    return this.out.length - this.begin > REPLY_LIMIT;
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
