import type { InputArchive } from '../../jute/input-archive.js';
import { ephemeralTypeOf } from '../../protocol/create-mode.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode } from '../../protocol/op-code.js';
import type { Prepared } from '../prep/prep.js';
import type { Request } from '../state/request.js';
import type { ServerState } from '../state/server-state.js';

/**
 * The createSession that a learner forwards for its client; that learner then owns the session. The
 * learner negotiated the timeout by its own limits, which may be longer than those here, so only a
 * timeout that is too short is raised.
 */
export function openForwarded(state: ServerState, request: Request, input: InputArchive): Prepared {
  const { sessions, settings, prep } = state;
  const { sessionId, origin } = request;
  const owner = sessions.find(sessionId)?.owner ?? origin;
  // 0 and the container mark are not valid session ids: their ephemerals would not be ephemeral.
  if (origin === null || owner !== origin || ephemeralTypeOf(sessionId, false) !== 'session') {
    const txn = { type: OpCode.error, err: ErrorCode.SESSIONMOVED } as const;
    return { txn, records: [], digest: null };
  }
  const askedMs = input.remaining === 4 ? input.readInt() : 0;
  const timeoutMs = Math.max(askedMs, settings.minSessionTimeoutMs);
  sessions.open(sessionId, timeoutMs).heldBy(null, origin);
  return prep.prepareSession(timeoutMs);
}
