import type { InputArchive } from '../jute/input-archive.js';
import { ErrorCode } from '../protocol/error-code.js';
import type { ClientConnection } from './client-connection.js';
import { replyWithZxid } from './reply.js';
import type { ServerState } from './server-state.js';
import { readAuthPacket } from './session/read-auth-packet.js';

/** Answers an auth packet; false when the connection has to be closed behind the answer. */
export function authenticate(
  state: ServerState,
  connection: ClientConnection,
  xid: number,
  input: InputArchive,
): boolean {
  const packet = readAuthPacket(input);
  if (packet === undefined) return false;
  const { scheme, auth } = packet;
  const ids = state.auth.authenticate(scheme, auth, connection.remoteIp, connection.ids);
  if (ids === undefined) {
    state.stats.authFailed++;
    replyWithZxid(state, connection, xid, 0n, ErrorCode.AUTHFAILED);
    return false;
  }
  for (const id of ids) {
    const isKnown = connection.ids.some((own) => own.scheme === id.scheme && own.id === id.id);
    if (!isKnown) connection.ids = [...connection.ids, id];
  }
  replyWithZxid(state, connection, xid, 0n, ErrorCode.OK);
  return true;
}

/** Without SASL configured a token is answered with none, as Apache's server does. */
export function answerSasl(state: ServerState, connection: ClientConnection, xid: number): void {
  const { out } = connection;
  out.writeInt(20);
  out.writeInt(xid);
  out.writeLong(0n);
  out.writeInt(ErrorCode.OK);
  out.writeInt(-1);
  state.markDirty(connection);
}
