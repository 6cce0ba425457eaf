import type { Effect } from '../effects.js';
import type { ServerState } from '../state/server-state.js';

/** Connections that get events in one turn; about 15 us each. */
const SLICE = 250;

/**
 * Sends to a slice only, because each write to a socket takes time and must not delay other work.
 * Events and replies of a connection share an archive, so their order is kept.
 */
export function sendEvents({ withEvents }: ServerState, effects: Effect[]): void {
  for (let sent = 0; sent < SLICE; ) {
    const connection = withEvents.shift();
    if (connection === undefined) return;
    connection.isEventPending = false;
    // A reply may have taken the events along, or the connection may be closed.
    if (connection.out.length === 0) continue;
    effects.push({ kind: 'send', connection: connection.id, bytes: connection.out.take() });
    sent++;
  }
  if (withEvents.length > 0) effects.push({ kind: 'wake' });
}
