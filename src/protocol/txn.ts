/** Module org.apache.zookeeper.txn of zookeeper.jute: the records of the log and of proposals. */
import { bool, buffer, int, long, record, type TypeOf, ustring, vector } from '../jute/record.js';
import { ACLVector } from './data.js';

export const TxnHeader = record('TxnHeader', {
  clientId: long,
  cxid: int,
  zxid: long,
  time: long,
  type: int,
});
export type TxnHeader = TypeOf<typeof TxnHeader>;

/** The tree digest after the txn. Readers skip a missing one, or one of another version. */
export const TxnDigest = record('TxnDigest', { version: int, treeDigest: long });
export type TxnDigest = TypeOf<typeof TxnDigest>;

/** Also create2 (15). */
export const CreateTxn = record('CreateTxn', {
  path: ustring,
  data: buffer,
  acl: ACLVector,
  ephemeral: bool,
  parentCVersion: int,
});
export type CreateTxn = TypeOf<typeof CreateTxn>;
export const CreateContainerTxn = record('CreateContainerTxn', {
  path: ustring,
  data: buffer,
  acl: ACLVector,
  parentCVersion: int,
});
export type CreateContainerTxn = TypeOf<typeof CreateContainerTxn>;
export const CreateTTLTxn = record('CreateTTLTxn', {
  path: ustring,
  data: buffer,
  acl: ACLVector,
  parentCVersion: int,
  ttl: long,
});
export type CreateTTLTxn = TypeOf<typeof CreateTTLTxn>;
/** Also deleteContainer (20). */
export const DeleteTxn = record('DeleteTxn', { path: ustring });
/** Also reconfig (16), with path /zookeeper/config and version -1. `version` is the new version. */
export const SetDataTxn = record('SetDataTxn', { path: ustring, data: buffer, version: int });
export const SetACLTxn = record('SetACLTxn', { path: ustring, acl: ACLVector, version: int });
export const CheckVersionTxn = record('CheckVersionTxn', { path: ustring, version: int });
export const CreateSessionTxn = record('CreateSessionTxn', { timeOut: int });
/** Absent from logs written before 3.6. */
export const CloseSessionTxn = record('CloseSessionTxn', { paths2Delete: vector(ustring) });
export const ErrorTxn = record('ErrorTxn', { err: int });
export const SubTxn = record('Txn', { type: int, data: buffer });
export const MultiTxn = record('MultiTxn', { txns: vector(SubTxn) });
