import type { ByteRange } from '../../jute/byte-range.js';
import type { Request } from '../state/request.js';
import type { Txn } from '../tree/txn.js';

/** The leader as its pipeline sees it. */
export interface ProposalListener {
  /** `entry` is the txn in its logged and sent form; it does not change. */
  proposed(zxid: bigint, entry: ByteRange, txn: Txn): void;
  /** Called in zxid order, before the txn is applied. */
  committed(zxid: bigint): void;
  /** A sync was queued after all current proposals. */
  syncAsked(): void;
  /** Removes the oldest sync if it can be answered; if not, `commit` is called later. */
  takeSync(): boolean;
  /** Everything proposed before a learner's sync is committed, so the sync can be answered. */
  synced(request: Request): void;
}
