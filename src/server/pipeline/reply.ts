import { assert } from '../../base/assert.js';
import { ErrorCode } from '../../protocol/error-code.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';

/** Bytes before the body of a reply: length (4), xid (4), zxid (8), err (4). */
const REPLY_HEADER_SIZE = 20;

/** Begins a reply in the connection's archive; returns its offset. */
export function beginReply(connection: ClientConnection, xid: number): number {
  const start = connection.out.skip(4);
  connection.out.writeInt(xid);
  connection.out.skip(12);
  return start;
}

/** Completes the reply at `start`. With an error, drops the body. */
export function endReply(
  state: ServerState,
  connection: ClientConnection,
  start: number,
  err: number,
): void {
  const { out } = connection;
  if (err !== 0) out.truncate(start + REPLY_HEADER_SIZE);
  const size = out.length - start - 4;
  if (size < REPLY_HEADER_SIZE - 4) assert(false, 'reply order: a reply without its header', size);
  out.patchInt(start, size);
  out.patchInt(start + 8, state.zxidHigh);
  out.patchInt(start + 12, state.zxidLow);
  out.patchInt(start + 16, err);
  connection.stats.sent++;
  state.stats.sent++;
  state.stats.responded(size);
  state.markDirty(connection);
}

/**
 * Apache's server closes the connection instead, and has no code for it. Clients know this one as
 * final. The limit follows the header, where no client looks for a body of an error.
 */
export function replyTooLong(state: ServerState, connection: ClientConnection, xid: number): void {
  const { out } = connection;
  const start = beginReply(connection, xid);
  endReply(state, connection, start, ErrorCode.BADARGUMENTS);
  out.writeInt(state.settings.maxFrameLength);
  out.patchInt(start, out.length - start - 4);
}

/** Writes a reply with a fixed zxid: 0 for auth, -1 for an unknown operation. */
export function replyWithZxid(
  state: ServerState,
  connection: ClientConnection,
  xid: number,
  zxid: bigint,
  err: number,
): void {
  const { out } = connection;
  out.writeInt(REPLY_HEADER_SIZE - 4);
  out.writeInt(xid);
  out.writeLong(zxid);
  out.writeInt(err);
  connection.stats.sent++;
  state.stats.sent++;
  state.markDirty(connection);
}
