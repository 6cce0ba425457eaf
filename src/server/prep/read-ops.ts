/** The operations of a multi, and the maximum length of the txn of a request. */
import { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { ustring } from '../../jute/record.js';
import { readRequestedAcl } from '../../protocol/acl-codec.js';
import { createModeOf } from '../../protocol/create-mode.js';
import { type Id, StatRecord } from '../../protocol/data.js';
import { KeeperOpCode } from '../../protocol/keeper-dialect.js';
import { OpCode } from '../../protocol/op-code.js';
import { PARTS, readRequest } from '../../protocol/operation-table.js';

/**
 * Splits the body of a multi: {int type, bool done, int err} and a record each. Undefined if it is
 * malformed, or has an invalid type or mode (MultiOperationRecord.deserialize).
 */
export function readOps(input: InputArchive): { type: number; body: InputArchive }[] | undefined {
  const ops: { type: number; body: InputArchive }[] = [];
  try {
    for (;;) {
      const type = input.readInt();
      const isDone = input.readBool();
      input.readInt();
      if (isDone) return ops;
      if (!PARTS.has(type)) return undefined;
      const body = new InputArchive(input.bytes, input.at, input.end);
      const prepared = skipOp(type, input);
      body.end = input.at;
      ops.push({ type: prepared, body });
    }
  } catch (error) {
    if (error instanceof JuteError) return undefined;
    throw error;
  }
}

/** Returns the type for prep. */
function skipOp(type: number, input: InputArchive): number {
  ustring.read(input);
  if (isPathAndInt(type)) {
    input.readInt();
    return type;
  }
  if (type === KeeperOpCode.checkStat) {
    input.readInt();
    StatRecord.read(input);
    return type;
  }
  input.readBuffer();
  if (type === OpCode.setData) {
    input.readInt();
    return type;
  }
  readRequestedAcl(input);
  const flags = input.readInt();
  const mode = createModeOf(flags);
  if (type === OpCode.createTTL) {
    input.readLong();
    if (mode?.isTTL === true) return type;
  } else if (mode === undefined || mode.isTTL) {
    throw new JuteError(`invalid mode of a create in a multi: ${flags}`);
  }
  if (mode?.isContainer === true && type !== KeeperOpCode.createIfNotExists)
    return OpCode.createContainer;
  // A createTTL of another mode is a plain create (Op.create).
  return type === OpCode.createTTL ? OpCode.create : type;
}

function isPathAndInt(type: number): boolean {
  switch (type) {
    case OpCode.delete:
    case OpCode.check:
    case KeeperOpCode.checkNotExists:
    case KeeperOpCode.tryRemove:
    case KeeperOpCode.removeRecursive:
      return true;
    default:
      return false;
  }
}

/** Header, digest, and the few bytes by which a record exceeds its request. */
const ENTRY_OVERHEAD = 128;
/** The number of a sequential name. */
const OP_OVERHEAD = 16;
/** Perms and two lengths. */
const ACL_OVERHEAD = 12;

/**
 * An upper bound for the log entry of this request. It is about as long as the request, but each
 * `auth` entry of an ACL becomes all ids of the connection. Without a bound, no reader could read
 * the log again (ZOOKEEPER-3496). Computes details only if `limit` is within reach.
 */
export function txnLengthBound(
  type: number,
  input: InputArchive,
  ids: readonly Id[],
  limit: number,
): number {
  const { remaining } = input;
  let most = 0;
  // A UTF-16 unit takes at most three bytes of UTF-8.
  for (const { scheme, id } of ids) most += ACL_OVERHEAD + 3 * (scheme.length + id.length);
  const farthest = remaining * (2 + most / ACL_OVERHEAD) + ENTRY_OVERHEAD;
  if (farthest <= limit) return farthest;
  let idBytes = 0;
  for (const { scheme, id } of ids) idBytes += ACL_OVERHEAD + Buffer.byteLength(scheme + id);
  const whole = new InputArchive(input.bytes, input.at, input.end);
  const ops = type === OpCode.multi ? (readOps(whole) ?? []) : [{ type, body: whole }];
  let length = remaining + ENTRY_OVERHEAD + ops.length * OP_OVERHEAD;
  for (const op of ops) length += countAuthEntries(op.type, op.body) * idBytes;
  return length;
}

function countAuthEntries(type: number, { bytes, at, end }: InputArchive): number {
  try {
    const { acl = [] } = readRequest(type, new InputArchive(bytes, at, end));
    return acl.filter(({ id }) => id.scheme === 'auth').length;
  } catch (error) {
    if (error instanceof JuteError) return 0;
    throw error;
  }
}

/** An upper bound for the log entry that closes a session with these ephemerals. */
export function closeLength(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + 4 + Buffer.byteLength(path), ENTRY_OVERHEAD);
}
