/**
 * Plans how a leader syncs a learner from the txns in memory (LearnerHandler.syncFollower). A zxid
 * with counter 0 belongs to no txn: its server had all txns committed before that epoch. So no txn
 * follows it to truncate, and no log can be truncated to it.
 */
import { zxidCounter, zxidEpoch } from '../../../protocol/zxid.js';

export interface SyncHistory {
  /** Of the committed txns in memory, ascending. */
  readonly zxids: readonly bigint[];
  readonly lastProcessedZxid: bigint;
}

export type SyncPlan =
  | {
      readonly kind: 'diff';
      /** Index of the first txn in memory to send, or `zxids.length`. */
      readonly from: number;
      /** Of the DIFF packet. */
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
    // The learner saw an epoch without a committed txn, as this server did.
    const isKnown = zxids.length > 0 && peerLastZxid < lastProcessedZxid;
    return isKnown ? { kind: 'diff', from: zxids.length, zxid: peerLastZxid } : { kind: 'snap' };
  }
  const from = firstAbove(zxids, peerLastZxid);
  const before = zxids[from - 1] ?? max;
  if (before === peerLastZxid || isNewEpoch) return { kind: 'diff', from, zxid: max };
  // A truncation across epochs could leave an uncommitted txn at the end of the log.
  const isSameEpoch = zxidEpoch(zxids[from] ?? max) === zxidEpoch(peerLastZxid);
  return isSameEpoch ? truncateTo(before, from) : { kind: 'snap' };
}

function truncateTo(to: bigint, from: number): SyncPlan {
  return zxidCounter(to) === 0 ? { kind: 'snap' } : { kind: 'trunc', to, from };
}

/** Where the first zxid above one is, or the length. @param zxids ascending */
export function firstAbove(zxids: readonly bigint[], zxid: bigint): number {
  let low = 0;
  let high = zxids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((zxids[middle] as bigint) <= zxid) low = middle + 1;
    else high = middle;
  }
  return low;
}
