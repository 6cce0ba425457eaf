import { InvariantError } from '../../base/assert.js';
import { lastOperationName } from '../../protocol/operation-table.js';
import type { SessionOwner } from '../session/session-tracker.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { Request } from '../state/request.js';
import type { ServerState } from '../state/server-state.js';

/**
 * Reports a request that could not be answered, as without memory for it. The caller closes its
 * connection. The request must have changed nothing that others see.
 *
 * @param end of the replies before it
 * @throws InvariantError if `error` is one
 */
export function reportFailed(
  state: ServerState,
  { remoteIp, out, stats }: ClientConnection,
  end: number,
  error: unknown,
): void {
  if (error instanceof InvariantError) throw error;
  out.truncate(Math.min(end, out.length));
  report(state, remoteIp, stats.lastOperation, error);
}

/** Reports a request of a learner's client; its answer is an error. */
export function reportForwarded(
  state: ServerState,
  { type }: Request,
  { name }: SessionOwner,
  error: unknown,
): void {
  report(state, name, type, error);
}

function report(state: ServerState, remoteIp: string, type: number, error: unknown): void {
  const operation = lastOperationName(type);
  const problem = error instanceof Error ? error.message : String(error);
  state.reporter.add({ kind: 'request-failed', remoteIp, operation, problem });
}
