/**
 * Sends a learner the txns that it lacks (LearnerHandler.syncFollower):
 *
 *   memory has the missing txns   DIFF or TRUNC, those txns
 *   the log on disk has them      DIFF or TRUNC, the txns of the log, then those in memory
 *   neither                       SNAP, the txns of the log since, then those in memory
 *
 * Only committed txns are sent this way, though the log holds more. Those that are committed while
 * a stream is under way do not wait in memory: the log is read again until memory has the rest.
 */

import { isSuccessor, type LogPlace } from '../../../files/recovery.js';
import { zxidCounter } from '../../../protocol/zxid.js';
import { LIMITS } from '../../limits/limits.js';
import { snapshotContentOf } from '../../persistence/snapshot-content.js';
import type { CommittedTxn } from '../peer/committed-log.js';
import type { PeerHost } from '../peer/role.js';
import { PacketType } from '../wire/quorum-packet.js';
import type { LearnerHandler } from './learner-handler.js';
import type { LearnerMaster } from './learner-master.js';
import type { Learners } from './learners.js';
import { firstAbove, planSync, type SyncPlan } from './sync-plan.js';

export interface Logged {
  readonly place: LogPlace;
  readonly until: bigint;
}

/** A plan that needs no snapshot. */
type Txns = Extract<SyncPlan, { readonly kind: 'diff' | 'trunc' }>;

/** Txns that a learner gets from memory in one step, in bytes. */
const MAX_REST = LIMITS.keptTxnBytes.value;

const INFLIGHT = { snap: 'inflight_snap_count', diff: 'inflight_diff_count' } as const;

/** Called on the ack of NEWLEADER. */
export function endSync(handler: LearnerHandler, peer: PeerHost, learners: Learners): void {
  const { syncKind } = handler;
  handler.syncKind = null;
  peer.emit({ kind: 'link-proven', link: handler.link });
  if (syncKind !== null) peer.metrics.record(INFLIGHT[syncKind], learners.inSyncBy(syncKind));
}

/** Starts a search of the log; false if a search cannot help. */
export function searchLog(handler: LearnerHandler, peer: PeerHost): boolean {
  const { snapshotSizeFactor: sizeFactor } = peer.limits;
  const after = handler.lastZxid;
  // No log contains the whole history, so a learner without data needs a snapshot.
  if (sizeFactor < 0 || after === 0n) return false;
  const kept = peer.committedLog.zxidsKept();
  const { kind } = planKept(handler, peer, kept);
  if (kind !== 'old' && (kind === 'snap' || restInMemory(after, peer) !== null)) return false;
  const until = kept.at(-1) ?? peer.data.tree.lastProcessedZxid;
  if (zxidCounter(until) === 0) return false;
  peer.emit({ kind: 'search-log', link: handler.link, range: { after, until }, sizeFactor });
  return true;
}

/** Sends the missing txns. Returns why it cannot now, or "". */
export function syncLearner(
  handler: LearnerHandler,
  peer: PeerHost,
  learners: Learners,
  master: LearnerMaster,
  logged: Logged | null,
): string {
  const kept = peer.committedLog.zxidsKept();
  const plan = logged === null ? planKept(handler, peer, kept) : planLogged(handler, logged, kept);
  const isSnap = plan.kind === 'old' || plan.kind === 'snap' || isTooMuch(handler, peer, logged);
  const lacked = isSnap ? null : plan;
  handler.syncKind = lacked === null ? 'snap' : 'diff';
  const problem = tooManySyncs(handler, peer, learners);
  if (problem !== '') return problem;
  const { metrics } = peer;
  metrics.count(lacked === null ? 'snap_count' : 'diff_count');
  metrics.record(INFLIGHT[handler.syncKind], learners.inSyncBy(handler.syncKind));
  let how = '';
  if (lacked === null) how = sendSnapshot(handler, peer, learners, master);
  else how = `${sendPlan(handler, lacked)}${logged === null ? '' : ' from the log'}`;
  peer.note(`syncing ${handler.name} by ${how}`);
  return '';
}

