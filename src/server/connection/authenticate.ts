import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import type { Id } from '../../protocol/data.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { LIMITS, type LimitName } from '../limits/limits.js';
import { replyWithZxid } from '../pipeline/reply.js';
import { lengthOf } from '../session/auth.js';
import { readAuthPacket } from '../session/read-auth-packet.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';

const ENSEMBLE_COUNTERS = {
  success: 'ensemble_auth_success',
  fail: 'ensemble_auth_fail',
  skip: 'ensemble_auth_skip',
} as const;

/** False if the connection must be closed after the answer. */
export function authenticate(
  state: ServerState,
  connection: ClientConnection,
  xid: number,
  input: InputArchive,
): boolean {
  const packet = readAuthPacket(input);
  if (packet === undefined) return false;
  const { scheme, auth } = packet;
  const verdict = state.auth.checkEnsemble(scheme, auth);
  if (verdict !== undefined) {
    state.stats.count(ENSEMBLE_COUNTERS[verdict]);
    // An error would end the session; without an answer, the client tries another server.
    if (verdict === 'fail') return false;
    replyWithZxid(state, connection, xid, 0n, ErrorCode.OK);
    return true;
  }
  const ids = state.auth.authenticate(scheme, auth, connection.remoteIp, connection.ids);
  if (ids === undefined) {
    state.stats.authFailed++;
    replyWithZxid(state, connection, xid, 0n, ErrorCode.AUTHFAILED);
    return false;
  }
  if (!addIds(state, connection, ids)) {
    replyWithZxid(state, connection, xid, 0n, ErrorCode.AUTHFAILED);
    return false;
  }
  replyWithZxid(state, connection, xid, 0n, ErrorCode.OK);
  return true;
}

/** False if the connection has too many. */
function addIds(state: ServerState, connection: ClientConnection, ids: readonly Id[]): boolean {
  for (const id of ids) {
    const isKnown = connection.ids.some((own) => own.scheme === id.scheme && own.id === id.id);
    if (isKnown) continue;
    const excess = excessOf([...connection.ids, id]);
    if (excess !== null) {
      state.stats.authFailed++;
      state.exceeded(excess, connection.remoteIp);
      return false;
    }
    connection.ids = [...connection.ids, id];
  }
  return true;
}

/** A learner forwards all ids with each request, and an ACL is checked against each. */
function excessOf(ids: readonly Id[]): LimitName | null {
  if (ids.length > LIMITS.authIdsPerConnection.value) return 'authIdsPerConnection';
  return lengthOf(ids) > LIMITS.authBytesPerConnection.value ? 'authBytesPerConnection' : null;
}

/** False if the connection must close afterwards. Without SASL, answers an empty token. */
export function answerSasl(
  state: ServerState,
  connection: ClientConnection,
  xid: number,
  input: InputArchive,
): boolean {
  connection.sasl ??= state.auth.startSasl();
  const { sasl } = connection;
  const step = sasl?.step(readToken(input));
  if (step === undefined) {
    replyWithToken(state, connection, xid, ErrorCode.OK, null);
    return true;
  }
  if (step.kind === 'failed') {
    const { saslFailure } = state.auth;
    const isServed = saslFailure === ErrorCode.OK;
    state.stats.authFailed++;
    const { remoteIp } = connection;
    if (!isServed)
      state.reporter.add({ kind: 'refused', remoteIp, reason: `SASL: ${step.reason}` });
    replyWithToken(state, connection, xid, saslFailure, null);
    return isServed;
  }
  if (step.kind === 'done' && !addIds(state, connection, state.auth.saslIds(step.user))) {
    replyWithToken(state, connection, xid, ErrorCode.AUTHFAILED, null);
    return false;
  }
  const token = step.token.length === 0 ? null : step.token;
  replyWithToken(state, connection, xid, ErrorCode.OK, token);
  return true;
}

/** A malformed token becomes an empty one, which fails where a token is expected. */
function readToken(input: InputArchive): Buffer {
  try {
    return Buffer.from(input.readBuffer() ?? []);
  } catch (error) {
    if (error instanceof JuteError) return Buffer.alloc(0);
    throw error;
  }
}

/** Even an error reply has a record after the header (ZooKeeperServer.processSasl). */
function replyWithToken(
  state: ServerState,
  connection: ClientConnection,
  xid: number,
  err: ErrorCode,
  token: Buffer | null,
): void {
  const { out } = connection;
  const start = out.skip(4);
  out.writeInt(xid);
  out.writeLong(0n);
  out.writeInt(err);
  out.writeBuffer(token);
  out.patchInt(start, out.length - start - 4);
  state.markDirty(connection);
}
