/**
 * The server that the clients of a member see. Its pipeline belongs to the current role; without a
 * quorum it has none. The effects of the old server leave before those of the new one.
 */
import { assert } from '../../base/assert.js';
import type { Effect } from '../effects.js';
import { LIMITS } from '../limits/limits.js';
import type { PipelineHost, WritePipeline } from '../pipeline/write-pipeline.js';
import type { Server } from '../server.js';
import type { ServerState } from '../state/server-state.js';
import type { Data } from './peer/role.js';
import { ReadOnlyPipeline } from './read-only-pipeline.js';

export type MakePipeline = (state: ServerState, host: PipelineHost) => WritePipeline;

export function dataOf({ tree, sessions }: ServerState): Data {
  const known = [...sessions.values()].map(({ id, timeoutMs }) => ({ id, timeoutMs }));
  return { tree, sessions: known };
}

type MakeServer = (data: Data, makePipeline: MakePipeline | null) => Server;

interface EffectHost {
  emit(effect: Effect): void;
}

export class MemberServer {
  server: Server;
  private readonly host: EffectHost;
  private readonly makeServer: MakeServer;
  private waitUntilMs = Number.NEGATIVE_INFINITY;
  private wallMs = 0;
  private nowMs = 0;

  constructor(host: EffectHost, data: Data, makeServer: MakeServer) {
    this.host = host;
    this.makeServer = makeServer;
    this.server = makeServer(data, null);
  }

  clock(wallMs: number, monotonicMs: number): void {
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
    assert(pipeline !== undefined, 'no pipeline was made for the server');
    return { server: this.server, pipeline };
  }

  /** Starts a server for clients that accept a read-only one. */
  serveReads(tree: Data['tree'], hasLocalSessions: boolean): void {
    const make: MakePipeline = (state, host) => new ReadOnlyPipeline(state, host, hasLocalSessions);
    this.serve({ tree, sessions: [] }, make).server.open(true);
  }

  /** A role that served ends. Clients that connect before the next one wait for it, for a while. */
  shutDown(): void {
    const { server } = this;
    if (server.pipeline !== null && server.isOpen) {
      this.waitUntilMs = this.nowMs + LIMITS.roleChangeTime.value;
      server.connections.waiting.untilMs = this.waitUntilMs;
    }
    server.shutDown();
  }

  private replace(data: Data, makePipeline: MakePipeline | null): void {
    this.shutDown();
    const before = this.server;
    before.state.tree.listener = null;
    this.server = this.makeServer(data, makePipeline);
    this.server.isOpen = false;
    this.server.connections.waiting.untilMs = this.waitUntilMs;
    this.clock(this.wallMs, this.nowMs);
    this.server.connections.takeNew(before.connections.giveNew());
    this.drain(before);
  }

  drain(server = this.server): void {
    for (const effect of server.drain()) this.host.emit(effect);
  }
}
