/** Sizes in a log file, which txn-log.ts draws. */

/** "ZKLG", version, database id. */
export const LOG_HEADER_SIZE = 16;
/** Long checksum and int length before an entry. */
export const RECORD_PREFIX_SIZE = 12;
/** 'B' after every entry. */
export const END_OF_RECORD = 0x42;
/** An entry begins with a TxnHeader, so it is never shorter. */
export const TXN_HEADER_SIZE = 32;
