/**
 * Brings a learner in sync (LearnerHandler.syncFollower): plans what it lacks, sends it, and then
 * NEWLEADER.
 *
 *   memory has the missing txns   DIFF or TRUNC, those txns
 *   the log on disk has them      DIFF or TRUNC, the txns of the log, then those in memory
 *   neither                       SNAP, the txns of the log since, then those in memory
 *
 * Only committed txns are sent this way, though the log holds more. A stream of unknown length
 * precedes the rest, which is small and goes out in one step. Txns that are committed while a
 * stream is under way do not wait in memory: the log is read again until memory has the rest.
 * Uncommitted proposals follow NEWLEADER, never precede it.
 */
import { assert } from '../../../base/assert.js';
import { isSuccessor, type LogPlace } from '../../../files/recovery.js';
import { writeSnapshotStream } from '../../../files/snapshot.js';
import { zxidCounter, zxidEpoch } from '../../../protocol/zxid.js';
import type { QuorumEffect } from '../../effects.js';
import type { QuorumEvent } from '../../events.js';
import { LIMITS } from '../../limits/limits.js';
import { snapshotContentOf } from '../../persistence/snapshot-content.js';
import { bodySourceOf } from '../../persistence/snapshot-source.js';
import type { Server } from '../../server.js';
import { formatQuorumConfig } from '../membership/quorum-config.js';
import type { CommittedTxn } from '../peer/committed-log.js';
import type { Peer } from '../peer/peer.js';
import { type Packet, PacketType, writeCommitted } from '../wire/quorum-packet.js';
import type { Proposed } from './broadcast.js';
import type { LearnerHandler, Learners } from './learners.js';

/** Brings learners in sync: a leader, or a follower that has observers. */
export interface LearnerMaster {
  /** The zxid of NEWLEADER: the epoch with counter 0. */
  readonly newLeaderZxid: bigint;
  /** Null before it serves. */
  readonly server: Server | null;
  /** The last txn that is committed, and on the disk of this server. */
  readonly storedZxid: bigint;
  outstanding(): Iterable<Proposed>;
  /** The learner acked NEWLEADER, and lacks no txn. */
  synchronized(handler: LearnerHandler): void;
}

export class Synchronizer {
  private readonly peer: Peer;
  private readonly learners: Learners;
  private readonly master: LearnerMaster;

  constructor(peer: Peer, learners: Learners, master: LearnerMaster) {
    this.peer = peer;
    this.learners = learners;
    this.master = master;
  }

  /** What a leader and an observer master do alike with the links of their learners. */
  step(event: QuorumEvent, onPacket: (handler: LearnerHandler, packet: Packet) => void): void {
    switch (event.kind) {
      case 'link-opened':
        this.learners.open(event.link, event.remote);
        break;
      case 'link-received':
        this.learners.received(event.link, event.bytes, onPacket);
        break;
      case 'link-closed':
        this.learners.remove(event.link);
        break;
      case 'log-searched':
        this.searched(event);
        break;
      case 'snapshot-sent':
        this.catchUpOn(event.link);
        break;
      case 'log-sent':
        this.logSent(event);
        break;
      case 'link-output':
        this.noteOutput(event);
        break;
      default:
        break;
    }
  }

  begin(handler: LearnerHandler): void {
    assert(handler.stage === 'acked', 'learner: synced before its epoch', handler.stage);
    if (searchLog(handler, this.peer)) handler.stage = 'searching';
    else this.send(handler, null);
  }

  /**
   * A learner closes a link that is silent for initLimit, and the log is read once more before the
   * first txn goes out: a search that takes long ends by SNAP.
   */
  tick(): void {
    const { initLimit, tickTimeMs } = this.peer.limits;
    for (const handler of this.learners.all()) {
      if (handler.searchingMs > (initLimit * tickTimeMs) / 4) this.send(handler, null);
    }
  }

  private searched({ link, place, until }: Extract<QuorumEvent, { kind: 'log-searched' }>): void {
    const handler = this.learners.get(link);
    if (handler?.stage === 'searching') this.send(handler, place && { place, until });
  }

  private send(handler: LearnerHandler, logged: Logged | null): void {
    const { peer, learners, master } = this;
    handler.stage = 'streaming';
    const problem = syncLearner(handler, peer, learners, master, logged);
    assert(handler.syncKind !== null, 'learner: synced without a plan', handler.sid);
    if (problem !== '') learners.refuse(handler, problem);
    else if (logged !== null) sendLog(handler, peer, learners, master);
    else if (handler.syncKind === 'diff') this.catchUp(handler);
  }

