import { checkLong, checkWhole } from '../../../protocol/check-argument.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import type { Core } from '../driver/driver.js';
import { type Driver, realTime } from '../driver/driver.js';
import type { ClientPort } from '../ports/client-port.js';
import { FaultyOutput } from '../ports/faulty-output.js';

/**
 * Injects faults, to test how an application reacts. Every fault lasts until `heal`.
 * @example
 * const server = await startServer();
 * server.control.expireSession(client.sessionId);
 */
export interface ServerControl {
  /** The ids of the live sessions. */
  readonly sessions: readonly bigint[];
  /** Ends a session although its client is alive; in an ensemble, only the leader can. */
  expireSession(id: bigint): void;
  /** Breaks the connection of a session, or all connections. Clients may connect again at once. */
  cut(sessionId?: bigint): void;
  /** Closes new connections at once; existing ones stay (see `cut`). */
  refuseConnections(): void;
  /** Sends everything this much later. */
  delayReplies(ms: number): void;
  /** Sends nothing, although requests are served. */
  dropReplies(): void;
  /** Refuses every write with THROTTLEDOP, as an overloaded server. */
  refuseWrites(): void;
  /**
   * Makes a standalone server read-only, as a member without a quorum: breaks all connections,
   * accepts only clients with `canBeReadOnly`, and refuses writes with NOTREADONLY. Sessions
   * continue. `heal` breaks the connections again. In an ensemble, use `loseQuorum`.
   */
  goReadOnly(): void;
  /** Stops the clock of the server: no session expires. */
  freezeTime(): void;
  /** Ends all faults. */
  heal(): void;
}

export function makeControl(core: Core, driver: Driver, port: ClientPort): ServerControl {
  const output = new FaultyOutput(port);
  const connections = () => [...core.server.state.connections.values()];
  const refuse = (error: ErrorCode | null): void =>
    driver.step({ kind: 'fault', fault: { kind: 'refuse-writes', error } });
  const cut = (sessionId?: bigint): void => {
    if (sessionId !== undefined) checkLong('sessionId', sessionId);
    for (const { id, session } of connections()) {
      if (sessionId === undefined || session?.id === sessionId) port.destroy(id);
    }
  };
  let isReadOnly = false;
  const setReadOnly = (wanted: boolean): void => {
    if (wanted === isReadOnly) return;
    isReadOnly = wanted;
    driver.step({ kind: 'fault', fault: { kind: 'read-only', isReadOnly } });
    cut();
  };
  return {
    get sessions() {
      return connections().flatMap(({ session }) => (session === null ? [] : [session.id]));
    },
    expireSession: (id) =>
      driver.step({ kind: 'fault', fault: { kind: 'expire', sessionId: checkLong('id', id) } }),
    cut,
    refuseConnections: () => {
      port.isRefusing = true;
    },
    delayReplies: (ms) => {
      output.delayMs = checkWhole('ms', ms, 0);
      driver.port = output;
    },
    dropReplies: () => {
      output.isDropping = true;
      driver.port = output;
    },
    refuseWrites: () => refuse(ErrorCode.THROTTLEDOP),
    goReadOnly: () => setReadOnly(true),
    freezeTime: () => {
      const frozen = driver.clock();
      driver.clock = () => frozen;
    },
    heal: () => {
      port.isRefusing = false;
      output.isDropping = false;
      output.delayMs = 0;
      driver.clock = realTime;
      refuse(null);
      setReadOnly(false);
    },
  };
}
