/**
 * How a leader brings a learner to its own history (LearnerHandler.syncFollower), from what it
 * keeps in memory.
 *
 * A zxid whose counter is 0 is that of no txn: it says that its server holds all that was
 * committed before its epoch was established, and nothing else. So there is nothing to cut off
 * behind it, and a log cannot be cut back to it.
 */
import { zxidCounter, zxidEpoch } from '../../../protocol/zxid.js';

export interface SyncHistory {
  /** Of the committed txns that are kept in memory, ascending. */
  readonly zxids: readonly bigint[];
  /** The last one that was applied here. */
  readonly lastProcessedZxid: bigint;
}

export type SyncPlan =
  | {
      readonly kind: 'diff';
      /** Index of the first kept txn to send; `zxids.length` for none. */
      readonly from: number;
      /** Of the DIFF packet. */
      readonly zxid: bigint;
    }
  | {
      readonly kind: 'trunc';
      /** Where the learner cuts its log back to. */
      readonly to: bigint;
      readonly from: number;
    }
  /** It lacks more than is kept: the log on the disk may have it, or it needs a snapshot. */
  | { readonly kind: 'old' }
  | { readonly kind: 'snap' };

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
    if (!isNewEpoch) return truncateTo(max, zxids.length);
    // It saw the establishment of an epoch that committed nothing more, as this server did.
    const isKnown = zxids.length > 0 && peerLastZxid < lastProcessedZxid;
    return isKnown ? { kind: 'diff', from: zxids.length, zxid: peerLastZxid } : { kind: 'snap' };
  }
  const from = firstAbove(zxids, peerLastZxid);
  const before = zxids[from - 1] ?? max;
  if (before === peerLastZxid || isNewEpoch) return { kind: 'diff', from, zxid: max };
  // Cutting across epochs could leave a txn that was never committed at the end of the log.
  const isSameEpoch = zxidEpoch(zxids[from] ?? max) === zxidEpoch(peerLastZxid);
  return isSameEpoch ? truncateTo(before, from) : { kind: 'snap' };
}

function truncateTo(to: bigint, from: number): SyncPlan {
  return zxidCounter(to) === 0 ? { kind: 'snap' } : { kind: 'trunc', to, from };
}

/** The index of the first zxid above `zxid`, by bisection. */
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
