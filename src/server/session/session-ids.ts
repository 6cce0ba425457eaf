import { initialSessionId } from '../../protocol/session-id.js';
import type { SessionTracker } from './session-tracker.js';

/** Allocates session ids: they count up from the time of the first one. */
export class SessionIds {
  private readonly serverId: number;
  /** The last id that was allocated; 0 before the first one. It only grows. */
  private last = 0n;

  constructor(serverId: number) {
    this.serverId = serverId;
  }

  next(sessions: SessionTracker, wallMs: number): bigint {
    if (this.last === 0n) this.last = initialSessionId(this.serverId, wallMs);
    do this.last++;
    while (sessions.has(this.last));
    return this.last;
  }
}
