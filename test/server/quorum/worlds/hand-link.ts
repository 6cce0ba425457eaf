import { OutputArchive } from '../../../../src/jute/output-archive.js';
import type { Id } from '../../../../src/protocol/data.js';
import { Leader } from '../../../../src/server/quorum/leading/leader.js';
import type { LearnerHandler } from '../../../../src/server/quorum/leading/learners.js';
import {
  PacketReader,
  PacketType,
  writePacket,
} from '../../../../src/server/quorum/wire/quorum-packet.js';
import type { EnsembleWorld } from './ensemble-world.js';
import type { HeldLink, LinkNews } from './world-links.js';

/** A link to a leader whose packets a test makes, step by step. */
export class HandLink {
  readonly sent: { readonly type: number; readonly zxid: bigint; readonly data: Buffer | null }[] =
    [];
  isClosed = false;
  /** Answers PING. */
  isAnswering = false;
  private readonly world: EnsembleWorld;
  private readonly leader: number;
  private readonly link: HeldLink;

  /** @param remote its address, as the leader sees it */
  constructor(world: EnsembleWorld, leader = 3, remote?: string) {
    const reader = new PacketReader(1 << 20);
    this.world = world;
    this.leader = leader;
    this.link = world.link(
      leader,
      (bytes) => {
        this.isClosed ||= bytes === null;
        if (bytes !== null) reader.push(bytes);
        for (let packet = reader.next(); packet !== null; packet = reader.next()) {
          const { type, zxid, data } = packet;
          this.sent.push({ type, zxid, data: data === null ? null : Buffer.from(data) });
          if (type === PacketType.PING && this.isAnswering) this.say(type, zxid, Buffer.alloc(0));
        }
      },
      false,
      remote,
    );
  }

  push(bytes: Buffer): void {
    this.link.push(bytes);
  }

  tell(news: LinkNews): void {
    this.link.tell(news);
  }

  say(type: number, zxid = 0n, data: Buffer | null = null, ids: readonly Id[] | null = null): void {
    const out = new OutputArchive();
    writePacket(out, type, zxid, data, ids);
    this.link.push(out.take());
  }

  introduce(sid: number, type: number = PacketType.FOLLOWERINFO, acceptedEpoch = 0): void {
    const info = Buffer.alloc(20);
    info.writeBigInt64BE(BigInt(sid));
    info.writeInt32BE(0x10000, 8);
    this.say(type, BigInt(acceptedEpoch) << 32n, info);
  }

  /** The whole handshake. */
  join(sid: number, type: number = PacketType.FOLLOWERINFO): void {
    this.introduce(sid, type);
    this.goOn();
  }

  /** The steps after LEADERINFO. */
  goOn(): void {
    const { lastProcessedZxid } = this.world.member(this.leader).peer.data.tree;
    this.say(PacketType.ACKEPOCH, lastProcessedZxid, Buffer.alloc(4));
    const newLeader = this.sent.find(({ type }) => type === PacketType.NEWLEADER)?.zxid ?? 0n;
    this.say(PacketType.ACK, newLeader);
  }

  request(sessionId: bigint, cxid: number, type: number, body: Buffer, ids: readonly Id[]): void {
    const head = Buffer.alloc(16);
    head.writeBigInt64BE(BigInt.asIntN(64, sessionId));
    head.writeInt32BE(cxid, 8);
    head.writeInt32BE(type, 12);
    this.say(PacketType.REQUEST, -1n, Buffer.concat([head, body]), ids);
  }

  revalidate(sessionId: bigint, timeoutMs = 4000): void {
    const data = Buffer.alloc(12);
    data.writeBigInt64BE(BigInt.asIntN(64, sessionId));
    data.writeInt32BE(timeoutMs, 8);
    this.say(PacketType.REVALIDATE, -1n, data);
  }

  has(type: number): boolean {
    return this.sent.some((packet) => packet.type === type);
  }

  /** As the leader sees it. */
  get handler(): LearnerHandler | undefined {
    const { role } = this.world.member(this.leader).peer;
    return role instanceof Leader ? role.learners.get(this.link.id) : undefined;
  }
}
