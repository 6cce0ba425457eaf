import { OutputArchive } from '../../../src/jute/output-archive.js';
import { zxidCounter, zxidEpoch } from '../../../src/protocol/zxid.js';
import {
  type Packet,
  PacketReader,
  PacketType,
  writePacket,
} from '../../../src/server/quorum/wire/quorum-packet.js';
import type { Random } from '../../support/random.js';
import { type AckWatch, BEYOND } from './ack-watch.js';

const MAX_TXN = 1 << 24;

/** A fault of a link, once. */
type Lie = 'gap' | 'commit' | 'old-epoch' | 'ahead' | 'ack-beyond' | 'observer-ack';

const OF_LEADERS: readonly Lie[] = ['gap', 'commit', 'old-epoch'];
const OF_LEARNERS: readonly Lie[] = ['ahead', 'ack-beyond', 'observer-ack'];

interface Line {
  readonly reader: PacketReader;
  readonly lie: Lie | null;
  /** Packets that could lie and do not. */
  patience: number;
  isDone: boolean;
  /** The txn that is left out. */
  dropped: bigint | null;
  lastProposed: bigint;
  isObserver: boolean;
}

/**
 * Changes what members send each other, as a member with a fault would: it leaves out a txn,
 * commits out of order, names an old epoch, claims a newer history, or acks what it does not have.
 * The other end must notice.
 */
export class Liar {
  private readonly random: Random;
  private readonly watch: AckWatch;
  /** The last zxid that any leader proposed. */
  private readonly lastProposed: () => bigint;
  private readonly lines = new Map<number, Line>();
  /** One link in this many lies; 0: none. */
  private readonly oneIn: () => number;

  constructor(
    random: Random,
    watch: AckWatch,
    { lastProposed, oneIn }: { lastProposed: () => bigint; oneIn: () => number },
  ) {
    this.random = random;
    this.watch = watch;
    this.lastProposed = lastProposed;
    this.oneIn = oneIn;
  }

  /** The bytes to send instead. */
  sending(link: number, bytes: Buffer): Buffer {
    const line = this.lineOf(link);
    line.reader.push(bytes);
    const packets: Packet[] = [];
    for (let packet = line.reader.next(); packet !== null; packet = line.reader.next()) {
      packets.push({ ...packet, data: packet.data === null ? null : Buffer.from(packet.data) });
    }
    const out = new OutputArchive();
    let isChanged = false;
    packets.forEach((packet, at) => {
      this.note(line, link, packet);
      const told = this.oneIn() === 0 ? [packet] : this.tell(line, link, packet, packets[at + 1]);
      if (told.length !== 1 || told[0] !== packet) isChanged = true;
      for (const { type, zxid, data, authinfo } of told) {
        writePacket(out, type, zxid, data, authinfo);
      }
    });
    return isChanged ? out.take() : bytes;
  }

  private lineOf(link: number): Line {
    const known = this.lines.get(link);
    if (known !== undefined) return known;
    const { random } = this;
    const oneIn = this.oneIn();
    const isLying = oneIn > 0 && random.oneIn(oneIn);
    const line: Line = {
      reader: new PacketReader(MAX_TXN),
      // A learner dials, and the leader accepts.
      lie: isLying ? random.pick(link > 0 ? OF_LEADERS : OF_LEARNERS) : null,
      patience: random.oneIn(2) ? 0 : random.below(30),
      isDone: false,
      dropped: null,
      lastProposed: 0n,
      isObserver: false,
    };
    this.lines.set(link, line);
    return line;
  }

  private note(line: Line, link: number, { type, zxid }: Packet): void {
    if (type === PacketType.PROPOSAL || type === PacketType.INFORM) line.lastProposed = zxid;
    if (type === PacketType.LEADERINFO) this.watch.of(link).ledEpoch = zxidEpoch(zxid);
    if (type === PacketType.OBSERVERINFO) line.isObserver = true;
  }

  private tell(line: Line, link: number, packet: Packet, next: Packet | undefined): Packet[] {
    if (line.dropped !== null && packet.type === PacketType.COMMIT) {
      return packet.zxid === line.dropped ? [] : [packet];
    }
    // It has no zxid that would show the learner what it lacks.
    if (line.dropped !== null && packet.type === PacketType.SYNC) return [];
    const lied = line.isDone ? null : this.lie(line, link, packet, next);
    if (lied === null) return [packet];
    const isOnce = line.lie === 'ahead' || line.lie === 'old-epoch';
    if (!isOnce && line.patience-- > 0) return [packet];
    line.isDone = true;
    return lied();
  }

  /** How to lie about this packet; null if the lie of the link is about others. */
  private lie(
    line: Line,
    link: number,
    packet: Packet,
    next: Packet | undefined,
  ): (() => Packet[]) | null {
    const { type, zxid } = packet;
    switch (line.lie) {
      case 'gap':
        return this.isGap(link, packet, next) ? () => this.drop(line, link, zxid) : null;
      case 'commit':
        if (type !== PacketType.COMMIT || line.lastProposed < zxid + 1n) return null;
        if (!this.watch.of(link).isInSync) return null;
        return () => {
          this.watch.of(link).brokenAt = line.lastProposed;
          return [{ ...packet, zxid: zxid + 1n }];
        };
      case 'old-epoch': {
        const { acceptedEpoch } = this.watch.of(link);
        if (type !== PacketType.LEADERINFO || acceptedEpoch === 0) return null;
        return () => {
          this.watch.of(link).isEpochOld = true;
          return [{ ...packet, zxid: BigInt(acceptedEpoch - 1) << 32n }];
        };
      }
      case 'ahead':
        return type === PacketType.ACKEPOCH ? () => [this.boast(packet)] : null;
      case 'ack-beyond':
        if (type !== PacketType.ACK || zxidCounter(zxid) === 0 || line.isObserver) return null;
        return () => [{ ...packet, zxid: zxid + BEYOND }];
      case 'observer-ack': {
        if (type !== PacketType.PING || !line.isObserver) return null;
        const ack = { type: PacketType.ACK, zxid: this.lastProposed(), data: null, authinfo: null };
        line.patience = 0;
        return () => {
          line.isDone = false;
          return [packet, ack];
        };
      }
      default:
        return null;
    }
  }

  /** The learner can notice: another txn of the epoch follows, or will before an ack. */
  private isGap(link: number, packet: Packet, next: Packet | undefined): boolean {
    const isTxn = packet.type === PacketType.PROPOSAL || packet.type === PacketType.INFORM;
    if (!isTxn) return false;
    if (packet.type === PacketType.INFORM || this.watch.of(link).isInSync) {
      return zxidCounter(packet.zxid) > 1;
    }
    return next?.type === PacketType.PROPOSAL && next.zxid === packet.zxid + 1n;
  }

  private drop(line: Line, link: number, zxid: bigint): Packet[] {
    line.dropped = zxid;
    this.watch.of(link).brokenAt = zxid - 1n;
    return [];
  }

  /** ACKEPOCH with a newer history than anyone has. */
  private boast(packet: Packet): Packet {
    const { data, zxid } = packet;
    const epoch = data?.readInt32BE(0) ?? -1;
    if (data === null || epoch < 0) return packet;
    if (this.random.oneIn(2)) return { ...packet, zxid: zxid + BEYOND };
    const boasted = Buffer.from(data);
    boasted.writeInt32BE(epoch + 1);
    return { ...packet, data: boasted };
  }
}
