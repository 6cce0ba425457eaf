import type { Txn } from '../../files/txn.js';
import type { ByteRange } from '../../jute/byte-range.js';
import type { Request } from '../state/request.js';

export interface ProposalListener {
  /** @param entry the txn as it is logged and sent; it does not change */
  proposed(zxid: bigint, entry: ByteRange, txn: Txn): void;
  /** Called in zxid order, before the txn is applied. */
  committed(zxid: bigint): void;
  /** A sync was queued after all proposals so far. */
  syncAsked(): void;
  /** Removes the oldest sync if it can be answered; if not, `commit` is called later. */
  takeSync(): boolean;
  /** The proposals before a learner's sync are committed, so the sync can be answered. */
  synced(request: Request): void;
}
