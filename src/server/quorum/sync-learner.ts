/**
 * What a learner is sent so that its history becomes the leader's (LearnerHandler.syncFollower).
 */
import { snapshotContentOf } from '../snapshot-content.js';
import type { Broadcast } from './broadcast.js';
import type { LearnerHandler } from './learner-handler.js';
import type { Learners } from './learners.js';
import { PacketType } from './quorum-packet.js';
import type { PeerHost } from './role.js';
import { planSync, type SyncPlan } from './sync-plan.js';

/**
 * Sends what the learner lacks, and behind it what is proposed and not committed. Returns why it
 * cannot be done now; "" when it is.
 */
export function syncLearner(
  handler: LearnerHandler,
  peer: PeerHost,
  learners: Learners,
  broadcast: Broadcast | null,
): string {
  const how = sendHistory(handler, peer);
  if (how === 'snap') {
    const problem = sendSnapshot(handler, peer, learners, broadcast);
    if (problem !== '') return problem;
  }
  peer.note(`${handler.name} is brought in sync by ${how.toUpperCase()}`);
  if (!handler.isObserver) {
    for (const { zxid, entry } of broadcast?.outstanding.values() ?? []) {
      handler.send(PacketType.PROPOSAL, zxid, entry);
    }
  }
  return '';
}

/**
 * Sends DIFF or TRUNC and the committed txns that the learner lacks; where they are not at hand any
 * more nothing: then it needs a snapshot.
 */
function sendHistory(handler: LearnerHandler, peer: PeerHost): SyncPlan['kind'] {
  const txns = peer.committedLog.entries();
  const zxids = txns.map(({ zxid }) => zxid);
  const { lastProcessedZxid } = peer.data.tree;
  const plan = planSync(handler.lastZxid, { zxids, lastProcessedZxid });
  if (plan.kind === 'snap') return 'snap';
  if (plan.kind === 'diff') handler.send(PacketType.DIFF, plan.zxid);
  else handler.send(PacketType.TRUNC, plan.to);
  for (const { zxid, entry } of txns.slice(plan.from)) {
    handler.send(PacketType.PROPOSAL, zxid, entry);
    handler.send(PacketType.COMMIT, zxid);
  }
  return plan.kind;
}

/** The packet, and behind it the tree while serving goes on. */
function sendSnapshot(
  handler: LearnerHandler,
  peer: PeerHost,
  learners: Learners,
  broadcast: Broadcast | null,
): string {
  const underWay = [...learners.all()].filter(({ isSentSnapshot }) => isSentSnapshot);
  if (handler.isObserver && underWay.length >= peer.limits.maxConcurrentSnapSyncs) {
    return 'enough snapshots are being sent (leader.maxConcurrentSnapSyncs)';
  }
  const zxid = peer.data.tree.lastProcessedZxid;
  const content =
    broadcast === null ? { ...peer.data, zxid } : snapshotContentOf(broadcast.server.state);
  handler.isSentSnapshot = true;
  handler.send(PacketType.SNAP, zxid);
  learners.flush(handler);
  peer.emit({ kind: 'link-snapshot', link: handler.link, content });
  return '';
}
