import type { RecordType } from '../jute/record.js';
import { OpCode } from './op-code.js';
import * as proto from './proto.js';

/** The request and reply record of an operation that has plain ones. */
export interface OpRecords {
  readonly request: RecordType<unknown>;
  readonly reply: RecordType<unknown>;
}

const { EmptyRecord } = proto;

function op<Q, P>(request: RecordType<Q>, reply: RecordType<P>): OpRecords {
  return {
    request: request as RecordType<unknown>,
    reply: reply as RecordType<unknown>,
  };
}

/** Every client operation but multi and multiRead, whose bodies are sequences of records. */
export const REQUESTS: ReadonlyMap<number, OpRecords> = new Map<number, OpRecords>([
  [OpCode.create, op(proto.CreateRequest, proto.CreateResponse)],
  [OpCode.create2, op(proto.CreateRequest, proto.Create2Response)],
  [OpCode.createContainer, op(proto.CreateRequest, proto.Create2Response)],
  [OpCode.createTTL, op(proto.CreateTTLRequest, proto.Create2Response)],
  [OpCode.delete, op(proto.DeleteRequest, EmptyRecord)],
  [OpCode.exists, op(proto.PathWatchRequest, proto.ExistsResponse)],
  [OpCode.getData, op(proto.PathWatchRequest, proto.GetDataResponse)],
  [OpCode.setData, op(proto.SetDataRequest, proto.SetDataResponse)],
  [OpCode.getACL, op(proto.PathRequest, proto.GetACLResponse)],
  [OpCode.setACL, op(proto.SetACLRequest, proto.SetACLResponse)],
  [OpCode.getChildren, op(proto.PathWatchRequest, proto.GetChildrenResponse)],
  [OpCode.getChildren2, op(proto.PathWatchRequest, proto.GetChildren2Response)],
  [OpCode.sync, op(proto.PathRequest, proto.SyncResponse)],
  [OpCode.ping, op(EmptyRecord, EmptyRecord)],
  [OpCode.check, op(proto.CheckVersionRequest, EmptyRecord)],
  [OpCode.reconfig, op(proto.ReconfigRequest, proto.GetDataResponse)],
  [OpCode.checkWatches, op(proto.WatchesRequest, EmptyRecord)],
  [OpCode.removeWatches, op(proto.WatchesRequest, EmptyRecord)],
  [OpCode.auth, op(proto.AuthPacket, EmptyRecord)],
  [OpCode.setWatches, op(proto.SetWatches, EmptyRecord)],
  [OpCode.setWatches2, op(proto.SetWatches2, EmptyRecord)],
  [OpCode.sasl, op(proto.GetSASLRequest, proto.SetSASLResponse)],
  [OpCode.getEphemerals, op(proto.GetEphemeralsRequest, proto.GetEphemeralsResponse)],
  [OpCode.getAllChildrenNumber, op(proto.PathRequest, proto.GetAllChildrenNumberResponse)],
  [OpCode.addWatch, op(proto.AddWatchRequest, proto.ErrorResponse)],
  [OpCode.whoAmI, op(EmptyRecord, proto.WhoAmIResponse)],
  [OpCode.closeSession, op(EmptyRecord, EmptyRecord)],
]);
