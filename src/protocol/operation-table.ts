/**
 * Every request type that a client may send, as one row: its records, who answers it, and its
 * names in reports. Server, client and tests read their lists from here.
 */
import type { InputArchive } from '../jute/input-archive.js';
import type { RecordType } from '../jute/record.js';
import type { ACL } from './data.js';
import { OpCode } from './op-code.js';
import * as proto from './proto.js';

export interface OperationRow {
  /**
   * - `write`: the leader makes a txn of it
   * - `read`: the server of the client answers it from its applied tree
   * - `connection`: it concerns the connection and its session alone
   * - `part`: only within a multi
   */
  readonly kind: 'write' | 'read' | 'connection' | 'part';
  /** What `cons` prints as `lop` (FinalRequestProcessor's lastOp). */
  readonly lop: string;
  /** What the audit log calls it (AuditConstants). */
  readonly audit?: string;
  /** May a multi have it as a part? */
  readonly isPart?: true;
  /** Undefined where the body is a sequence of records: multi and multiRead. */
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
/** What a multi may hold. */
export const PARTS = codesOf(({ isPart }) => isPart === true);

/** What several requests have. */
export interface RequestFields {
  readonly path?: string;
  readonly acl?: readonly ACL[];
  readonly flags?: number;
}

/** @throws JuteError for a damaged body */
export function readRequest(code: number, input: InputArchive): RequestFields {
  return (OPERATION_TABLE.get(code)?.records?.request.read(input) ?? {}) as RequestFields;
}

/** "CREA" for a create; "NA" for what has no name there. */
export function lastOperationName(code: number): string {
  return code === OpCode.createSession ? 'SESS' : (OPERATION_TABLE.get(code)?.lop ?? 'NA');
}
