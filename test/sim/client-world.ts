import type { InputArchive } from '../../src/jute/input-archive.js';
import type { History } from './history.js';
import type { Network } from './network.js';
import type { Recording } from './recording.js';
import type { Scheduler } from './scheduler.js';
import type { ServerNode } from './server-node.js';

/** A request, and what its answer means to whoever made it. */
export interface Asked {
  readonly type: number;
  readonly body: Buffer;
  /** Called with the answer; not at all when the connection is lost first. */
  readonly answered: (answer: Answer) => void;
}

export interface Answer {
  readonly zxid: bigint;
  readonly err: number;
  readonly body: InputArchive;
}

export interface ClientWorld {
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly history: History;
  readonly recording: Recording;
  readonly servers: readonly ServerNode[];
  /** What a client tells when it connects. */
  lastZxidSeen(zxid: bigint): bigint;
  /** Checks that throw end the run. */
  guard(run: () => void): void;
  trace(line: string): void;
}
