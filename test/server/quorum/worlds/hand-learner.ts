import { OutputArchive } from '../../../../src/jute/output-archive.js';
import {
  learnerInfo,
  PacketReader,
  PacketType,
  writePacket,
} from '../../../../src/server/quorum/wire/quorum-packet.js';
import type { EnsembleWorld } from './ensemble-world.js';

interface Sent {
  readonly type: number;
  readonly zxid: bigint;
}

/** A test drives member 1, or an observer, which the leader of three brings in sync. */
export class HandLearner {
  readonly sent: Sent[] = [];
  isClosed = false;
  private readonly link: { push(bytes: Buffer): void };

  constructor(world: EnsembleWorld, lastZxid: bigint, isOfKeeper = false, observer?: number) {
    const reader = new PacketReader(1 << 20);
    this.link = world.link(3, (bytes) => {
      this.isClosed ||= bytes === null;
      if (bytes !== null) reader.push(bytes);
      for (let packet = reader.next(); packet !== null; packet = reader.next()) {
        this.sent.push({ type: packet.type, zxid: packet.zxid });
      }
    });
    const info = learnerInfo({ sid: observer ?? 1, configVersion: 0n, isOfKeeper });
    this.say(observer === undefined ? PacketType.FOLLOWERINFO : PacketType.OBSERVERINFO, 0n, info);
    this.say(PacketType.ACKEPOCH, lastZxid, Buffer.alloc(4));
  }

  say(type: number, zxid: bigint, data: Buffer | null = null): void {
    const out = new OutputArchive();
    writePacket(out, type, zxid, data);
    this.link.push(out.take());
  }

  /** The names of the packets after LEADERINFO. */
  kinds(): string[] {
    const names = Object.entries(PacketType);
    const kinds = this.sent.map(({ type }) => names.find(([, number]) => number === type)?.[0]);
    return kinds.slice(kinds.indexOf('LEADERINFO') + 1).map((kind) => kind ?? 'unknown');
  }

  zxidsOf(type: number): bigint[] {
    return this.sent.filter((packet) => packet.type === type).map(({ zxid }) => zxid);
  }
}
