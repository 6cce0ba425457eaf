import { zxidCounter, zxidEpoch } from '../../../src/protocol/zxid.js';
import {
  type Packet,
  PacketReader,
  PacketType,
  packetName,
  readLearnerInfo,
} from '../../../src/server/quorum/wire/quorum-packet.js';
import { hex, Violation } from '../violation.js';

const MAX_TXN = 1 << 24;
/**
 * How far ahead of the truth a lie is: more than the txns of an epoch. A txn that the leader has is
 * a lie that nobody can notice.
 */
export const BEYOND = 1_000_000n;

/** The history that a server offers: its current epoch, and its last txn. */
export interface Offer {
  readonly epoch: number;
  readonly zxid: bigint;
}

/** What a learner said on its link. */
interface Said {
  readonly reader: PacketReader;
  sid: number;
  isObserver: boolean;
  acceptedEpoch: number;
  /** The history that its ACKEPOCH offered. */
  offer: Offer | null;
  /** It acked NEWLEADER. */
  isInSync: boolean;
  ackedZxid: bigint;
  /** The epoch of the LEADERINFO that was sent. */
  ledEpoch: number;
  /** It must end the link, and so ack nothing after this zxid. */
  brokenAt: bigint | null;
  /** LEADERINFO named an epoch before the one that it accepted. */
  isEpochOld: boolean;
}

/** What learners said to this server, read from their links: it judges whose acks count. */
export class AckWatch {
  private readonly links = new Map<number, Said>();

  of(link: number): Said {
    const known = this.links.get(link);
    if (known !== undefined) return known;
    const said: Said = {
      reader: new PacketReader(MAX_TXN),
      sid: -1,
      isObserver: true,
      acceptedEpoch: 0,
      offer: null,
      isInSync: false,
      ackedZxid: 0n,
      ledEpoch: -1,
      brokenAt: null,
      isEpochOld: false,
    };
    this.links.set(link, said);
    return said;
  }

  received(link: number, bytes: Buffer): void {
    const said = this.of(link);
    said.reader.push(bytes);
    for (let packet = said.reader.next(); packet !== null; packet = said.reader.next()) {
      this.take(said, packet);
    }
  }

  private take(said: Said, { type, zxid, data }: Packet): void {
    switch (type) {
      case PacketType.FOLLOWERINFO:
      case PacketType.OBSERVERINFO:
        said.sid = readLearnerInfo(data)?.sid ?? -1;
        said.isObserver = type === PacketType.OBSERVERINFO;
        said.acceptedEpoch = zxidEpoch(zxid);
        break;
      case PacketType.ACKEPOCH:
        if (said.isEpochOld) {
          throw new Violation(`server ${said.sid} follows an epoch before the one it accepted`);
        }
        said.offer = { epoch: data?.readInt32BE(0) ?? -1, zxid };
        break;
      case PacketType.ACK:
        this.acked(said, zxid);
        break;
      default:
        break;
    }
  }

  private acked(said: Said, zxid: bigint): void {
    // Both ends may lie: an ack far ahead, or of an observer, is one of the learner's lies.
    const isFar = said.brokenAt !== null && zxid - said.brokenAt >= BEYOND / 2n;
    const isLie = isFar || (said.isObserver && zxidCounter(zxid) !== 0);
    if (said.brokenAt !== null && zxid > said.brokenAt && !isLie) {
      const text = `${packetName(PacketType.ACK)} ${hex(zxid)}`;
      throw new Violation(
        `server ${said.sid} continues with ${text} although txns after ${hex(said.brokenAt)} are missing`,
      );
    }
    if (zxidCounter(zxid) === 0) said.isInSync = true;
    else if (zxid > said.ackedZxid) said.ackedZxid = zxid;
  }

  /** The followers in sync that acked the txn. */
  ackersOf(zxid: bigint): Set<number> {
    return this.sids((said) => !said.isObserver && said.isInSync && said.ackedZxid >= zxid);
  }

  /** Those that acked NEWLEADER of the epoch. An observer may be a voter of the next membership. */
  inSync(epoch: number): Set<number> {
    return this.sids((said) => said.isInSync && said.ledEpoch === epoch);
  }

  /** Those that promised the epoch, with a history that is not newer than that of `own`. */
  promised(epoch: number, own: Offer): Set<number> {
    return this.sids(({ offer, ledEpoch }) => {
      if (offer === null || ledEpoch !== epoch || offer.epoch === -1) return false;
      return offer.epoch < own.epoch || (offer.epoch === own.epoch && offer.zxid <= own.zxid);
    });
  }

  private sids(isCounted: (said: Said) => boolean): Set<number> {
    const sids = new Set<number>();
    for (const said of this.links.values()) {
      if (said.sid >= 0 && isCounted(said)) sids.add(said.sid);
    }
    return sids;
  }
}
