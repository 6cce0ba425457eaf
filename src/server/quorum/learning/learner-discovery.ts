/** Joins the leader's epoch (Learner.registerWithLeader): acks it only once it is on disk. */

import { RESET_ADVICE } from '../../../files/epochs.js';
import type { OutputArchive } from '../../../jute/output-archive.js';
import { zxidEpoch } from '../../../protocol/zxid.js';
import { MAX_EPOCHS_AHEAD } from '../membership/establishment.js';
import type { PeerHost } from '../peer/role.js';
import { learnerInfo } from '../wire/learner-data.js';
import { type Packet, PacketType, writePacket } from '../wire/quorum-packet.js';
import type { LearnerStage } from './learner-stage.js';

export class LearnerDiscovery {
  newEpoch = 0;
  private readonly peer: PeerHost;
  private readonly out: OutputArchive;

  constructor(peer: PeerHost, out: OutputArchive) {
    this.peer = peer;
    this.out = out;
  }

  register(isObserver: boolean): LearnerStage {
    const { acceptedEpoch, repair } = this.peer;
    repair.follow();
    const type = isObserver ? PacketType.OBSERVERINFO : PacketType.FOLLOWERINFO;
    writePacket(this.out, type, BigInt(acceptedEpoch) << 32n, learnerInfo(this.peer));
    return 'registering';
  }

  /** Takes LEADERINFO: returns the next stage, or what is wrong with the packet. */
  receive({ zxid }: Packet): { readonly stage: LearnerStage } | string {
    const { acceptedEpoch } = this.peer;
    this.newEpoch = zxidEpoch(zxid);
    if (this.newEpoch < acceptedEpoch) {
      const isFar = acceptedEpoch > this.newEpoch + MAX_EPOCHS_AHEAD;
      const advice = isFar ? `. ${RESET_ADVICE}` : '';
      return `its epoch ${this.newEpoch} is older than the accepted epoch ${acceptedEpoch}${advice}`;
    }
    // Already promised to some leader, so it must not count twice.
    if (this.newEpoch === acceptedEpoch) return { stage: this.ack(-1) };
    this.peer.writeEpoch('acceptedEpoch', this.newEpoch);
    return { stage: 'accepting' };
  }

  ack(currentEpoch: number): LearnerStage {
    const { repair, times, nowMs, data: known } = this.peer;
    const zxid = repair.lastZxidOf(known.tree.lastProcessedZxid);
    times.syncing(nowMs);
    const data = Buffer.alloc(4);
    data.writeInt32BE(currentEpoch);
    writePacket(this.out, PacketType.ACKEPOCH, zxid, data);
    return 'acknowledged';
  }
}
