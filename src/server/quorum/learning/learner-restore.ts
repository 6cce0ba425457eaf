/** Makes a learner's history a prefix of its leader's: kept, truncated, or replaced. */
import { formatZxid } from '../../../protocol/zxid.js';
import { leaveTree } from '../../tree/tree-memory.js';
import type { PeerHost } from '../peer/role.js';
import { PacketType, packetName } from '../wire/quorum-packet.js';
import { SnapshotReceiver } from './snapshot-receiver.js';

export class LearnerRestore {
  /** Null before the leader decided and once the learner is in sync. */
  mode: 'diff' | 'snap' | 'trunc' | null = null;
  private readonly peer: PeerHost;
  private truncateTo = 0n;
  private receiver: SnapshotReceiver | null = null;

  constructor(peer: PeerHost) {
    this.peer = peer;
  }

  /** Returns why the answer does not fit the zxid that this server reported, or "". */
  refuse(type: number): string {
    if (type === PacketType.SNAP || !this.peer.repair.isWanted) return '';
    this.peer.repair.refused();
    return `${packetName(type)}: unexpected for a server without data (expected SNAP)`;
  }

  diff(): void {
    this.mode = 'diff';
  }

  truncate(zxid: bigint): void {
    this.mode = 'trunc';
    this.truncateTo = zxid;
    this.peer.emit({ kind: 'truncate', zxid });
  }

  /** Returns what is wrong with the truncated log, or "". */
  truncated(lastZxid: bigint): string {
    leaveTree();
    if (lastZxid === this.truncateTo) return '';
    const [wanted, found] = [formatZxid(this.truncateTo), formatZxid(lastZxid)];
    return `truncated log: ends at ${found} (expected ${wanted})`;
  }

  /** @param bytes already received after SNAP */
  snapshot(zxid: bigint, bytes: Buffer): void {
    const { data, limits } = this.peer;
    this.mode = 'snap';
    this.receiver = new SnapshotReceiver(zxid, data.tree, limits.maxTxnLength);
    this.receiver.push(bytes);
  }

  /** False if the bytes are not from a snapshot. */
  push(bytes: Buffer): boolean {
    this.receiver?.push(bytes);
    return this.receiver !== null;
  }

  /**
   * Replaces the data of this server by the complete snapshot. Returns the bytes after it, or null
   * while it is incomplete. @throws JuteError when it is damaged
   */
  receive(): Buffer | null {
    const { receiver, peer } = this;
    const data = receiver?.receive() ?? null;
    if (receiver === null || data === null) return null;
    this.receiver = null;
    const zxid = data.tree.lastProcessedZxid;
    peer.replaceData(data);
    leaveTree();
    const whenDurable = { kind: 'installed', zxid } as const;
    const mismatchZxid = peer.repair.taken();
    const content = { ...data, zxid };
    peer.emit({ kind: 'install-snapshot', content, mismatchZxid, whenDurable });
    return receiver.rest();
  }
}
