import type { Disk } from '../../src/server/node/storage/disk.js';
import type { QuorumConfig } from '../../src/server/quorum/membership/quorum-config.js';
import type { Random } from '../support/random.js';
import type { ServerNode } from './server-node.js';
import type { Shape } from './shape.js';
import type { DiskManners } from './sim-disk.js';

/** What may be planted from outside, to see that it is found. */
export interface Plant {
  /** How disks misbehave. */
  readonly diskManners?: DiskManners;
  /** Given what a server asks of its disk, at each of its starts. */
  onDisk?(disk: Disk, node: ServerNode): void;
  /** The membership as one server has it. */
  configOf?(config: QuorumConfig, sid: number): QuorumConfig;
  /** What goes out to a client, spoilt. */
  onSend?(bytes: Buffer): Buffer;
  /** What a client says that it has seen. */
  lastZxidSeen?(zxid: bigint): bigint;
  /** Called at the end of each turn of a server. */
  onTurn?(node: ServerNode): void;
  /** Called before a server starts again. */
  onRestart?(node: ServerNode, random: Random): void;
}

export interface PlantedFault extends Plant {
  readonly name: string;
  /** The message that must catch it: another one would be luck. */
  readonly caught: RegExp;
  /** It is found within this many seeds … */
  readonly seeds: number;
  /** … from this one on; the default is 0. Rare ones would make a test long. */
  readonly from?: number;
  /** Of ensembles that are more than servers. */
  readonly shape?: Omit<Shape, 'servers'>;
}
