import { readTxn } from '../../files/txn.js';

/** After the session id, the cxid, and the zxid. */
const TIME_OFFSET = 20;

/** In ms since 1970, by the clock of the leader. */
export function timeOfTxn(entry: Buffer): number {
  return Number(entry.readBigInt64BE(TIME_OFFSET));
}

/** Null if the server logs no digests. */
export function digestOfTxn(entry: Buffer): bigint | null {
  return readTxn(entry).digest;
}
