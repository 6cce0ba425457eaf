/**
 * Opens or resumes a session (ZooKeeperServer.processConnectRequest; the order of the checks is in
 * docs/protocol.md). Unlike Apache's server, it checks the password before it closes the connection
 * that holds the session: a wrong password must not disconnect the owner.
 */
import type { InputArchive } from '../../jute/input-archive.js';
import { equalBytes } from '../../protocol/equal-bytes.js';
import { sessionPassword } from '../../protocol/session-id.js';
import type { Session } from '../session/session-tracker.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';

export type Handshake =
  /** Close without an answer: the client tries another server. */
  | { readonly kind: 'refuse'; readonly reason: string }
  | { readonly kind: 'create'; readonly timeoutMs: number }
  /** Each connect negotiates the timeout again. */
  | { readonly kind: 'resume'; readonly sessionId: bigint; readonly timeoutMs: number }
  /** Answer with session id 0, then close: the client learns that its session expired. */
  | { readonly kind: 'expired' };

const PASSWORD_LENGTH = 16;
const NO_PASSWORD = Buffer.alloc(PASSWORD_LENGTH);

/** @throws JuteError when it is not a connect request */
export function readHandshake(
  state: ServerState,
  connection: ClientConnection,
  input: InputArchive,
): Handshake {
  input.readInt();
  const lastZxidSeen = input.readLong();
  const askedMs = input.readInt();
  const sessionId = input.readLong();
  const password = input.readBuffer();
  connection.hasReadOnlyByte = input.remaining > 0;
  const isReadOnlyEnough = connection.hasReadOnlyByte && input.readBool();
  const throttle = state.connectionThrottle;
  if (throttle !== null) {
    const kind = state.sessions.local === null ? 'global' : 'local';
    if (!throttle.admit(sessionId === 0n ? kind : 'renew', state.monotonicMs)) {
      state.stats.count('connection_rejected');
      return { kind: 'refuse', reason: 'too many new sessions (connection_throttle_tokens)' };
    }
    state.stats.metrics.record('connection_token_deficit', throttle.deficit);
  }
  state.stats.count('connection_request_count');
  if (sessionId !== 0n) state.stats.count('connection_revalidate_count');
  // The client has seen another tree, so its session is over, whatever its zxid is.
  const isOfAnotherTree =
    state.isRestored && sessionId !== 0n && state.sessions.find(sessionId) === undefined;
  if (isOfAnotherTree) return { kind: 'expired' };
  if (lastZxidSeen > state.tree.lastProcessedZxid) {
    return {
      kind: 'refuse',
      reason: `the client has seen zxid 0x${lastZxidSeen.toString(16)}, which is newer than this server's data`,
    };
  }
  if (state.isReadOnly && !isReadOnlyEnough) {
    return {
      kind: 'refuse',
      reason: 'this server is read-only, and the client does not accept that',
    };
  }
  const timeoutMs = clampTimeout(state, askedMs);
  if (sessionId === 0n) return { kind: 'create', timeoutMs };
  const isOwner = password !== null && equalBytes(passwordOf(state, sessionId), password);
  return isOwner ? { kind: 'resume', sessionId, timeoutMs } : { kind: 'expired' };
}

function passwordOf({ settings }: ServerState, sessionId: bigint): Buffer {
  return (settings.passwordOf ?? sessionPassword)(sessionId);
}

function clampTimeout({ settings }: ServerState, askedMs: number): number {
  return Math.min(Math.max(askedMs, settings.minSessionTimeoutMs), settings.maxSessionTimeoutMs);
}

/** Null reports that the session expired. */
export function writeConnectResponse(
  state: ServerState,
  connection: ClientConnection,
  session: Session | null,
): void {
  const { out } = connection;
  const start = out.skip(4);
  out.writeInt(0);
  out.writeInt(session === null ? 0 : session.timeoutMs);
  out.writeLong(session === null ? 0n : session.id);
  out.writeBuffer(session === null ? NO_PASSWORD : passwordOf(state, session.id));
  if (connection.hasReadOnlyByte) out.writeBool(state.isReadOnly);
  out.patchInt(start, out.length - start - 4);
  connection.stats.sent++;
  state.stats.sent++;
  state.markDirty(connection);
}
