import type { InputArchive } from '../../../src/jute/input-archive.js';
import type { History } from '../history.js';
import type { Network } from '../nodes/network.js';
import type { ServerNode } from '../nodes/server-node.js';
import type { Scheduler } from '../scheduler.js';
import type { Recording } from './recording.js';

/** A request and its callback. */
export interface Asked {
  readonly type: number;
  readonly body: Buffer;
  /** Called with the response, but not if the connection is lost first. */
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
  /** Whether ACLs grant and refuse anything. */
  readonly isAclChecked: boolean;
  /** The last zxid that any leader has proposed. */
  readonly lastProposed: bigint;
  /** The values that a client sends in its handshake. */
  lastZxidSeen(zxid: bigint): bigint;
  /** Checks that throw end the run. */
  guard(run: () => void): void;
  trace(line: string): void;
}
