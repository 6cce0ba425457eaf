import type { Effect } from '../../../src/server/effects.js';
import type { Event } from '../../../src/server/events.js';
import { SnapshotTrigger } from '../../../src/server/pipeline/snapshot-trigger.js';
import { QuorumPeer } from '../../../src/server/quorum/quorum-peer.js';
import {
  encodeNotification,
  type PeerState,
} from '../../../src/server/quorum/wire/notification.js';
import { PacketType } from '../../../src/server/quorum/wire/quorum-packet.js';
import { copyOf, emptyDisk, restore } from '../../server/quorum/worlds/memory-disk.js';
import { commonParts, LIMITS } from '../../sim/nodes/peer-parts.js';
import { parse } from '../../sim/shape.js';
import { Finding, type Stranger, type Target } from '../target.js';
import { snapshotOf, txnEntries } from './files.js';
import { packet, packetsOfAllTypes } from './quorum-packets.js';

const CONFIG = parse(
  [1, 2, 3]
    .map((sid) => `server.${sid}=127.0.0.${sid}:2000:3000:participant;4000`)
    .concat('version=0')
    .join('\n'),
);
const EPOCH = 1n;
const FIRST = EPOCH << 32n;

/** A member that follows server 3, whose packets are the input. */
export class Follower implements Stranger {
  bytes = 0;
  /** The member keeps proposals until the leader commits them. */
  readonly isStored = true;
  readonly peer: QuorumPeer;
  /** Called with what the member sends. */
  onSent: (bytes: Buffer) => void = () => undefined;
  /** The zxids of the snapshots that the member took by itself. */
  readonly taken: bigint[] = [];
  private readonly disk;
  private link: number | undefined;
  private readonly work: Event[] = [];
  private nowMs = 1000;

  /** @param epoch the one that the member accepted last */
  constructor(epoch = 0) {
    this.disk = emptyDisk();
    const { database, committedLog } = restore(this.disk, undefined);
    const limits = { ...LIMITS, tickTimeMs: 1000 };
    this.peer = new QuorumPeer({
      sid: 1,
      config: CONFIG,
      ...commonParts({ limits, isReconfigEnabled: false }),
      acceptedEpoch: epoch,
      currentEpoch: 0,
      data: { tree: database.tree, sessions: [] },
      committedLog,
      snapshots: new SnapshotTrigger({ snapCount: 100_000, snapSize: 0, growth: 0 }, 1),
      seed: 1,
    });
    this.pass();
    this.hear(3, 'leading');
    this.hear(2, 'following');
    for (let i = 0; i < 20 && this.link === undefined; i++) this.pass();
    if (this.link === undefined) throw new Finding('the member did not find its leader');
  }

  get isHeld(): boolean {
    return this.link === undefined;
  }

  push(bytes: Buffer): void {
    this.bytes += bytes.length;
    if (this.link !== undefined) this.step({ kind: 'link-received', link: this.link, bytes });
  }

  pass(): void {
    this.nowMs += 50;
    const wallMs = 1_800_000_000_000 + this.nowMs;
    this.step({ kind: 'clock', wallMs, monotonicMs: this.nowMs });
  }

  leave(): void {
    const { link } = this;
    if (link !== undefined) this.step({ kind: 'link-closed', link, reason: 'hung up' });
  }

  private hear(sid: number, state: PeerState): void {
    const vote = { leader: 3, zxid: 0n, electionEpoch: 1n, peerEpoch: 0n };
    const frame = encodeNotification({ state, vote, version: 2, config: 'version=0' });
    this.step({ kind: 'notified', sid, frame });
  }

  private step(event: Event): void {
    this.peer.step(event);
    for (let rounds = 0; rounds < 64; rounds++) {
      const effects = this.peer.drain();
      for (const effect of effects) this.perform(effect);
      const done = this.work.shift();
      if (done !== undefined) this.peer.step(done);
      else if (effects.length === 0) return;
    }
  }

  private perform(effect: Effect): void {
    switch (effect.kind) {
      case 'link-dial':
        this.link = effect.link;
        this.work.push({ kind: 'link-opened', link: effect.link, remote: 'server 3' });
        break;
      case 'link-close':
        if (effect.link === this.link) this.link = undefined;
        break;
      case 'link-send':
        this.onSent(effect.bytes);
        break;
      case 'append':
      case 'write-epoch':
        this.work.push(effect.whenDurable);
        break;
      case 'install-snapshot':
        this.disk.base = copyOf(effect.content);
        this.work.push(effect.whenDurable);
        break;
      case 'snapshot':
        this.taken.push(effect.content.zxid);
        break;
      case 'truncate':
        this.work.push({ kind: 'truncated', database: restore(this.disk).database });
        break;
      default:
        break;
    }
  }
}

function streamOf(...packets: readonly Buffer[]): Buffer {
  return Buffer.concat(packets);
}

function seeds(): Buffer[] {
  const version = Buffer.alloc(4);
  version.writeInt32BE(0x10000);
  const leaderInfo = packet(PacketType.LEADERINFO, FIRST, version);
  const joined = [
    packet(PacketType.NEWLEADER, FIRST, Buffer.alloc(0)),
    packet(PacketType.UPTODATE, -1n),
  ];
  const txns = txnEntries().map((entry) =>
    packet(PacketType.PROPOSAL, entry.readBigInt64BE(12), entry),
  );
  const commits = [1n, 2n].map((n) => packet(PacketType.COMMIT, FIRST + n));
  const diff = packet(PacketType.DIFF, 0n);
  return [
    streamOf(leaderInfo),
    streamOf(leaderInfo, diff, ...joined),
    streamOf(leaderInfo, diff, ...txns, ...commits, ...joined),
    streamOf(leaderInfo, diff, ...joined, ...txns, ...commits, packet(PacketType.PING, FIRST)),
    streamOf(leaderInfo, packet(PacketType.TRUNC, 0n), ...joined),
    streamOf(leaderInfo, packet(PacketType.SNAP, FIRST + 1n), snapshotOf().subarray(16), ...joined),
  ];
}

/** The link to the leader: an input may end the link, and never the process. */
export const learnerLink: Target = {
  name: 'learner-link',
  seeds,
  words: [packet(PacketType.PING, FIRST), packet(PacketType.COMMIT, FIRST + 1n), 'BenWasHere'],
  run: (input) => {
    const follower = new Follower();
    const middle = input.length >> 1;
    follower.push(Buffer.from(input.subarray(0, middle)));
    follower.push(Buffer.from(input.subarray(middle)));
    follower.pass();
  },
  connect: () => new Follower(),
  units: packetsOfAllTypes(FIRST + 1n),
};
