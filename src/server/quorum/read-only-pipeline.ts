/**
 * Refuses writes on a member without a quorum that serves read-only clients
 * (ReadOnlyZooKeeperServer). Sessions are local, so they need localSessionsEnabled. Clients of
 * other sessions wait, because only a quorum can verify those.
 */
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode } from '../../protocol/op-code.js';
import { beginReply, endReply } from '../pipeline/reply.js';
import type { PipelineHost, WritePipeline } from '../pipeline/write-pipeline.js';
import { SessionIds } from '../session/session-ids.js';
import type { Session } from '../session/session-tracker.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { Request } from '../state/request.js';
import type { ServerState } from '../state/server-state.js';

export class ReadOnlyPipeline implements WritePipeline {
  readonly inProcess = 0;
  private readonly state: ServerState;
  private readonly host: PipelineHost;
  private readonly sessionIds: SessionIds;
  private readonly hasLocalSessions: boolean;

  constructor(state: ServerState, host: PipelineHost, hasLocalSessions: boolean) {
    this.state = state;
    this.host = host;
    this.hasLocalSessions = hasLocalSessions;
    this.sessionIds = new SessionIds(state.settings.serverId);
    state.isReadOnly = true;
  }

  submit({ connection, xid }: Request): void {
    if (connection === null) return;
    endReply(this.state, connection, beginReply(connection, xid), ErrorCode.NOTREADONLY);
  }

  sync(): boolean {
    return false;
  }

  /** Apache's server, too, refuses with a reply header instead of a connect response. */
  openSession(connection: ClientConnection, timeoutMs: number): void {
    if (!this.hasLocalSessions) {
      endReply(this.state, connection, beginReply(connection, 0), ErrorCode.NOTREADONLY);
      this.host.drop(connection);
      return;
    }
    const { sessions, monotonicMs, wallMs } = this.state;
    const id = this.sessionIds.next(sessions, wallMs);
    this.state.stats.metrics.operations.count(OpCode.createSession);
    this.host.open(connection, sessions.add(id, timeoutMs, monotonicMs));
  }

  resume(connection: ClientConnection): void {
    this.host.drop(connection);
  }

  closeSession(session: Session, connection: ClientConnection, xid: number): void {
    endReply(this.state, connection, beginReply(connection, xid), ErrorCode.OK);
    this.state.stats.metrics.operations.count(OpCode.closeSession);
    this.end(session);
  }

  private end(session: Session): void {
    this.state.sessions.remove(session.id);
    const connection = this.state.holderOf(session);
    if (connection !== undefined) this.host.drop(connection);
  }

  durable(): void {
    // Nothing to write.
  }

  tick(): void {
    const { sessions, monotonicMs } = this.state;
    for (const session of sessions.expire(monotonicMs)) this.end(session);
  }

  drainInto(): void {
    // Nothing to write.
  }
}
