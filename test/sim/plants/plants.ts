import { logsAmong } from '../../../src/files/recovery.js';
import { ByteRange } from '../../../src/jute/byte-range.js';
import type { Disk } from '../../../src/server/node/storage/disk.js';
import { Leader } from '../../../src/server/quorum/leading/leader.js';
import { STAGES } from '../../../src/server/quorum/leading/learners.js';
import { Learner } from '../../../src/server/quorum/learning/learner.js';
import {
  containsQuorum,
  type QuorumConfig,
} from '../../../src/server/quorum/membership/quorum-config.js';
import { Inode } from '../../support/bytes/platter.js';
import type { Call } from '../../support/bytes/platter-files.js';
import type { ServerNode } from '../nodes/server-node.js';
import { type DiskManners, type SimDisk, VERSION_FOLDER } from '../nodes/sim-disk.js';
import { INVARIANT_FAULTS } from './invariant-plants.js';
import { PIPELINE_FAULTS } from './pipeline-plants.js';
import type { PlantedFault } from './plant.js';
import { SESSION_FAULTS } from './session-plants.js';
import { STATE_FAULTS } from './state-plants.js';

function isLog({ path }: Call): boolean {
  return path.includes('/log.');
}

/** Reports a write as durable while it is only in a cache. */
const HASTY: DiskManners = {
  handle: (call) => {
    if (!isLog(call)) return false;
    call.pretend('unsynced');
    return true;
  },
};

/** Loses the last appended bytes and reports success. */
const FORGETFUL: DiskManners = {
  handle: (call, { random }) => {
    if (call.kind !== 'write' || !isLog(call) || !random.oneIn(40)) return false;
    call.pretend('nothing');
    return true;
  },
};

/** Never makes the names of a folder durable. */
const NAMELESS: DiskManners = {
  handle: (call) => {
    if (call.kind !== 'sync-folder') return false;
    call.pretend('unsynced');
    return true;
  },
};

/** Flips a stored bit at a power loss. */
const ROTTEN: DiskManners = {
  crashed: (disk) => {
    const name = lastLogOf(disk);
    if ((disk.files.get(name)?.length ?? 0) < 400) return;
    const inode = disk.platter.find(`${VERSION_FOLDER}/${name}`);
    if (inode instanceof Inode) inode.flip(100, 2);
  },
};

function lastLogOf({ files }: SimDisk): string {
  const found = [...files].map(([name, { length: size }]) => ({ name, size }));
  return logsAmong(found).at(-1)?.name ?? '';
}

/** Reports an epoch as stored before its file is written. */
function hurryEpochs(disk: Disk): void {
  const write = disk.writeEpoch.bind(disk);
  disk.writeEpoch = (name, epoch, done) => {
    write(name, epoch, () => undefined);
    done();
  };
}

/** Reports a truncated log without truncating it. */
function skipCuts(disk: Disk, { disk: simDisk }: ServerNode): void {
  const truncate = disk.truncate.bind(disk);
  disk.truncate = (zxid, done) => {
    const before = new Map([...simDisk.files].map(([name, bytes]) => [name, Buffer.from(bytes)]));
    truncate(zxid, (found) => {
      for (const [name, bytes] of before) simDisk.platter.put(`${VERSION_FOLDER}/${name}`, bytes);
      done(found);
    });
  };
}

/** A leader waits only for a quorum of the current membership, although a reconfig needs both. */
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

/** An observer master forwards a txn that differs from the committed one. */
function garble({ peer }: ServerNode): void {
  const master = peer?.role instanceof Learner ? peer.role.master : null;
  if (master === null) return;
  const { committed } = master;
  master.committed = (zxid, entry, leader) => {
    const copy = Buffer.from(entry.view());
    copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
    committed.call(master, zxid, new ByteRange(copy), leader);
  };
}

/** A leader sends proposals to a learner before NEWLEADER, while a snapshot is on its way. */
function hurryProposals({ peer }: ServerNode): void {
  if (!(peer?.role instanceof Leader)) return;
  for (const handler of peer.role.learners.all()) {
    const isAnnounced = () => STAGES.indexOf(handler.stage) >= STAGES.indexOf('streaming');
    Object.defineProperty(handler, 'isAnnounced', { get: isAnnounced, configurable: true });
  }
}

