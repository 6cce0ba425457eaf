// The first bytes of data files, in the record FileHeader of zookeeper.jute.

/** "ZKLG" */
export const TXNLOG_MAGIC = 0x5a4b4c47;
/** "ZKSN" */
export const SNAP_MAGIC = 0x5a4b534e;
