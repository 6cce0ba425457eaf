/**
 * What a learner is sent so that its history becomes the leader's (LearnerHandler.syncFollower):
 *
 *   what it lacks is kept in memory   DIFF or TRUNC, those txns
 *   the log on the disk has it        DIFF or TRUNC, the txns of the log, those kept behind them
 *   else                              SNAP
 *
 * Only what is committed is sent so. The log holds more, and is read up to a txn that was committed
 * when the search for it began; what is outstanding follows as PROPOSALs.
 */
import { zxidCounter } from '../../protocol/zxid.js';
import type { LogPlace } from '../persistence/log-search.js';
import { isSuccessor } from '../persistence/recovery.js';
import { snapshotContentOf } from '../snapshot-content.js';
import type { Broadcast } from './broadcast.js';
import type { CommittedTxn } from './committed-log.js';
import type { LearnerHandler } from './learner-handler.js';
import type { Learners } from './learners.js';
import { PacketType, writeCommitted } from './quorum-packet.js';
import type { PeerHost } from './role.js';
import { planSync, type SyncPlan } from './sync-plan.js';

/** What the log on the disk has for a learner. */
export interface Logged {
  readonly place: LogPlace;
  /** The last txn to take from it. */
  readonly until: bigint;
}

/** While the log was looked through, more may have been committed than is kept. */
const MAX_SEARCHES = 3;

/** Asks for a search of the log where that may serve; false where it may not. */
export function searchLog(handler: LearnerHandler, peer: PeerHost): boolean {
  const { snapshotSizeFactor: sizeFactor } = peer.limits;
  const behind = handler.lastZxid;
  // Nobody logs a txn before the first: who has nothing needs a snapshot.
  if (sizeFactor < 0 || handler.searches >= MAX_SEARCHES || behind === 0n) return false;
  const txns = peer.committedLog.entries();
  if (planKept(handler, peer, txns).kind !== 'old') return false;
  const until = txns.at(-1)?.zxid ?? peer.data.tree.lastProcessedZxid;
  if (zxidCounter(until) === 0) return false;
  handler.searches++;
  peer.emit({ kind: 'search-log', link: handler.link, range: { behind, until }, sizeFactor });
  return true;
}

/** Do the txns that are kept go on where `until`, committed before, ends? */
export function isJoined(until: bigint, peer: PeerHost): boolean {
  const [first] = peer.committedLog.entries();
  return first === undefined || first.zxid <= until || isSuccessor(until, first.zxid);
}

/**
 * Sends what the learner lacks, and behind it what is proposed and not committed. Returns why it
 * cannot be done now; "" when it is.
 */
export function syncLearner(
  handler: LearnerHandler,
  peer: PeerHost,
  learners: Learners,
  broadcast: Broadcast | null,
  logged: Logged | null,
): string {
  let how = logged === null ? sendKept(handler, peer) : sendLogged(handler, peer, learners, logged);
  if (how === '') {
    const problem = sendSnapshot(handler, peer, learners, broadcast);
    if (problem !== '') return problem;
    how = 'SNAP';
  }
  peer.note(`${handler.name} is brought in sync by ${how}`);
  if (!handler.isObserver) {
    for (const { zxid, entry } of broadcast?.outstanding.values() ?? []) {
      handler.send(PacketType.PROPOSAL, zxid, entry);
    }
  }
  return '';
}

function planKept(
  { lastZxid }: LearnerHandler,
  { data }: PeerHost,
  txns: readonly CommittedTxn[],
): SyncPlan {
  const zxids = txns.map(({ zxid }) => zxid);
  return planSync(lastZxid, { zxids, lastProcessedZxid: data.tree.lastProcessedZxid });
}

/** DIFF or TRUNC and the txns behind it, as far as they are kept; "" and nothing else. */
function sendKept(handler: LearnerHandler, peer: PeerHost): string {
  const txns = peer.committedLog.entries();
  const plan = planKept(handler, peer, txns);
  const how = sendPlan(handler, plan);
  if (plan.kind === 'diff' || plan.kind === 'trunc') sendTxns(handler, txns.slice(plan.from));
  return how;
}

/** The same with the log's txns before those that are kept. */
function sendLogged(
  handler: LearnerHandler,
  peer: PeerHost,
  learners: Learners,
  { place, until }: Logged,
): string {
  const txns = peer.committedLog.entries();
  const last = txns.at(-1)?.zxid ?? until;
  const zxids = [place.at, place.next, last];
  const how = sendPlan(handler, planSync(handler.lastZxid, { zxids, lastProcessedZxid: last }));
  if (how === '') return '';
  learners.flush(handler);
  const range = { behind: handler.lastZxid, until };
  peer.emit({ kind: 'link-log', link: handler.link, range });
  sendTxns(
    handler,
    txns.filter(({ zxid }) => zxid > until),
  );
  return `${how} from the log`;
}

function sendPlan(handler: LearnerHandler, plan: SyncPlan): string {
  if (plan.kind === 'diff') handler.send(PacketType.DIFF, plan.zxid);
  else if (plan.kind === 'trunc') handler.send(PacketType.TRUNC, plan.to);
  else return '';
  return plan.kind.toUpperCase();
}

function sendTxns(handler: LearnerHandler, txns: readonly CommittedTxn[]): void {
  for (const { zxid, entry } of txns) writeCommitted(handler.out, zxid, entry);
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