  private logSent({ link, zxid }: Extract<QuorumEvent, { kind: 'log-sent' }>): void {
    const handler = this.learners.get(link);
    if (handler === undefined || (handler.stage !== 'streaming' && !handler.isBehind)) return;
    const { sentZxid } = handler;
    const { storedZxid } = this.master;
    const isStored = zxid === sentZxid || zxid <= storedZxid;
    assert(isStored, 'learner: sent a txn that is not stored', zxid, storedZxid);
    if (zxid > sentZxid) handler.sentCommitted(zxid);
    // The log had been written up to the last committed txn before it was read.
    if (zxid === sentZxid && restInMemory(zxid, this.peer) === null) {
      this.learners.refuse(handler, 'the log lacks the txns that were committed meanwhile');
    } else this.catchUp(handler);
  }

  private noteOutput({ link, state }: Extract<QuorumEvent, { kind: 'link-output' }>): void {
    const handler = this.learners.get(link);
    if (handler === undefined) return;
    if (state !== 'full') handler.moved();
    // A learner in sync is active soon, and syncLimit limits how much can wait for it.
    if (handler.stage !== 'syncing') return;
    if (state === 'full') handler.isBehind = true;
    else if (state === 'empty' && handler.isBehind) this.catchUp(handler);
  }

  private catchUpOn(link: number): void {
    const handler = this.learners.get(link);
    if (handler?.stage === 'streaming') this.catchUp(handler);
  }

  /**
   * Sends the rest of the committed txns in one step with the packets after them, because order
   * matters. A snapshot may contain txns that were applied while it was sent. They are in the rest,
   * so NEWLEADER comes after them: from there on, a learner compares digests.
   */
  private catchUp(handler: LearnerHandler): void {
    const { peer, learners, master } = this;
    const isStreaming = handler.stage === 'streaming';
    assert(isStreaming || handler.isBehind, 'learner: catches up with nothing', handler.stage);
    const rest = restInMemory(handler.sentZxid, peer);
    if (!isStreaming && !handler.isObserver) this.sendCommits(handler);
    if (rest === null) {
      sendLog(handler, peer, learners, master);
      return;
    }
    for (const { zxid, entry } of rest) {
      writeCommitted(handler.out, zxid, entry);
      handler.sentCommitted(zxid);
    }
    if (isStreaming) this.announce(handler);
    this.sendProposals(handler);
    handler.isBehind = false;
    if (handler.hasAcked) this.acked(handler);
  }

  /** Those since it is behind, of proposals that it got before. An epoch has no gaps. */
  private sendCommits(handler: LearnerHandler): void {
    const { newLeaderZxid } = this.master;
    const [pending] = this.master.outstanding();
    const { committedZxid, sentZxid } = handler;
    assert(committedZxid <= sentZxid, 'learner: a COMMIT before its txn', committedZxid, sentZxid);
    const last = pending !== undefined && pending.zxid <= sentZxid ? pending.zxid - 1n : sentZxid;
    const before = committedZxid > newLeaderZxid ? committedZxid : newLeaderZxid;
    for (let zxid = before + 1n; zxid <= last; zxid++) handler.commit(zxid);
  }

  private announce(handler: LearnerHandler): void {
    const { peer, master } = this;
    const { storedZxid } = master;
    // A zxid with counter 0 belongs to no txn.
    const hasAll = handler.sentZxid >= storedZxid || zxidCounter(storedZxid) === 0;
    assert(hasAll, 'learner: NEWLEADER before a committed txn', handler.sentZxid, storedZxid);
    handler.stage = 'syncing';
    handler.sentCommitted(handler.sentZxid);
    const { config, next } = peer.membership;
    // Once the leader serves, a proposed configuration may still be abandoned.
    const announced = master.server === null ? (next ?? config) : config;
    const text = Buffer.from(formatQuorumConfig(announced));
    handler.send(PacketType.NEWLEADER, master.newLeaderZxid, text);
  }

  private sendProposals(handler: LearnerHandler): void {
    if (handler.isObserver) return;
    for (const { zxid, entry } of this.master.outstanding()) {
      if (zxid > handler.sentZxid) handler.propose(zxid, entry.view());
    }
  }

