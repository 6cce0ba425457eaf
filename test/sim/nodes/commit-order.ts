import { PacketReader, PacketType } from '../../../src/server/quorum/wire/quorum-packet.js';
import { hex, Violation } from '../violation.js';

const MAX_TXN = 1 << 24;

/**
 * The packets of a leader on one link, besides the log and the snapshots that are streamed. When it
 * sends NEWLEADER, all proposals before are committed: a follower of Apache ZooKeeper 3.8.0 fails
 * on their commit later (ZOOKEEPER-4394).
 */
export class CommitOrder {
  private readonly reader = new PacketReader(MAX_TXN);
  private readonly uncommitted = new Set<bigint>();

  sent(bytes: Buffer): void {
    this.reader.push(bytes);
    for (let packet = this.reader.next(); packet !== null; packet = this.reader.next()) {
      const { type, zxid } = packet;
      if (type === PacketType.PROPOSAL) this.uncommitted.add(zxid);
      else if (type === PacketType.COMMIT || type === PacketType.COMMITANDACTIVATE) {
        this.uncommitted.delete(zxid);
      } else if (type === PacketType.NEWLEADER) this.check(zxid);
    }
  }

  private check(newLeader: bigint): void {
    const [first] = this.uncommitted;
    if (first === undefined) return;
    throw new Violation(
      `NEWLEADER ${hex(newLeader)} follows the uncommitted proposal ${hex(first)}`,
    );
  }
}
