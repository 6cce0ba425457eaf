import { LIMITS } from '../limits/limits.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';

/** A connect request has some 45 bytes. */
const MAX_BYTES = 1024;

/**
 * New connections while the role of a member changes. All clients reconnect at once then, and a
 * closed connection would cost each of them another round. They wait until a role serves, at most
 * `roleChangeTime` after the end of the role that served before.
 */
export class WaitingConnections {
  private readonly state: ServerState;
  private readonly close: (connection: ClientConnection) => void;
  /** They sent their connect request; `early` begins with it. */
  private readonly waiting = new Set<ClientConnection>();
  /** On the monotonic clock. */
  untilMs = Number.NEGATIVE_INFINITY;

  constructor(state: ServerState, close: (connection: ClientConnection) => void) {
    this.state = state;
    this.close = close;
  }

  mayWait(connection: ClientConnection): boolean {
    if (this.state.monotonicMs >= this.untilMs) return false;
    return connection.phase === 'new' || this.waiting.has(connection);
  }

  /** Keeps the connect request. False if the connection must close. */
  keep(connection: ClientConnection, bytes: Buffer, start: number, end: number): boolean {
    if (!this.mayWait(connection) || end - start > MAX_BYTES) return false;
    connection.phase = 'connecting';
    // A copy, because the buffer of a read is much larger.
    connection.early.push(Buffer.from(bytes.subarray(start, end)));
    this.waiting.add(connection);
    return true;
  }

  /** Takes a connection from the server of the role before. */
  take(connection: ClientConnection): void {
    if (connection.phase === 'connecting') this.waiting.add(connection);
  }

  /** The connections with their requests. From now on, none waits. */
  end(): readonly (readonly [ClientConnection, Buffer])[] {
    const ended: [ClientConnection, Buffer][] = [];
    for (const connection of this.waiting) {
      const request = connection.early.shift();
      if (request !== undefined) ended.push([connection, request]);
      connection.phase = 'new';
    }
    this.waiting.clear();
    this.untilMs = Number.NEGATIVE_INFINITY;
    return ended;
  }

  tick(): void {
    if (this.waiting.size === 0 || this.state.monotonicMs < this.untilMs) return;
    const value = LIMITS.roleChangeTime.value;
    for (const [connection] of this.end()) {
      this.state.exceeded('roleChangeTime', connection.remoteIp, value);
      this.state.stats.count('cnxn_closed_without_zk_server_running');
      this.close(connection);
    }
  }

  forget(connection: ClientConnection): void {
    this.waiting.delete(connection);
  }
}
