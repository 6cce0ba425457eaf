/**
 * How a learner's history becomes a prefix of its leader's: nothing to do, the log cut back, or a
 * whole snapshot instead of what is here.
 */
import { formatZxid } from '../../../protocol/zxid.js';
import type { PeerHost } from '../peer/role.js';
import { PacketType, packetName } from '../wire/quorum-packet.js';
import { SnapshotReceiver } from './snapshot-receiver.js';

export class LearnerRestore {
  /** Null before the leader has decided, and when the learner is in sync. */
  mode: 'diff' | 'snap' | 'trunc' | null = null;
  private readonly peer: PeerHost;
  private truncateTo = 0n;
  private receiver: SnapshotReceiver | null = null;

  constructor(peer: PeerHost) {
    this.peer = peer;
  }

  /** What is wrong with that answer to what this server said that it has; "" when nothing is. */
  refuse(type: number): string {
    if (type === PacketType.SNAP || !this.peer.repair.isWanted) return '';
    this.peer.repair.refused();
    return `${packetName(type)} came for a server that has nothing (expected SNAP)`;
  }

  diff(): void {
    this.mode = 'diff';
  }

  truncate(zxid: bigint): void {
    this.mode = 'trunc';
    this.truncateTo = zxid;
    this.peer.emit({ kind: 'truncate', zxid });
  }

  /** The log is cut. Returns what is wrong with that; "" when nothing is. */
  truncated(lastZxid: bigint): string {
    if (lastZxid === this.truncateTo) return '';
    const [wanted, found] = [formatZxid(this.truncateTo), formatZxid(lastZxid)];
    return `the log was to be cut behind ${wanted}, and ends at ${found}`;
  }

  /** @param bytes what has come behind SNAP already */
  snapshot(zxid: bigint, bytes: Buffer): void {
    const { data, limits } = this.peer;
    this.mode = 'snap';
    this.receiver = new SnapshotReceiver(zxid, data.tree, limits.maxTxnLength);
    this.receiver.push(bytes);
  }

  /** False when the bytes are no snapshot's. */
  push(bytes: Buffer): boolean {
    this.receiver?.push(bytes);
    return this.receiver !== null;
  }

  /**
   * When the snapshot is there whole it is what this server knows, and goes to the disk. Returns
   * what came behind it, or null while it is not.
   * @throws JuteError when it is damaged
   */
  receive(): Buffer | null {
    const { receiver, peer } = this;
    const data = receiver?.receive() ?? null;
    if (receiver === null || data === null) return null;
    this.receiver = null;
    const zxid = data.tree.lastProcessedZxid;
    peer.replaceData(data);
    const whenDurable = { kind: 'installed', zxid } as const;
    const mismatchZxid = peer.repair.taken();
    const content = { ...data, zxid };
    peer.emit({ kind: 'install-snapshot', content, mismatchZxid, whenDurable });
    return receiver.rest();
  }
}
