/** One row per request type of clients. Server, client and tests derive their lists from it. */
import type { InputArchive } from '../jute/input-archive.js';
import type { RecordType } from '../jute/record.js';
import type { ACL } from './data.js';
import { OpCode } from './op-code.js';
import * as proto from './proto.js';

export interface OperationRow {
  /**
   * - `write`: the leader turns it into a txn
   * - `read`: the client's server answers it from its applied tree
   * - `connection`: it concerns only the connection and its session
   * - `part`: only within a multi
   */
  readonly kind: 'write' | 'read' | 'connection' | 'part';
  /** Its name in `lop` of `cons` (FinalRequestProcessor's lastOp). */
  readonly lop: string;
  /** Its name in the audit log (AuditConstants). */
  readonly audit?: string;
  /** Whether a multi may contain it. */
  readonly isPart?: true;
  /** Undefined for a body of several records: multi and multiRead. */
  readonly records: OpRecords | undefined;
}

export interface OpRecords {
  readonly request: RecordType<unknown>;
  readonly reply: RecordType<unknown>;
}

function records<Q, P>(request: RecordType<Q>, reply: RecordType<P>): OpRecords {
  return {
    request: request as RecordType<unknown>,
    reply: reply as RecordType<unknown>,
  };
}

function read(lop: string, opRecords?: OpRecords): OperationRow {
  return { kind: 'read', lop, records: opRecords };
}

function onConnection(lop: string, opRecords: OpRecords): OperationRow {
  return { kind: 'connection', lop, records: opRecords };
}

function create(opRecords: OpRecords): OperationRow {
  return { kind: 'write', lop: 'CREA', audit: 'create', isPart: true, records: opRecords };
}

const { EmptyRecord } = proto;

export const OPERATION_TABLE: ReadonlyMap<number, OperationRow> = new Map<number, OperationRow>([
  [OpCode.create, create(records(proto.CreateRequest, proto.CreateResponse))],
  [OpCode.create2, create(records(proto.CreateRequest, proto.Create2Response))],
  [OpCode.createContainer, create(records(proto.CreateRequest, proto.Create2Response))],
  [OpCode.createTTL, create(records(proto.CreateTTLRequest, proto.Create2Response))],
  [
    OpCode.delete,
    {
      kind: 'write',
      lop: 'DELE',
      audit: 'delete',
      isPart: true,
      records: records(proto.DeleteRequest, EmptyRecord),
    },
  ],
  [
    OpCode.setData,
    {
      kind: 'write',
      lop: 'SETD',
      audit: 'setData',
      isPart: true,
      records: records(proto.SetDataRequest, proto.SetDataResponse),
    },
  ],
  [
    OpCode.setACL,
    {
      kind: 'write',
      lop: 'SETA',
      audit: 'setAcl',
      records: records(proto.SetACLRequest, proto.SetACLResponse),
    },
  ],
  [
    OpCode.check,
    {
      kind: 'part',
      lop: 'CHEC',
      isPart: true,
      records: records(proto.CheckVersionRequest, EmptyRecord),
    },
  ],
  [OpCode.multi, { kind: 'write', lop: 'MULT', audit: 'multiOperation', records: undefined }],
  [
    OpCode.reconfig,
    {
      kind: 'write',
      lop: 'RECO',
      audit: 'reconfig',
      records: records(proto.ReconfigRequest, proto.GetDataResponse),
    },
  ],
  [OpCode.exists, read('EXIS', records(proto.PathWatchRequest, proto.ExistsResponse))],
  [OpCode.getData, read('GETD', records(proto.PathWatchRequest, proto.GetDataResponse))],
  [OpCode.getACL, read('GETA', records(proto.PathRequest, proto.GetACLResponse))],
  [OpCode.getChildren, read('GETC', records(proto.PathWatchRequest, proto.GetChildrenResponse))],
  [OpCode.getChildren2, read('GETC', records(proto.PathWatchRequest, proto.GetChildren2Response))],
  [
    OpCode.getAllChildrenNumber,
    read('GETACN', records(proto.PathRequest, proto.GetAllChildrenNumberResponse)),
  ],
  [
    OpCode.getEphemerals,
    read('GETE', records(proto.GetEphemeralsRequest, proto.GetEphemeralsResponse)),
  ],
  [OpCode.multiRead, read('MLTR')],
  [OpCode.sync, read('SYNC', records(proto.PathRequest, proto.SyncResponse))],
  [OpCode.ping, read('PING', records(EmptyRecord, EmptyRecord))],
  [OpCode.whoAmI, read('HOMI', records(EmptyRecord, proto.WhoAmIResponse))],
  [OpCode.addWatch, read('ADDW', records(proto.AddWatchRequest, proto.ErrorResponse))],
  [OpCode.checkWatches, read('CHKW', records(proto.WatchesRequest, EmptyRecord))],
  [OpCode.removeWatches, read('REMW', records(proto.WatchesRequest, EmptyRecord))],
  [OpCode.setWatches, read('SETW', records(proto.SetWatches, EmptyRecord))],
  [OpCode.setWatches2, read('STW2', records(proto.SetWatches2, EmptyRecord))],
  [OpCode.auth, onConnection('NA', records(proto.AuthPacket, EmptyRecord))],
  [OpCode.sasl, onConnection('NA', records(proto.GetSASLRequest, proto.SetSASLResponse))],
  [OpCode.closeSession, onConnection('CLOS', records(EmptyRecord, EmptyRecord))],
]);

function codesOf(isChosen: (row: OperationRow) => boolean): ReadonlySet<number> {
  return new Set([...OPERATION_TABLE].filter(([, row]) => isChosen(row)).map(([code]) => code));
}

export const WRITES = codesOf(({ kind }) => kind === 'write');
export const READS = codesOf(({ kind }) => kind === 'read');
export const PARTS = codesOf(({ isPart }) => isPart === true);

export interface RequestFields {
  readonly path?: string;
  readonly acl?: readonly ACL[];
  readonly flags?: number;
}

export function readRequest(code: number, input: InputArchive): RequestFields {
  return (OPERATION_TABLE.get(code)?.records?.request.read(input) ?? {}) as RequestFields;
}

/** "CREA" for a create; "NA" for other requests. */
export function lastOperationName(code: number): string {
  return code === OpCode.createSession ? 'SESS' : (OPERATION_TABLE.get(code)?.lop ?? 'NA');
}
