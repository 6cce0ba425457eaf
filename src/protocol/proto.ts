/** Module org.apache.zookeeper.proto of zookeeper.jute: requests and replies. */
import {
  bool,
  buffer,
  int,
  long,
  nullable,
  record,
  type TypeOf,
  ustring,
  vector,
} from '../jute/record.js';
import { ACLVector, ClientInfo, Stat } from './data.js';

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

export const EmptyRecord = record('EmptyRecord', {});
export const PathRequest = record('PathRequest', { path: ustring });
export const PathWatchRequest = record('PathWatchRequest', { path: ustring, watch: bool });
export type PathWatchRequest = TypeOf<typeof PathWatchRequest>;

export const CreateRequest = record('CreateRequest', {
  path: ustring,
  data: buffer,
  acl: ACLVector,
  flags: int,
});
export type CreateRequest = TypeOf<typeof CreateRequest>;
export const CreateTTLRequest = record('CreateTTLRequest', {
  path: ustring,
  data: buffer,
  acl: ACLVector,
  flags: int,
  ttl: long,
});
export type CreateTTLRequest = TypeOf<typeof CreateTTLRequest>;
export const CreateResponse = record('CreateResponse', { path: ustring });
export const Create2Response = record('Create2Response', { path: ustring, stat: Stat });
export const DeleteRequest = record('DeleteRequest', { path: ustring, version: int });
export const CheckVersionRequest = record('CheckVersionRequest', { path: ustring, version: int });
export const ExistsResponse = record('ExistsResponse', { stat: Stat });
export const GetDataResponse = record('GetDataResponse', { data: buffer, stat: Stat });
export const SetDataRequest = record('SetDataRequest', {
  path: ustring,
  data: buffer,
  version: int,
});
export const SetDataResponse = record('SetDataResponse', { stat: Stat });
export const GetACLResponse = record('GetACLResponse', { acl: ACLVector, stat: Stat });
export const SetACLRequest = record('SetACLRequest', {
  path: ustring,
  acl: ACLVector,
  version: int,
});
export const SetACLResponse = record('SetACLResponse', { stat: Stat });
export const GetChildrenResponse = record('GetChildrenResponse', { children: vector(ustring) });
export const GetChildren2Response = record('GetChildren2Response', {
  children: vector(ustring),
  stat: Stat,
});
export const SyncResponse = record('SyncResponse', { path: ustring });
export const GetEphemeralsRequest = record('GetEphemeralsRequest', { prefixPath: ustring });
export const GetEphemeralsResponse = record('GetEphemeralsResponse', {
  ephemerals: vector(ustring),
});
export const GetAllChildrenNumberResponse = record('GetAllChildrenNumberResponse', {
  totalNumber: int,
});
export const ReconfigRequest = record('ReconfigRequest', {
  joiningServers: nullable(ustring),
  leavingServers: nullable(ustring),
  newMembers: nullable(ustring),
  curConfigId: long,
});
export type ReconfigRequest = TypeOf<typeof ReconfigRequest>;
export const AuthPacket = record('AuthPacket', { type: int, scheme: ustring, auth: buffer });
export type AuthPacket = TypeOf<typeof AuthPacket>;
export const GetSASLRequest = record('GetSASLRequest', { token: buffer });
export const SetSASLResponse = record('SetSASLResponse', { token: buffer });
export const WhoAmIResponse = record('WhoAmIResponse', { clientInfo: vector(ClientInfo) });

export const AddWatchRequest = record('AddWatchRequest', { path: ustring, mode: int });
/** checkWatches (17) and removeWatches (18); `type` is a WatcherType. */
export const WatchesRequest = record('RemoveWatchesRequest', { path: ustring, type: int });
export const SetWatches = record('SetWatches', {
  relativeZxid: long,
  dataWatches: vector(ustring),
  existWatches: vector(ustring),
  childWatches: vector(ustring),
});
export const SetWatches2 = record('SetWatches2', {
  relativeZxid: long,
  dataWatches: vector(ustring),
  existWatches: vector(ustring),
  childWatches: vector(ustring),
  persistentWatches: vector(ustring),
  persistentRecursiveWatches: vector(ustring),
});
export type SetWatches2 = TypeOf<typeof SetWatches2>;
