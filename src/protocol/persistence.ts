/** Module org.apache.zookeeper.server.persistence of zookeeper.jute. */
import { int, long, record, type TypeOf } from '../jute/record.js';

export const FileHeader = record('FileHeader', { magic: int, version: int, dbid: long });
export type FileHeader = TypeOf<typeof FileHeader>;

/** "ZKLG" */
export const TXNLOG_MAGIC = 0x5a4b4c47;
/** "ZKSN" */
export const SNAP_MAGIC = 0x5a4b534e;
