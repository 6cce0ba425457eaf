import { OutputArchive } from '../../../../src/jute/output-archive.js';
import {
  PacketReader,
  PacketType,
  writePacket,
} from '../../../../src/server/quorum/wire/quorum-packet.js';
import type { EnsembleWorld } from './ensemble-world.js';

/** An observer that a test drives, at the port of follower 1. */
export class HandObserver {
  readonly sent: { readonly type: number; readonly zxid: bigint }[] = [];
  isClosed = false;
  private readonly link: { push(bytes: Buffer): void };

  constructor(world: EnsembleWorld, sid = 1) {
    const reader = new PacketReader(1 << 20);
    this.link = world.link(
      sid,
      (bytes) => {
        this.isClosed ||= bytes === null;
        if (bytes !== null) reader.push(bytes);
        for (let packet = reader.next(); packet !== null; packet = reader.next()) {
          this.sent.push({ type: packet.type, zxid: packet.zxid });
        }
      },
      true,
    );
  }

  push(bytes: Buffer): void {
    this.link.push(bytes);
  }

  say(type: number, zxid = 0n, data: Buffer | null = null): void {
    const out = new OutputArchive();
    writePacket(out, type, zxid, data);
    this.link.push(out.take());
  }

  introduce(type: number = PacketType.OBSERVERINFO, configVersion = 0n): void {
    const info = Buffer.alloc(20);
    info.writeBigInt64BE(9n);
    info.writeInt32BE(0x10000, 8);
    info.writeBigInt64BE(configVersion, 12);
    this.say(type, 0n, info);
  }

  types(): number[] {
    return this.sent.map(({ type }) => type).filter((type) => type !== PacketType.PING);
  }
}
