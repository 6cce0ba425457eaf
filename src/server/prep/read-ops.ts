/** The operations of a multi, and how long the txn of a request can get. */
import { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { ustring } from '../../jute/record.js';
import { readRequestedAcl } from '../../protocol/acl-codec.js';
import { createModeOf } from '../../protocol/create-mode.js';
import type { Id } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { PARTS, readRequest } from '../../protocol/operation-table.js';

/**
 * Splits the body of a multi, {int type, bool done, int err} and a record each; undefined when it
 * is malformed or holds a type that no multi may.
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

/** Moves behind the op and returns what it is prepared as. */
function skipOp(type: number, input: InputArchive): number {
  ustring.read(input);
  if (type === OpCode.delete || type === OpCode.check) {
    input.readInt();
    return type;
  }
  input.readBuffer();
  if (type === OpCode.setData) {
    input.readInt();
    return type;
  }
  readRequestedAcl(input);
  const mode = createModeOf(input.readInt());
  if (type === OpCode.createTTL) {
    input.readLong();
    if (mode?.isTTL === true) return type;
  }
  if (mode?.isContainer === true) return OpCode.createContainer;
  // Apart from that the mode says which create it is (Op.create).
  return type === OpCode.create2 ? OpCode.create2 : OpCode.create;
}

/** Header and digest of a log entry, and the few bytes that a record may have over its request. */
const ENTRY_OVERHEAD = 128;
/** What each operation of a multi may have over its request: the number of a sequential name. */
const OP_OVERHEAD = 16;
/** Perms and two lengths. */
const ACL_OVERHEAD = 12;

/**
 * No less than the bytes that the txn of this request takes in the log. It is about as long as the
 * request, but for `auth` entries of ACLs, each of which becomes all ids of the connection: a multi
 * can grow past what any reader takes, and the log would never be read again (ZOOKEEPER-3496).
 * Looks closely only where `limit` is in reach.
 */
export function txnLengthBound(
  type: number,
  input: InputArchive,
  ids: readonly Id[],
  limit: number,
): number {
  const { remaining } = input;
  let idBytes = 0;
  for (const { scheme, id } of ids) idBytes += ACL_OVERHEAD + Buffer.byteLength(scheme + id);
  const farthest = remaining * (2 + idBytes / ACL_OVERHEAD) + ENTRY_OVERHEAD;
  if (farthest <= limit) return farthest;
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
