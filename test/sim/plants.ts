import { Run } from '../../src/jute/run.js';
import { Xid } from '../../src/protocol/op-code.js';
import type { Database } from '../../src/server/persistence/replay.js';
import { Leader } from '../../src/server/quorum/leader.js';
import { Learner } from '../../src/server/quorum/learner.js';
import { containsQuorum, type QuorumConfig } from '../../src/server/quorum/quorum-config.js';
import type { SnapshotContent } from '../../src/server/snapshot-content.js';
import { CONFIG_FILE, SimDisk } from './disk.js';
import type { ServerNode } from './server-node.js';
import type { Shape } from './shape.js';
import type { Plant } from './simulation.js';

/** Says that a write is durable as soon as it is asked for. */
class HastyDisk extends SimDisk {
  override append(bytes: Buffer, firstZxid: bigint, done: () => void): void {
    super.append(bytes, firstZxid, () => undefined);
    done();
  }
}

/** Loses what was appended last, and says that it has it. */
class ForgetfulDisk extends SimDisk {
  override append(bytes: Buffer, firstZxid: bigint, done: () => void): void {
    if (this.random.oneIn(40)) done();
    else super.append(bytes, firstZxid, done);
  }
}

/** Says that an epoch is in its file as soon as it is asked to write it. */
class HastyEpochDisk extends SimDisk {
  override writeEpoch(effect: Parameters<SimDisk['writeEpoch']>[0], done: () => void): void {
    super.writeEpoch(effect, () => undefined);
    done();
  }
}

/** Never writes an epoch down. */
class EpochlessDisk extends SimDisk {
  override writeEpoch(_: Parameters<SimDisk['writeEpoch']>[0], done: () => void): void {
    this.scheduler.later(1, done);
  }
}

/** Tells of a log that was cut, and cuts nothing. */
class UncutDisk extends SimDisk {
  override truncate(zxid: bigint, done: (found: Database | Error) => void): void {
    const before = new Map(this.files);
    super.truncate(zxid, (found) => {
      for (const [name, bytes] of before) this.files.set(name, bytes);
      done(found);
    });
  }
}

/** Says that a leader's snapshot is installed, and drops it. */
class UnwillingDisk extends SimDisk {
  override install(_: SnapshotContent, done: () => void): void {
    this.scheduler.later(1, done);
  }
}

/** Changes a bit of what it stored, when the power goes. */
class RottenDisk extends SimDisk {
  override crash(): void {
    super.crash();
    const logs = [...this.files.keys()].filter((name) => name.startsWith('log.'));
    const bytes = this.files.get(logs.at(-1) ?? '');
    if (bytes === undefined || bytes.length < 400) return;
    const copy = Buffer.from(bytes);
    copy[100] = (copy[100] as number) ^ 4;
    this.files.set(logs.at(-1) as string, copy);
  }
}

/** The frames of one write to a client, events last. */
function eventsLast(bytes: Buffer): Buffer {
  const answers: Buffer[] = [];
  const events: Buffer[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 4 + bytes.readInt32BE(at);
    const isEvent = bytes.readInt32BE(at + 4) === Xid.notification;
    (isEvent ? events : answers).push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat([...answers, ...events]);
}

/** A leader asks for a quorum of the membership in force alone, where a reconfig needs both. */
function forgetNextQuorum({ peer }: ServerNode): void {
  const outstanding = peer?.role instanceof Leader ? peer.role.broadcast?.outstanding : undefined;
  if (outstanding === undefined) return;
  outstanding.committable = (config, acked) => {
    const reached = acked
      .map(({ zxid }) => zxid)
      .filter((zxid) => {
        const holders = acked.filter((other) => other.zxid >= zxid).map(({ sid }) => sid);
        return containsQuorum(config, new Set(holders));
      });
    const reconfig = [...outstanding.values()].find((proposed) => proposed.config !== null);
    const limit = reconfig?.zxid ?? outstanding.lastProposed;
    const best = reached.reduce((a, b) => (a > b ? a : b), outstanding.lastCommitted);
    return best < limit ? best : limit;
  };
}

/** An observer master passes on another txn than the one that is committed. */
function garble({ peer }: ServerNode): void {
  const master = peer?.role instanceof Learner ? peer.role.master : null;
  if (master === null) return;
  const { committed } = master;
  master.committed = (zxid, entry, leader) => {
    const copy = Buffer.from(entry.view());
    copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
    committed.call(master, zxid, new Run(copy), leader);
  };
}

/** Every server is a quorum to itself: its own vote weighs more than all others. */
function selfish(config: QuorumConfig, sid: number): QuorumConfig {
  const sids = [...config.members.keys()];
  return { ...config, groups: new Map([[1, sids]]), weights: new Map([[sid, sids.length]]) };
}

export interface PlantedFault extends Plant {
  readonly name: string;
  /** It is found within so many seeds … */
  readonly seeds: number;
  /** … from this one on; 0 where nothing is said. Rare ones would make a test long. */
  readonly from?: number;
  /** Of ensembles that are more than servers. */
  readonly shape?: Omit<Shape, 'servers'>;
}

/** Faults that nobody may be able to hide: each is the world's around the product, never in it. */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'acknowledge before fsync',
    seeds: 5,
    makeDisk: (scheduler, random) => new HastyDisk(scheduler, random),
  },
  {
    name: 'lose a write that was acknowledged',
    seeds: 5,
    makeDisk: (scheduler, random) => new ForgetfulDisk(scheduler, random),
  },
  {
    name: 'ack an epoch before its file is written',
    seeds: 5,
    makeDisk: (scheduler, random) => new HastyEpochDisk(scheduler, random),
  },
  {
    name: 'reuse an epoch, as its file is never written',
    seeds: 40,
    from: 60,
    makeDisk: (scheduler, random) => new EpochlessDisk(scheduler, random),
  },
  {
    name: 'skip TRUNC',
    seeds: 40,
    from: 60,
    makeDisk: (scheduler, random) => new UncutDisk(scheduler, random),
  },
  {
    name: 'ack a snapshot that is not installed',
    seeds: 20,
    makeDisk: (scheduler, random) => new UnwillingDisk(scheduler, random),
  },
  { name: 'commit without a quorum', seeds: 5, configOf: selfish },
  {
    name: 'restart with an empty disk',
    seeds: 30,
    onRestart: ({ disk }, random) => {
      if (random.oneIn(2)) disk.files.clear();
    },
  },
  {
    name: 'lose the last log in a restart',
    seeds: 20,
    onRestart: ({ disk }) => {
      const logs = [...disk.files.keys()].filter((name) => name.startsWith('log.'));
      disk.files.delete(logs.at(-1) ?? '');
    },
  },
  {
    name: 'change a bit of the log',
    seeds: 5,
    makeDisk: (scheduler, random) => new RottenDisk(scheduler, random),
  },
  { name: 'send an event behind the answer that shows it', seeds: 20, onSend: eventsLast },
  {
    name: 'let a client go back in time',
    seeds: 40,
    shape: { isReadOnlyAllowed: true },
    lastZxidSeen: () => 0n,
  },
  {
    name: 'commit a reconfig with a quorum of the old membership only',
    seeds: 20,
    shape: { spares: 2 },
    onTurn: forgetNextQuorum,
  },
  {
    name: 'tell observers another txn than the one that is committed',
    seeds: 5,
    shape: { observers: 2, hasObserverMasters: true },
    onTurn: garble,
  },
  {
    name: 'go back to the first membership in a restart',
    seeds: 30,
    from: 15,
    shape: { spares: 2 },
    onRestart: ({ disk }) => disk.files.delete(CONFIG_FILE),
  },
];
