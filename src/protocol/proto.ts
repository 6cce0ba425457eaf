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
import { ACLVector, ClientInfo } from './data.js';

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
export const DeleteRequest = record('DeleteRequest', { path: ustring, version: int });
export const CheckVersionRequest = record('CheckVersionRequest', { path: ustring, version: int });
export const SetDataRequest = record('SetDataRequest', {
  path: ustring,
  data: buffer,
  version: int,
});
export const SetACLRequest = record('SetACLRequest', {
  path: ustring,
  acl: ACLVector,
  version: int,
});
export const GetEphemeralsRequest = record('GetEphemeralsRequest', { prefixPath: ustring });
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
