/**
 * What others can learn of every client of the process without an option: an APM tool by
 * `node:diagnostics_channel`, a person by `NODE_DEBUG=zksh`.
 *
 * | Channel | Message |
 * |---|---|
 * | `tracing:zksh:request:start`, `…:asyncEnd`, `…:error` | RequestContext |
 * | `zksh:connect` | `{ server }`, at each attempt |
 * | `zksh:session` | `{ state, sessionId, server, reason }`, at each change of state |
 */
import { debuglog } from 'node:util';
import type { ClientState } from '../base/client.js';
import { errorCode } from '../base/socket-fault.js';

/** A request, as of the method tracePromise of a TracingChannel, which adds `result` or `error`. */
export interface RequestContext {
  /** "getData", "create2", "multi". */
  readonly op: string;
  /** Without the chroot; undefined for a request without a path. */
  readonly path: string | undefined;
  /** "host:port"; undefined while no server is connected. */
  readonly server: string | undefined;
  /** "0x1000…", as servers log it. */
  readonly sessionId: string;
}

const { channel, tracingChannel } = process.getBuiltinModule('node:diagnostics_channel');
const requests = tracingChannel<RequestContext>('zksh:request');
const sessions = channel('zksh:session');
const connects = channel('zksh:connect');
const debug = debuglog('zksh');

/** Whether anyone wants to know of requests. */
export function isObserved(): boolean {
  return debug.enabled || requests.hasSubscribers;
}

export function observed<R>(context: RequestContext, send: () => Promise<R>): Promise<R> {
  const answered = requests.hasSubscribers ? requests.tracePromise(send, context) : send();
  if (debug.enabled) {
    const startMs = performance.now();
    const ended = (outcome: string): void => {
      const ms = (performance.now() - startMs).toFixed(3);
      debug(
        `${context.op}${context.path === undefined ? '' : ` ${context.path}`}: ${outcome}, ${ms} ms`,
      );
    };
    answered.then(
      () => ended('OK'),
      (error: unknown) => ended(errorCode(error)),
    );
  }
  return answered;
}

export function tellConnect(server: string): void {
  if (connects.hasSubscribers) connects.publish({ server });
  if (debug.enabled) debug(`connect ${server}`);
}

export function tellState(change: {
  readonly state: ClientState;
  /** "0x1000…", as servers log it. */
  readonly sessionId: string;
  readonly server: string | undefined;
  readonly reason: Error | undefined;
}): void {
  if (sessions.hasSubscribers) sessions.publish(change);
  if (!debug.enabled) return;
  const { state, sessionId, server, reason } = change;
  const where = server === undefined ? '' : ` at ${server}`;
  debug(
    `session ${sessionId}: ${state}${where}${reason === undefined ? '' : `: ${reason.message}`}`,
  );
}