  /** The learner acked NEWLEADER. */
  acked(handler: LearnerHandler): void {
    assert(handler.stage === 'syncing', 'learner: NEWLEADER acked too early', handler.stage);
    if (handler.isBehind) handler.hasAcked = true;
    else this.master.synchronized(handler);
  }
}

export interface SyncHistory {
  /** The zxids of the committed txns in memory, ascending. */
  readonly zxids: readonly bigint[];
  readonly lastProcessedZxid: bigint;
}

export type SyncPlan =
  | {
      readonly kind: 'diff';
      /** Index of the first txn in memory to send, or `zxids.length`. */
      readonly from: number;
      /** The zxid of the DIFF packet. */
      readonly zxid: bigint;
    }
  | {
      readonly kind: 'trunc';
      /** Last txn that the learner keeps. */
      readonly to: bigint;
      readonly from: number;
    }
  | { readonly kind: 'old' }
  | { readonly kind: 'snap' };

/**
 * Plans how a leader syncs a learner from the txns in memory (LearnerHandler.syncFollower). A zxid
 * with counter 0 belongs to no txn: its server had all txns committed before that epoch. So no txn
 * follows it to truncate, and no log can be truncated to it.
 */
export function planSync(peerLastZxid: bigint, history: SyncHistory): SyncPlan {
  const { zxids, lastProcessedZxid } = history;
  if (peerLastZxid === lastProcessedZxid) {
    return { kind: 'diff', from: zxids.length, zxid: peerLastZxid };
  }
  const min = zxids[0] ?? lastProcessedZxid;
  const max = zxids.at(-1) ?? lastProcessedZxid;
  if (peerLastZxid < min) return { kind: 'old' };
  const isNewEpoch = zxidCounter(peerLastZxid) === 0;
  if (peerLastZxid > max) {
    if (!isNewEpoch) return truncateTo(max, zxids.length, peerLastZxid);
    // The learner saw an epoch without a committed txn, as this server did.
    const isKnown = zxids.length > 0 && peerLastZxid < lastProcessedZxid;
    return isKnown ? { kind: 'diff', from: zxids.length, zxid: peerLastZxid } : { kind: 'snap' };
  }
  const from = firstAbove(zxids, peerLastZxid);
  assert(from > 0, 'learner: a plan without its last txn', peerLastZxid, min);
  const before = zxids[from - 1] ?? max;
  if (before === peerLastZxid || isNewEpoch) return { kind: 'diff', from, zxid: max };
  // A truncation across epochs could leave an uncommitted txn at the end of the log.
  const isSameEpoch = zxidEpoch(zxids[from] ?? max) === zxidEpoch(peerLastZxid);
  return isSameEpoch ? truncateTo(before, from, peerLastZxid) : { kind: 'snap' };
}

function truncateTo(to: bigint, from: number, peerLastZxid: bigint): SyncPlan {
  assert(to < peerLastZxid, 'learner: truncated to a later txn', to, peerLastZxid);
  return zxidCounter(to) === 0 ? { kind: 'snap' } : { kind: 'trunc', to, from };
}

