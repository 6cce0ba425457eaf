// Records of zookeeper.jute that only tests read or write as declared: the server and the client
// write their own bytes for them. test/protocol/records.test.ts checks each byte.
import {
  bool,
  buffer,
  int,
  long,
  nullable,
  type RecordType,
  record,
  type TypeOf,
  ustring,
  vector,
} from '../../../src/jute/record.js';
import { ACLVector, Id, StatRecord } from '../../../src/protocol/data.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import * as proto from '../../../src/protocol/proto.js';

export const GetEphemeralsResponse = record('GetEphemeralsResponse', {
  ephemerals: vector(ustring),
});
/** Old clients omit the trailing `readOnly` byte; see `ConnectRequestV0`. */
export const ConnectRequest = record('ConnectRequest', {
  protocolVersion: int,
  lastZxidSeen: long,
  timeOut: int,
  sessionId: long,
  passwd: buffer,
  readOnly: bool,
});
export type ConnectRequest = TypeOf<typeof ConnectRequest>;
export const ConnectResponse = record('ConnectResponse', {
  protocolVersion: int,
  timeOut: int,
  sessionId: long,
  passwd: buffer,
  readOnly: bool,
});
export type ConnectResponse = TypeOf<typeof ConnectResponse>;
export const RequestHeader = record('RequestHeader', { xid: int, type: int });
export type RequestHeader = TypeOf<typeof RequestHeader>;
export const ReplyHeader = record('ReplyHeader', { xid: int, zxid: long, err: int });
export type ReplyHeader = TypeOf<typeof ReplyHeader>;
export const MultiHeader = record('MultiHeader', { type: int, done: bool, err: int });
export type MultiHeader = TypeOf<typeof MultiHeader>;
export const ErrorResponse = record('ErrorResponse', { err: int });
export type ErrorResponse = TypeOf<typeof ErrorResponse>;
export const WatcherEvent = record('WatcherEvent', { type: int, state: int, path: ustring });
export type WatcherEvent = TypeOf<typeof WatcherEvent>;
export const CreateResponse = record('CreateResponse', { path: ustring });
export const Create2Response = record('Create2Response', { path: ustring, stat: StatRecord });
export const ExistsResponse = record('ExistsResponse', { stat: StatRecord });
export const GetDataResponse = record('GetDataResponse', { data: buffer, stat: StatRecord });
export const SetDataResponse = record('SetDataResponse', { stat: StatRecord });
export const GetACLResponse = record('GetACLResponse', { acl: ACLVector, stat: StatRecord });
export const SetACLResponse = record('SetACLResponse', { stat: StatRecord });
export const GetChildrenResponse = record('GetChildrenResponse', { children: vector(ustring) });
export const GetChildren2Response = record('GetChildren2Response', {
  children: vector(ustring),
  stat: StatRecord,
});
export const SyncResponse = record('SyncResponse', { path: ustring });
export const GetAllChildrenNumberResponse = record('GetAllChildrenNumberResponse', {
  totalNumber: int,
});
export const SetSASLResponse = record('SetSASLResponse', { token: buffer });

export const LearnerInfo = record('LearnerInfo', {
  serverid: long,
  protocolVersion: int,
  configVersion: long,
});
export type LearnerInfo = TypeOf<typeof LearnerInfo>;
/** Sent without an outer length; null data and null authinfo are -1. */
export const QuorumPacket = record('QuorumPacket', {
  type: int,
  zxid: long,
  data: buffer,
  authinfo: nullable(vector(Id)),
});
export type QuorumPacket = TypeOf<typeof QuorumPacket>;
export const QuorumAuthPacket = record('QuorumAuthPacket', {
  magic: long,
  status: int,
  token: buffer,
});
export type QuorumAuthPacket = TypeOf<typeof QuorumAuthPacket>;

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
export const CreateSessionTxn = record('CreateSessionTxn', { timeOut: int });
export const SubTxn = record('Txn', { type: int, data: buffer });
export const MultiTxn = record('MultiTxn', { txns: vector(SubTxn) });

export const FileHeader = record('FileHeader', { magic: int, version: int, dbid: long });
export type FileHeader = TypeOf<typeof FileHeader>;

const { EmptyRecord } = proto;

/** The record of each reply, for all requests with one record. */
export const REPLIES: ReadonlyMap<number, RecordType<unknown>> = new Map<
  number,
  RecordType<unknown>
>([
  [OpCode.create, CreateResponse],
  [OpCode.create2, Create2Response],
  [OpCode.createContainer, Create2Response],
  [OpCode.createTTL, Create2Response],
  [OpCode.delete, EmptyRecord],
  [OpCode.setData, SetDataResponse],
  [OpCode.setACL, SetACLResponse],
  [OpCode.check, EmptyRecord],
  [OpCode.reconfig, GetDataResponse],
  [OpCode.exists, ExistsResponse],
  [OpCode.getData, GetDataResponse],
  [OpCode.getACL, GetACLResponse],
  [OpCode.getChildren, GetChildrenResponse],
  [OpCode.getChildren2, GetChildren2Response],
  [OpCode.getAllChildrenNumber, GetAllChildrenNumberResponse],
  [OpCode.getEphemerals, GetEphemeralsResponse],
  [OpCode.sync, SyncResponse],
  [OpCode.ping, EmptyRecord],
  [OpCode.whoAmI, proto.WhoAmIResponse],
  [OpCode.addWatch, ErrorResponse],
  [OpCode.checkWatches, EmptyRecord],
  [OpCode.removeWatches, EmptyRecord],
  [OpCode.setWatches, EmptyRecord],
  [OpCode.setWatches2, EmptyRecord],
  [OpCode.auth, EmptyRecord],
  [OpCode.sasl, SetSASLResponse],
  [OpCode.closeSession, EmptyRecord],
]);
