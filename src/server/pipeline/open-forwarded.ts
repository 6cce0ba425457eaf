import type { InputArchive } from '../../jute/input-archive.js';
import { ephemeralTypeOf } from '../../protocol/create-mode.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode } from '../../protocol/op-code.js';
import type { Prepared } from '../prep/prep.js';
import type { Request } from '../state/request.js';
import type { ServerState } from '../state/server-state.js';

/**
 * Opens the session that a learner requests for its client, and makes the learner its owner. The
 * learner has negotiated the timeout. A long one stands, because its limits may be higher than
 * those here; a timeout below the minimum is raised.
 */
export function openForwarded(state: ServerState, request: Request, input: InputArchive): Prepared {
  const { sessions, settings, prep } = state;
  const { sessionId, origin } = request;
  const owner = sessions.find(sessionId)?.owner ?? origin;
  // Ephemerals of session 0 or of the container mark would be ordinary znodes or containers.
  if (origin === null || owner !== origin || ephemeralTypeOf(sessionId, false) !== 'session') {
    const txn = { type: OpCode.error, err: ErrorCode.SESSIONMOVED } as const;
    return { txn, records: [], digest: null };
  }
  const askedMs = input.remaining === 4 ? input.readInt() : 0;
  const timeoutMs = Math.max(askedMs, settings.minSessionTimeoutMs);
  sessions.open(sessionId, timeoutMs).setHolder(null, origin);
  return prep.prepareSession(timeoutMs);
}
