/**
 * Sends a learner the txns that it lacks (LearnerHandler.syncFollower):
 *
 *   memory has the missing txns   DIFF or TRUNC, those txns
 *   the log on disk has them      DIFF or TRUNC, the txns of the log, then those in memory
 *   neither                       SNAP
 *
 * Only committed txns are sent this way. The log holds more, so it is read up to a txn that was
 * committed when the search began.
 */
import { zxidCounter } from '../../../protocol/zxid.js';
import type { LogPlace } from '../../persistence/log-search.js';
import { isSuccessor } from '../../persistence/recovery.js';
import { snapshotContentOf } from '../../persistence/snapshot-content.js';
import type { CommittedTxn } from '../peer/committed-log.js';
import type { PeerHost } from '../peer/role.js';
import { PacketType, writeCommitted } from '../wire/quorum-packet.js';
import type { LearnerHandler } from './learner-handler.js';
import type { LearnerMaster } from './learner-master.js';
import type { Learners } from './learners.js';
import { planSync, type SyncPlan } from './sync-plan.js';

export interface Logged {
  readonly place: LogPlace;
  readonly until: bigint;
}

/** A plan that needs no snapshot. */
type Txns = Extract<SyncPlan, { readonly kind: 'diff' | 'trunc' }>;

/** More txns may be committed during a search than memory keeps. */
const MAX_SEARCHES = 3;

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
  if (sizeFactor < 0 || handler.searches >= MAX_SEARCHES || after === 0n) return false;
  const kept = peer.committedLog.zxidsKept();
  if (planKept(handler, peer, kept).kind !== 'old') return false;
  const until = kept.at(-1) ?? peer.data.tree.lastProcessedZxid;
  if (zxidCounter(until) === 0) return false;
  handler.searches++;
  peer.emit({ kind: 'search-log', link: handler.link, range: { after, until }, sizeFactor });
  return true;
}

/** Whether the txns in memory continue those up to `until`. */
export function isContinuedInMemory(until: bigint, peer: PeerHost): boolean {
  const [first] = peer.committedLog.zxidsKept();
  return first === undefined || first <= until || isSuccessor(until, first);
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
  const lacked = plan.kind === 'diff' || plan.kind === 'trunc' ? plan : null;
  handler.syncKind = lacked === null ? 'snap' : 'diff';
  const problem = tooManySyncs(handler, peer, learners);
  if (problem !== '') return problem;
  const { metrics } = peer;
  metrics.count(lacked === null ? 'snap_count' : 'diff_count');
  metrics.record(INFLIGHT[handler.syncKind], learners.inSyncBy(handler.syncKind));
  let how = '';
  if (lacked === null) how = sendSnapshot(handler, peer, learners, master);
  else if (logged === null) how = sendKept(handler, peer, lacked);
  else how = sendLogged(handler, peer, learners, lacked, logged);
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

function sendKept(handler: LearnerHandler, peer: PeerHost, plan: Txns): string {
  sendPlan(handler, plan);
  sendTxns(handler, peer.committedLog.entries(plan.from));
  return plan.kind.toUpperCase();
}

function sendLogged(
  handler: LearnerHandler,
  peer: PeerHost,
  learners: Learners,
  plan: Txns,
  { until }: Logged,
): string {
  sendPlan(handler, plan);
  learners.flush(handler);
  const range = { after: handler.lastZxid, until };
  peer.emit({ kind: 'link-log', link: handler.link, range });
  const { committedLog } = peer;
  const from = committedLog.zxidsKept().findIndex((zxid) => zxid > until);
  if (from >= 0) sendTxns(handler, committedLog.entries(from));
  return `${plan.kind.toUpperCase()} from the log`;
}

function sendPlan(handler: LearnerHandler, plan: Txns): void {
  if (plan.kind === 'diff') handler.send(PacketType.DIFF, plan.zxid);
  else handler.send(PacketType.TRUNC, plan.to);
}

function sendTxns(handler: LearnerHandler, txns: readonly CommittedTxn[]): void {
  for (const { zxid, entry } of txns) writeCommitted(handler.out, zxid, entry);
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
  learners.flush(handler);
  const { link } = handler;
  const isWanted = () => learners.get(link) === handler;
  peer.emit({ kind: 'link-snapshot', link, content, isWanted });
  return 'SNAP';
}
