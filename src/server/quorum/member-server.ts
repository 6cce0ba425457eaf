/**
 * The server that the clients of a member see. Its pipeline belongs to the current role; without a
 * quorum it has none. The effects of the old server leave before those of the new one.
 */
import { assert } from '../base/assert.js';
import type { Effect } from '../effects.js';
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

  /**
   * Starts a server, which accepts clients once `isOpen` is set.
   * @param wrap adds a layer between the server and the path
   */
  serve<P extends WritePipeline>(
    data: Data,
    makePipeline: (state: ServerState, host: PipelineHost) => P,
    wrap: (state: ServerState, host: PipelineHost, path: P) => WritePipeline = (
      _state,
      _host,
      path,
    ) => path,
  ): { readonly server: Server; readonly path: P } {
    let path: P | undefined;
    this.replace(data, (state, host) => {
      path = makePipeline(state, host);
      return wrap(state, host, path);
    });
    assert(path !== undefined, 'no pipeline was made for the server');
    return { server: this.server, path };
  }

  /** Starts a server for clients that accept a read-only one. */
  serveReads(tree: Data['tree'], hasLocalSessions: boolean): void {
    const make: MakePipeline = (state, host) => new ReadOnlyPipeline(state, host, hasLocalSessions);
    this.serve({ tree, sessions: [] }, make).server.isOpen = true;
  }

  private replace(data: Data, makePipeline: MakePipeline | null): void {
    this.server.shutDown();
    this.drain();
    this.server.state.tree.listener = null;
    this.server = this.makeServer(data, makePipeline);
    this.server.isOpen = false;
    this.clock(this.wallMs, this.nowMs);
  }

  drain(): void {
    for (const effect of this.server.drain()) this.host.emit(effect);
  }
}
