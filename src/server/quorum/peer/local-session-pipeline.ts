/**
 * Local sessions (localSessionsEnabled; UpgradeableSessionTracker). A new session lives on its
 * server alone: no txn opens, closes, or expires it, and no other server can resume it.
 *
 * It must never own an ephemeral, which nobody would delete. Before it creates one, it becomes a
 * session of the ensemble, or the create is refused.
 */

import { assert, halfDone } from '../../../base/assert.js';
import type { InputArchive } from '../../../jute/input-archive.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import { OpCode } from '../../../protocol/op-code.js';
import type { Effect } from '../../effects.js';
import { makesEphemeral } from '../../pipeline/makes-ephemeral.js';
import { beginReply, endReply } from '../../pipeline/reply.js';
import type {
  EnsemblePipeline,
  PipelineHost,
  WritePipeline,
} from '../../pipeline/write-pipeline.js';
import { SessionIds } from '../../session/session-ids.js';
import type { Session, SessionTracker } from '../../session/session-tracker.js';
import type { ClientConnection } from '../../state/client-connection.js';
import type { Request } from '../../state/request.js';
import type { ServerState } from '../../state/server-state.js';
import type { LocalSessions } from './role.js';

const EXPIRY_SLICE = 500;

export function withLocalSessions(options: LocalSessions | null | undefined) {
  return (state: ServerState, host: PipelineHost, pipeline: EnsemblePipeline): WritePipeline =>
    options == null ? pipeline : new LocalSessionPipeline(state, host, pipeline, options);
}

class LocalSessionPipeline implements WritePipeline {
  private readonly state: ServerState;
  private readonly host: PipelineHost;
  private readonly inner: EnsemblePipeline;
  private readonly isUpgradeAllowed: boolean;
  private readonly local: SessionTracker;
  private readonly sessionIds: SessionIds;
  /** Connections that close their local session once their earlier requests are answered. */
  private closing: { readonly connection: ClientConnection; readonly xid: number }[] = [];

  constructor(
    state: ServerState,
    host: PipelineHost,
    inner: EnsemblePipeline,
    { isUpgradeAllowed }: LocalSessions,
  ) {
    this.state = state;
    this.host = host;
    this.inner = inner;
    this.isUpgradeAllowed = isUpgradeAllowed;
    this.local = state.sessions.keepLocal();
    this.sessionIds = new SessionIds(state.settings.serverId);
  }

  get inProcess(): number {
    return this.inner.inProcess;
  }

  get lastLogged(): bigint {
    return this.inner.lastLogged;
  }

  submit(request: Request, session: Session, input: InputArchive): void {
    if (session.isLocal) {
      // The request was queued after the close.
      if (session.isClosing) return;
      if (makesEphemeral(request.type, input)) this.upgradeForEphemeral(request, session);
    }
    this.inner.submit(request, session, input);
  }

  private upgradeForEphemeral(request: Request, session: Session): void {
    if (this.isUpgradeAllowed) this.upgrade(session);
    else request.isRefusedEphemeral = true;
  }

  private upgrade(session: Session): void {
    assert(session.isLocal, 'request: a session that is global becomes global', session.id);
    this.state.sessions.upgrade(session);
    assert(!session.isLocal, 'request: a session stays local', session.id);
    try {
      this.inner.upgrade(session);
    } catch (error) {
      throw halfDone(error);
    }
  }

  sync(request: Request): boolean {
    return this.inner.sync(request);
  }

  openSession(connection: ClientConnection, timeoutMs: number): void {
    const { sessions, monotonicMs, wallMs } = this.state;
    const id = this.sessionIds.next(sessions, wallMs);
    this.state.stats.metrics.operations.count(OpCode.createSession);
    this.host.open(connection, sessions.addLocal(id, timeoutMs, monotonicMs));
  }

  resume(connection: ClientConnection, sessionId: bigint, timeoutMs: number): void {
    const session = this.local.get(sessionId);
    if (session === undefined) this.inner.resume(connection, sessionId, timeoutMs);
    else if (session.isClosing) this.host.expired(connection);
    else this.host.attach(connection, session, timeoutMs);
  }

  closeSession(session: Session, connection: ClientConnection, xid: number): void {
    if (!session.isLocal) {
      this.inner.closeSession(session, connection, xid);
      return;
    }
    this.end(session, 'session-closed');
    connection.decoder.stop();
    this.closing.push({ connection, xid });
    this.state.stats.metrics.operations.count(OpCode.closeSession);
  }

  private end({ id, isLocal }: Session, kind: 'session-closed' | 'session-expired'): void {
    assert(isLocal, 'request: a global session ends without a txn', id);
    this.local.remove(id);
    this.state.reporter.add({ kind, sessionId: id });
  }

  durable(zxid: bigint): void {
    this.inner.durable(zxid);
  }

  tick(): void {
    if (this.state.monotonicMs >= this.local.nextExpiryMs) this.expire();
    this.inner.tick();
  }

  private expire(): void {
    const due = this.local.expire(this.state.monotonicMs, EXPIRY_SLICE);
    assert(due.length <= EXPIRY_SLICE, 'request: too many sessions in a turn', due.length);
    for (const session of due) {
      this.state.stats.count('stale_sessions_expired');
      this.end(session, 'session-expired');
      const connection = this.state.holderOf(session);
      if (connection !== undefined) this.host.drop(connection);
    }
    if (due.length === EXPIRY_SLICE) this.host.emit({ kind: 'wake' });
  }

  drainInto(effects: Effect[]): void {
    if (this.closing.length > 0) {
      this.closing = this.closing.filter(({ connection, xid }) => !this.isClosed(connection, xid));
    }
    this.inner.drainInto(effects);
  }

  private isClosed(connection: ClientConnection, xid: number): boolean {
    if (connection.phase === 'closed') return true;
    if (connection.pending.length > 0) return false;
    endReply(this.state, connection, beginReply(connection, xid), ErrorCode.OK);
    this.host.drop(connection);
    return true;
  }
}
