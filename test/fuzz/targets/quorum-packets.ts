import { JuteError } from '../../../src/jute/jute-error.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { encodePreamble, readPreamble } from '../../../src/server/quorum/wire/election-preamble.js';
import {
  decodeNotification,
  encodeNotification,
  PEER_STATES,
} from '../../../src/server/quorum/wire/notification.js';
import {
  PacketReader,
  PacketType,
  writePacket,
} from '../../../src/server/quorum/wire/quorum-packet.js';
import { EnsembleWorld } from '../../server/quorum/worlds/ensemble-world.js';
import { expectSame, parseOrRefuse, type Stranger, type Target } from '../target.js';

const MAX_TXN = 1 << 20;

export function packet(type: number, zxid: bigint, data: Buffer | null = null): Buffer {
  const out = new OutputArchive();
  writePacket(out, type, zxid, data, data === null ? [{ scheme: 'ip', id: '127.0.0.1' }] : null);
  return out.take();
}

function info(sid: bigint): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.writeBigInt64BE(sid);
  bytes.writeInt32BE(0x10000, 8);
  return bytes;
}

/** One of each type, most with room for their content. */
export function packetsOfAllTypes(zxid: bigint): Buffer[] {
  return Object.values(PacketType).map((type) => packet(type, zxid, Buffer.alloc(28)));
}

function packetSeeds(): Buffer[] {
  const all = packetsOfAllTypes(0x100000001n);
  const joining = [
    packet(PacketType.FOLLOWERINFO, 0n, info(1n)),
    packet(PacketType.ACKEPOCH, 0n, Buffer.alloc(4)),
    packet(PacketType.ACK, 0x100000000n),
  ];
  return [...all, Buffer.concat(joining), Buffer.concat([...joining, ...all])];
}

/** Encoding a decoded packet gives the same packet. */
export const quorumPackets: Target = {
  name: 'quorum-packets',
  seeds: packetSeeds,
  words: [packet(PacketType.PING, 0n)],
  run: (input) => {
    const reader = new PacketReader(MAX_TXN);
    reader.push(Buffer.from(input));
    for (;;) {
      const found = parseOrRefuse(() => reader.next(), JuteError);
      if (found === undefined || found === null) return;
      const out = new OutputArchive();
      writePacket(out, found.type, found.zxid, found.data, found.authinfo);
      const again = new PacketReader(MAX_TXN);
      again.push(out.take());
      expectSame(
        parseOrRefuse(() => again.next(), JuteError),
        found,
        'the packet, decoded again',
      );
    }
  },
};

/** The member with the highest number. */
const LEADER = 3;

let shared: EnsembleWorld | undefined;
let uses = 0;

function startEnsemble(): EnsembleWorld {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  return world;
}

/** A serving ensemble. It is renewed regularly, because strangers change its state. */
function ensemble(): EnsembleWorld {
  if (shared === undefined || ++uses > 200) {
    shared = startEnsemble();
    uses = 0;
  }
  return shared;
}

function strangerOf(world: EnsembleWorld): Stranger {
  const stranger = { bytes: 0, isHeld: false, isStored: true };
  const link = world.link(LEADER, (bytes) => {
    if (bytes === null) stranger.isHeld = true;
  });
  return Object.assign(stranger, {
    push: (bytes: Buffer) => {
      stranger.bytes += bytes.length;
      link.push(bytes);
    },
    leave: () => {
      world.member(LEADER).peer.step({ kind: 'link-closed', link: link.id, reason: 'hung up' });
      world.settle();
    },
  });
}

/** The quorum port of a serving leader. Input from a stranger may only end its own link. */
export const leaderLink: Target = {
  name: 'leader-link',
  seeds: packetSeeds,
  words: [packet(PacketType.FOLLOWERINFO, 0n, info(2n))],
  run: (input) => {
    try {
      const world = ensemble();
      const link = world.link(LEADER, () => undefined);
      link.push(Buffer.from(input));
      if (world.leader !== LEADER) throw new Error('a stranger ended the leadership');
    } catch (error) {
      shared = undefined;
      throw error;
    }
  },
  connect: () => strangerOf(startEnsemble()),
  units: packetsOfAllTypes(0x100000001n),
  renew: () => {
    shared = undefined;
  },
};

const VOTE = { leader: 3, zxid: 0x100000001n, electionEpoch: 1n, peerEpoch: 1n };

export const electionPackets: Target = {
  name: 'election-packets',
  seeds: () => [
    encodeNotification({ state: PEER_STATES[0], vote: VOTE, version: 2, config: 'version=0' }),
    encodePreamble({ sid: 2, addresses: [{ host: '127.0.0.1', port: 3888 }] }, true),
    encodePreamble({ sid: 2, addresses: [{ host: '[::1]', port: 3888 }] }, false),
  ],
  words: ['|', ':', '127.0.0.1:3888', '[::1]:3888'],
  run: (input) => {
    const found = decodeNotification(Buffer.from(input));
    // Only the newest format is written, and no member has an id beyond the safe integers.
    if (typeof found !== 'string' && Number.isSafeInteger(found.vote.leader)) {
      const again = decodeNotification(encodeNotification(found));
      const vote = typeof again === 'string' ? again : again.vote;
      expectSame(vote, found.vote, 'the vote, decoded again');
    }
    readPreamble(Buffer.from(input));
  },
};
