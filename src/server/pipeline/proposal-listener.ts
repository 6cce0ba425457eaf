import type { ByteRange } from '../../jute/byte-range.js';
import type { Request } from '../state/request.js';
import type { Txn } from '../tree/txn.js';

/** A leader, as its pipeline knows it. */
export interface ProposalListener {
  /** `entry` is the txn as it is logged and sent; it stays as it is. */
  proposed(zxid: bigint, entry: ByteRange, txn: Txn): void;
  /** In zxid order, before the txn is applied. */
  committed(zxid: bigint): void;
  /** A sync takes its place behind all that is proposed. */
  syncAsked(): void;
  /** May the oldest sync be answered? Then it is; else `commit` comes again when it may. */
  takeSync(): boolean;
  /** A sync that a learner sent has its turn: all that was proposed before it is committed. */
  synced(request: Request): void;
}
