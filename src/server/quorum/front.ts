/**
 * The server that clients see in front of a member: without a path while there is no quorum, with
 * the path of its role else. What the old one has still to say is said before the new one speaks.
 */
import { assert } from '../base/assert.js';
import type { Effect } from '../effects.js';
import type { PathHost, WritePath } from '../pipeline/write-path.js';
import type { Server } from '../server.js';
import type { ServerState } from '../state/server-state.js';
import type { Data } from './peer/role.js';
import { ReadOnlyPath } from './read-only-path.js';

export type MakePath = (state: ServerState, host: PathHost) => WritePath;

/** What a server that stops knows by then. */
export function dataOf({ tree, sessions }: ServerState): Data {
  const known = [...sessions.values()].map(({ id, timeoutMs }) => ({ id, timeoutMs }));
  return { tree, sessions: known };
}

export interface FrontOptions {
  make(data: Data, makePath: MakePath | null): Server;
  emit(effect: Effect): void;
}

export class Front {
  server: Server;
  private readonly options: FrontOptions;
  private wallMs = 0;
  private nowMs = 0;

  constructor(options: FrontOptions, data: Data) {
    this.options = options;
    this.server = options.make(data, null);
  }

  clock(wallMs: number, monotonicMs: number): void {
    this.wallMs = wallMs;
    this.nowMs = monotonicMs;
    this.server.step({ kind: 'clock', wallMs, monotonicMs });
  }

  /** A server that serves nobody. */
  close(data: Data): void {
    this.replace(data, null);
  }

  /**
   * A server of this path; it lets nobody in before `isOpen` is set.
   * @param dress what stands between the server and the path
   */
  serve<P extends WritePath>(
    data: Data,
    makePath: (state: ServerState, host: PathHost) => P,
    dress: (state: ServerState, host: PathHost, path: P) => WritePath = (_state, _host, path) =>
      path,
  ): { readonly server: Server; readonly path: P } {
    let path: P | undefined;
    this.replace(data, (state, host) => {
      path = makePath(state, host);
      return dress(state, host, path);
    });
    assert(path !== undefined, 'a server was made without its path');
    return { server: this.server, path };
  }

  /** A server that only reads, for clients that ask for no more. */
  serveReads(tree: Data['tree']): void {
    const make: MakePath = (state, host) => new ReadOnlyPath(state, host);
    this.serve({ tree, sessions: [] }, make).server.isOpen = true;
  }

  private replace(data: Data, makePath: MakePath | null): void {
    this.server.shutDown();
    this.drain();
    this.server.state.tree.listener = null;
    this.server = this.options.make(data, makePath);
    this.server.isOpen = false;
    this.clock(this.wallMs, this.nowMs);
  }

  drain(): void {
    for (const effect of this.server.drain()) this.options.emit(effect);
  }
}
