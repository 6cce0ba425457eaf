/** Module org.apache.zookeeper.txn of zookeeper.jute: the records of the log and of proposals. */
import { buffer, int, record, ustring, vector } from '../jute/record.js';
import { ACLVector } from './data.js';

/** Also deleteContainer (20). */
export const DeleteTxn = record('DeleteTxn', { path: ustring });
/** Also reconfig (16), with path /zookeeper/config and version -1. `version` is the new version. */
export const SetDataTxn = record('SetDataTxn', { path: ustring, data: buffer, version: int });
export const SetACLTxn = record('SetACLTxn', { path: ustring, acl: ACLVector, version: int });
export const CheckVersionTxn = record('CheckVersionTxn', { path: ustring, version: int });
/** Absent from logs written before 3.6. */
export const CloseSessionTxn = record('CloseSessionTxn', { paths2Delete: vector(ustring) });
export const ErrorTxn = record('ErrorTxn', { err: int });