/** Where the first zxid above one is, or the length. @param zxids ascending */
function firstAbove(zxids: readonly bigint[], zxid: bigint): number {
  let low = 0;
  let high = zxids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((zxids[middle] as bigint) <= zxid) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a search of the log found. */
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
export function endSync(handler: LearnerHandler, peer: Peer, learners: Learners): void {
  const { syncKind } = handler;
  assert(handler.stage === 'synced', 'learner: its sync ends too early', handler.stage);
  handler.syncKind = null;
  peer.emit({ kind: 'link-proven', link: handler.link });
  if (syncKind !== null) peer.metrics.record(INFLIGHT[syncKind], learners.inSyncBy(syncKind));
}

/** Starts a search of the log; false if a search cannot help. */
function searchLog(handler: LearnerHandler, peer: Peer): boolean {
  const { snapshotSizeFactor: sizeFactor } = peer.limits;
  const after = handler.lastZxid;
  // No log contains the whole history, so a learner without data needs a snapshot.
  if (sizeFactor < 0 || after === 0n) return false;
  const kept = peer.committedLog.zxidsKept();
  const { kind } = planKept(handler, peer, kept);
  if (kind !== 'old' && (kind === 'snap' || restInMemory(after, peer) !== null)) return false;
  const until = kept.at(-1) ?? peer.data.tree.lastProcessedZxid;
  if (zxidCounter(until) === 0) return false;
  assert(after < until, 'learner: a search of nothing', after, until);
  peer.emit({ kind: 'search-log', link: handler.link, range: { after, until }, sizeFactor });
  return true;
}

/** Sends the missing txns. Returns why it cannot now, or "". */
function syncLearner(
  handler: LearnerHandler,
  peer: Peer,
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
  { data, currentEpoch }: Peer,
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
function tooManySyncs({ isObserver, syncKind }: LearnerHandler, peer: Peer, all: Learners): string {
  if (!isObserver || syncKind === null) return '';
  // The count includes this learner.
  const underWay = all.inSyncBy(syncKind) - 1;
  assert(underWay >= 0, 'link: a sync that is not counted', underWay);
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
function isTooMuch({ lastZxid }: LearnerHandler, peer: Peer, logged: Logged | null): boolean {
  if (logged !== null || peer.limits.snapshotSizeFactor < 0) return false;
  return restInMemory(lastZxid, peer) === null;
}

function sendPlan(handler: LearnerHandler, plan: Txns): string {
  if (plan.kind === 'diff') handler.send(PacketType.DIFF, plan.zxid);
  else handler.send(PacketType.TRUNC, plan.to);
  handler.sentZxid = plan.kind === 'diff' ? handler.lastZxid : plan.to;
  const { sentZxid, lastZxid } = handler;
  assert(sentZxid <= lastZxid, 'learner: keeps what it does not have', sentZxid, lastZxid);
  return plan.kind.toUpperCase();
}

/** The committed txns after one; null if memory has not all of them, or too much of them. */
function restInMemory(after: bigint, { committedLog, limits }: Peer): CommittedTxn[] | null {
  const zxids = committedLog.zxidsKept();
  const from = firstAbove(zxids, after);
  const first = zxids[from];
  if (first === undefined) return [];
  assert(first > after, 'zxid order: the committed txns do not ascend', first, after);
  if (from === 0 && !isSuccessor(after, first)) return null;
  const rest = committedLog.entries(from);
  const size = rest.reduce((sum, { entry }) => sum + entry.length, 0);
  return size > (limits.maxRestBytes ?? MAX_REST) ? null : rest;
}

/** Sends the committed txns that the log has; `log-sent` marks their end. */
export function sendLog(
  handler: LearnerHandler,
  peer: Peer,
  learners: Learners,
  master: LearnerMaster,
): void {
  assert(handler.syncKind !== null, 'learner: reads the log without a sync', handler.sid);
  learners.flush(handler);
  const { link, sentZxid: after } = handler;
  // A role that ends applies uncommitted txns, which no learner may see.
  const until = () => (learners.get(link) === handler ? master.storedZxid : null);
  peer.emit({ kind: 'link-log', link, tail: { after, until } });
}

/** Sends SNAP, then the tree while the server continues to serve. */
function sendSnapshot(
  handler: LearnerHandler,
  peer: Peer,
  learners: Learners,
  { server }: LearnerMaster,
): string {
  const zxid = peer.data.tree.lastProcessedZxid;
  const content = server === null ? { ...peer.data, zxid } : snapshotContentOf(server.state);
  assert(handler.stage === 'streaming', 'learner: SNAP in another stage', handler.stage);
  handler.send(PacketType.SNAP, zxid);
  handler.sentZxid = zxid;
  learners.flush(handler);
  const { link } = handler;
  const isWanted = () => learners.get(link) === handler;
  peer.emit({ kind: 'link-snapshot', link, content, isWanted });
  return 'SNAP';
}

/** Ends the snapshot (LearnerHandler, Leader); zookeeper.jute does not declare its text. */
export const SNAP_STREAM_SIGNATURE = 'BenWasHere';

/**
 * The stream after SNAP, made piece by piece while the tree changes. @throws Error when the learner
 * is closed: a role that ends applies uncommitted txns of its log, which no learner may see
 */
export function* snapshotPieces(
  { content, isWanted }: Extract<QuorumEffect, { kind: 'link-snapshot' }>,
  pieceSize?: number,
): Generator<Buffer, void, undefined> {
  const pieces = writeSnapshotStream(bodySourceOf(content), SNAP_STREAM_SIGNATURE, pieceSize);
  for (;;) {
    if (!isWanted()) throw new Error('the link was closed before the whole snapshot was sent');
    const piece = pieces.next();
    if (piece.done === true) return;
    yield piece.value;
  }
}