function planKept(
  { lastZxid }: LearnerHandler,
  { data, currentEpoch }: PeerHost,
  zxids: readonly bigint[],
): SyncPlan {
  const { lastProcessedZxid } = data.tree;
  // A follower that took this epoch over has everything before it.
  const isEstablished = lastZxid === BigInt(currentEpoch) << 32n && lastZxid > lastProcessedZxid;
  return planSync(lastZxid, {
    zxids,
    lastProcessedZxid: isEstablished ? lastZxid : lastProcessedZxid,
  });
}

function planLogged(
  { lastZxid }: LearnerHandler,
  { place, until }: Logged,
  zxids: readonly bigint[],
): SyncPlan {
  const last = zxids.at(-1) ?? until;
  return planSync(lastZxid, { zxids: [place.at, place.next, last], lastProcessedZxid: last });
}

/** Why an observer must retry later, or "". Followers pass: they count toward the quorum. */
function tooManySyncs(
  { isObserver, syncKind }: LearnerHandler,
  peer: PeerHost,
  all: Learners,
): string {
  if (!isObserver || syncKind === null) return '';
  // The count includes this learner.
  const underWay = all.inSyncBy(syncKind) - 1;
  const { maxConcurrentSnapSyncs, maxConcurrentDiffSyncs } = peer.limits;
  if (syncKind === 'snap' && underWay >= maxConcurrentSnapSyncs) {
    return 'too many concurrent snapshot syncs (leader.maxConcurrentSnapSyncs)';
  }
  if (syncKind === 'diff' && underWay >= maxConcurrentDiffSyncs) {
    return 'too many concurrent diff syncs (leader.maxConcurrentDiffSyncs)';
  }
  return '';
}

/** Whether the txns are too many to send from memory, and the log does not have them all. */
function isTooMuch({ lastZxid }: LearnerHandler, peer: PeerHost, logged: Logged | null): boolean {
  if (logged !== null || peer.limits.snapshotSizeFactor < 0) return false;
  return restInMemory(lastZxid, peer) === null;
}

function sendPlan(handler: LearnerHandler, plan: Txns): string {
  if (plan.kind === 'diff') handler.send(PacketType.DIFF, plan.zxid);
  else handler.send(PacketType.TRUNC, plan.to);
  handler.sentZxid = plan.kind === 'diff' ? handler.lastZxid : plan.to;
  return plan.kind.toUpperCase();
}

/** The committed txns after one; null if memory has not all of them, or too much of them. */
export function restInMemory(
  after: bigint,
  { committedLog, limits }: PeerHost,
): CommittedTxn[] | null {
  const zxids = committedLog.zxidsKept();
  const from = firstAbove(zxids, after);
  const first = zxids[from];
  if (first === undefined) return [];
  if (from === 0 && !isSuccessor(after, first)) return null;
  const rest = committedLog.entries(from);
  const size = rest.reduce((sum, { entry }) => sum + entry.length, 0);
  return size > (limits.maxRestBytes ?? MAX_REST) ? null : rest;
}

/** Sends the committed txns that the log has; `log-sent` marks their end. */
export function sendLog(
  handler: LearnerHandler,
  peer: PeerHost,
  learners: Learners,
  master: LearnerMaster,
): void {
  learners.flush(handler);
  const { link, sentZxid: after } = handler;
  // A role that ends applies uncommitted txns, which no learner may see.
  const until = () => (learners.get(link) === handler ? master.storedZxid : null);
  peer.emit({ kind: 'link-log', link, tail: { after, until } });
}

/** Sends SNAP, then the tree while the server continues to serve. */
function sendSnapshot(
  handler: LearnerHandler,
  peer: PeerHost,
  learners: Learners,
  { server }: LearnerMaster,
): string {
  const zxid = peer.data.tree.lastProcessedZxid;
  const content = server === null ? { ...peer.data, zxid } : snapshotContentOf(server.state);
  handler.send(PacketType.SNAP, zxid);
  handler.sentZxid = zxid;
  learners.flush(handler);
  const { link } = handler;
  const isWanted = () => learners.get(link) === handler;
  peer.emit({ kind: 'link-snapshot', link, content, isWanted });
  return 'SNAP';
}
