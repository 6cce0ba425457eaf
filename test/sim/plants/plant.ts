import type { Disk } from '../../../src/server/node/storage/disk.js';
import type { QuorumConfig } from '../../../src/server/quorum/membership/quorum-config.js';
import type { Random } from '../../support/random.js';
import type { ServerNode } from '../nodes/server-node.js';
import type { DiskManners } from '../nodes/sim-disk.js';
import type { Shape } from '../shape.js';

/** Faults that a plant can inject. */
export interface Plant {
  /** How disks misbehave. */
  readonly diskManners?: DiskManners;
  /** Receives the disk requests of a server at each start. */
  onDisk?(disk: Disk, node: ServerNode): void;
  /** The membership as one server sees it. */
  configOf?(config: QuorumConfig, sid: number): QuorumConfig;
  /** Changes the bytes sent to a client. */
  onSend?(bytes: Buffer): Buffer;
  /** The last zxid that a client claims to have seen. */
  lastZxidSeen?(zxid: bigint): bigint;
  /** Called at the end of each turn of a server. */
  onTurn?(node: ServerNode): void;
  /** Called before a server restarts. */
  onRestart?(node: ServerNode, random: Random): void;
}

export interface PlantedFault extends Plant {
  readonly name: string;
  /** The message of the check that must catch it. Any other message would be luck. */
  readonly caught: RegExp;
  /** The number of seeds within which it is found … */
  readonly seeds: number;
  /** … starting at this one, by default 0. Early seeds that miss a rare fault would cost time. */
  readonly from?: number;
  /** The shape of the ensembles, where it matters. */
  readonly shape?: Partial<Shape>;
}
