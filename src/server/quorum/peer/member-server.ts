/**
 * The server that the clients of a member see. Its pipeline belongs to the current role; without a
 * quorum it has none, or one that refuses writes. The effects of the old server leave before those
 * of the new one.
 */
import { assert } from '../../../base/assert.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import { OpCode } from '../../../protocol/op-code.js';
import type { Effect } from '../../effects.js';
import { LIMITS } from '../../limits/limits.js';
import { beginReply, endReply } from '../../pipeline/reply.js';
import type { PipelineHost, WritePipeline } from '../../pipeline/write-pipeline.js';
import type { Server } from '../../server.js';
import { SessionIds } from '../../session/session-ids.js';
import type { Session } from '../../session/session-tracker.js';
import type { ClientConnection } from '../../state/client-connection.js';
import type { Request } from '../../state/request.js';
import type { ServerState } from '../../state/server-state.js';
import type { Data } from './role.js';

export type MakePipeline = (state: ServerState, host: PipelineHost) => WritePipeline;

/** What outlives a server: its tree, and its sessions without their connections. */
export function dataOf({ tree, sessions }: ServerState): Data {
  const known = [...sessions.values()].map(({ id, timeoutMs }) => ({ id, timeoutMs }));
  return { tree, sessions: known };
}

type MakeServer = (data: Data, makePipeline: MakePipeline | null) => Server;

interface EffectHost {
  emit(effect: Effect): void;
}

export class MemberServer {
  /** The one that clients have now. `replace` ends the one before, which no event reaches again. */
  server: Server;
  private readonly host: EffectHost;
  private readonly makeServer: MakeServer;
  /** New clients wait for a role until then, in monotonic ms; set when one that served ends. */
  private waitUntilMs = Number.NEGATIVE_INFINITY;
  /** The last clock event, which each new server gets first. */
  private wallMs = 0;
  /** As `wallMs`, in monotonic ms; never falls. */
  private nowMs = 0;

  constructor(host: EffectHost, data: Data, makeServer: MakeServer) {
    this.host = host;
    this.makeServer = makeServer;
    this.server = makeServer(data, null);
  }

  clock(wallMs: number, monotonicMs: number): void {
    assert(monotonicMs >= this.nowMs, 'role: the clock went back', monotonicMs, this.nowMs);
    this.wallMs = wallMs;
    this.nowMs = monotonicMs;
    this.server.step({ kind: 'clock', wallMs, monotonicMs });
  }

  close(data: Data): void {
    this.replace(data, null);
  }

  /** Serves clients once `isOpen` is set. `wrap` adds a layer between server and pipeline. */
  serve<P extends WritePipeline>(
    data: Data,
    makePipeline: (state: ServerState, host: PipelineHost) => P,
    wrap: (state: ServerState, host: PipelineHost, pipeline: P) => WritePipeline = (
      _state,
      _host,
      pipeline,
    ) => pipeline,
  ): { readonly server: Server; readonly pipeline: P } {
    let pipeline: P | undefined;
    this.replace(data, (state, host) => {
      pipeline = makePipeline(state, host);
      return wrap(state, host, pipeline);
    });
    assert(pipeline !== undefined, 'role: no pipeline was made for the server');
    assert(this.server.pipeline !== null, 'role: the server has no pipeline');
    return { server: this.server, pipeline };
  }

  /** Starts a server for clients that accept a read-only one. */
  serveReads(tree: Data['tree'], hasLocalSessions: boolean): void {
    assert(this.server.pipeline === null, 'role: read-only while a role serves');
    const make: MakePipeline = (state, host) => new ReadOnlyPipeline(state, host, hasLocalSessions);
    const { server } = this.serve({ tree, sessions: [] }, make);
    // Without a leader, it has only reads, and refuses writes as those of any kind.
    if (server.state.settings.isKeeperDialect) server.state.keeperDialect = 'served';
    server.open(true);
  }

  /**
   * A role that served ends. Clients that connect before the next one wait for it, for a while.
   * @param keepsIdle after a handover, those of before wait, too
   */
  shutDown(keepsIdle = false): void {
    const { server } = this;
    if (server.pipeline !== null && server.isOpen) {
      this.waitUntilMs = this.nowMs + LIMITS.roleChangeTime.value;
      server.connections.waiting.untilMs = this.waitUntilMs;
    }
    server.shutDown(keepsIdle);
  }

  private replace(data: Data, makePipeline: MakePipeline | null): void {
    this.shutDown();
    const before = this.server;
    before.state.tree.listener = null;
    this.server = this.makeServer(data, makePipeline);
    assert(this.server !== before, 'role: the server of the last role serves on');
    assert(this.server.state.tree === data.tree, 'role: the server has another tree');
    this.server.isOpen = false;
    this.server.state.keeperDialect = 'off';
    this.server.connections.waiting.untilMs = this.waitUntilMs;
    this.clock(this.wallMs, this.nowMs);
    if (before.state.tree !== data.tree) before.connections.waiting.closeKept();
    this.server.takeWaiting(before);
    this.drain(before);
  }

  drain(server = this.server): void {
    for (const effect of server.drain()) this.host.emit(effect);
  }
}

/**
 * Refuses writes on a member without a quorum that serves read-only clients
 * (ReadOnlyZooKeeperServer). Sessions are local, so they need localSessionsEnabled. Clients of
 * other sessions wait, because only a quorum can verify those.
 */
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
    assert(!state.isReadOnly, 'role: read-only twice', state.settings.serverId);
    state.isReadOnly = true;
  }

  get lastLogged(): bigint {
    return this.state.tree.lastProcessedZxid;
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
