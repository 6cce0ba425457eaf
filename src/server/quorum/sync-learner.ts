/** What a learner is sent so that its history becomes the leader's (LearnerHandler.syncFollower). */
import type { SnapshotContent } from '../snapshot-content.js';
import type { CommittedTxn } from './committed-log.js';
import type { LearnerHandler } from './learner-handler.js';
import { PacketType } from './quorum-packet.js';
import type { PeerHost } from './role.js';
import { planSync, type SyncPlan } from './sync-plan.js';

/**
 * Sends DIFF or TRUNC and the committed txns that the learner lacks; where they are not at hand any
 * more nothing: then it needs a snapshot.
 */
export function sendHistory(handler: LearnerHandler, peer: PeerHost): SyncPlan['kind'] {
  const txns = peer.committedLog.entries();
  const zxids = txns.map(({ zxid }) => zxid);
  const { lastProcessedZxid } = peer.data.tree;
  const plan = planSync(handler.lastZxid, { zxids, lastProcessedZxid });
  if (plan.kind === 'snap') return 'snap';
  if (plan.kind === 'diff') handler.send(PacketType.DIFF, plan.zxid);
  else handler.send(PacketType.TRUNC, plan.to);
  sendCommitted(handler, txns.slice(plan.from));
  return plan.kind;
}

function sendCommitted(handler: LearnerHandler, txns: readonly CommittedTxn[]): void {
  for (const { zxid, entry } of txns) {
    handler.send(PacketType.PROPOSAL, zxid, entry);
    handler.send(PacketType.COMMIT, zxid);
  }
}

/** The packet, and behind it the tree while serving goes on. */
export function sendSnapshot(
  handler: LearnerHandler,
  peer: PeerHost,
  content: SnapshotContent,
  flush: (handler: LearnerHandler) => void,
): void {
  handler.isSentSnapshot = true;
  handler.send(PacketType.SNAP, content.zxid);
  flush(handler);
  peer.emit({ kind: 'link-snapshot', link: handler.link, content });
}