/** Every server is a quorum by itself: its own vote outweighs all others. */
function selfish(config: QuorumConfig, sid: number): QuorumConfig {
  const sids = [...config.members.keys()];
  return { ...config, groups: new Map([[1, sids]]), weights: new Map([[sid, sids.length]]) };
}

/**
 * Faults that must not stay hidden. Each is in the world around the product, never in the product.
 */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: 'acknowledge before fsync',
    caught: /is committed but only on the disks of/,
    seeds: 5,
    diskManners: HASTY,
  },
  {
    name: 'lose an acknowledged write',
    caught: /is committed but only on the disks of/,
    seeds: 5,
    diskManners: FORGETFUL,
  },
  {
    name: 'ack an epoch before its file is written',
    caught: /uses acceptedEpoch 1 but stored 0/,
    seeds: 5,
    onDisk: hurryEpochs,
  },
  {
    name: 'reuse an epoch, because its file is never written',
    caught: /uses acceptedEpoch 1 but stored 0/,
    seeds: 40,
    from: 60,
    onDisk: (disk) => {
      disk.writeEpoch = (_name, _epoch, done) => done();
    },
  },
  {
    name: 'skip TRUNC',
    caught: /gives a different tree/,
    seeds: 10,
    shape: { areLeadersCutOff: true },
    onDisk: skipCuts,
  },
  {
    name: 'ack a snapshot that is not installed',
    caught: /acked the snapshot .* but stored|was committed but is only on the disks of/,
    seeds: 20,
    onDisk: (disk) => {
      disk.install = (_, done) => done();
    },
  },
  {
    name: 'lose an fsync of a folder',
    caught: /was committed but is only on the disks of/,
    seeds: 10,
    diskManners: NAMELESS,
  },
  {
    name: 'commit without a quorum',
    caught: /is committed but only on the disks of/,
    seeds: 5,
    configOf: selfish,
  },
  {
    name: 'restart with an empty disk',
    caught: /lacks txns up to|but no snapshot|starts: |leads epoch \d+, which server \d+ led/,
    seeds: 20,
    from: 3,
    onRestart: ({ disk }, random) => {
      if (random.oneIn(2)) disk.wipe();
    },
  },
  {
    name: 'lose the last log at a restart',
    caught: /lacks txns up to|starts: /,
    seeds: 20,
    onRestart: ({ disk }) => {
      const name = lastLogOf(disk);
      if (name !== '') disk.remove(name);
    },
  },
  {
    name: 'flip a bit of the log',
    caught: /the checksum of the record is wrong|wrong length: \d+ \(the checksum fits/,
    seeds: 5,
    diskManners: ROTTEN,
  },
  {
    name: 'let a client go back in time',
    caught: /a session went back/,
    seeds: 20,
    from: 20,
    shape: { isReadOnlyAllowed: true, sessions: 'local' },
    lastZxidSeen: () => 0n,
  },
  {
    name: 'commit a reconfig with a quorum of the old membership only',
    caught: /stops: quorum: a commit without the proposed one/,
    seeds: 20,
    shape: { spares: 2 },
    onTurn: forgetNextQuorum,
  },
  {
    name: 'send observers a txn that differs from the committed one',
    caught: /commits a different txn/,
    seeds: 5,
    shape: { observers: 2, hasObserverMasters: true },
    onTurn: garble,
  },
  {
    name: 'send uncommitted proposals before NEWLEADER',
    caught: /NEWLEADER 0x\w+ follows the uncommitted proposal/,
    seeds: 40,
    // In seed 0, a COMMIT of such a proposal comes first, and the learner refuses it.
    from: 1,
    onTurn: hurryProposals,
  },
  {
    name: 'return to the first membership at a restart',
    caught:
      /shows the change of|is committed but (?:only on the disks of|was acked only by)|NodeDataChanged .zookeeper.config/,
    seeds: 10,
    from: 36,
    shape: { spares: 2 },
    onRestart: ({ disk }) => disk.forgetConfig(),
  },
  {
    name: 'let a voter go on alone that lacks what the other did alone',
    caught: /lacks txns up to|which server \d led before/,
    seeds: 20,
    shape: { servers: 2, oracle: 'forgetful' },
  },
  ...SESSION_FAULTS,
  ...STATE_FAULTS,
  ...INVARIANT_FAULTS,
  ...PIPELINE_FAULTS,
];
