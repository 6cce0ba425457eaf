/** One row per request type of clients. Server, client and tests derive their lists from it. */
import type { InputArchive } from '../jute/input-archive.js';
import type { RecordType } from '../jute/record.js';
import type { ACL } from './data.js';
import {
  CheckStatRequest,
  FilteredListRequest,
  FilteredListWithStatsAndDataRequest,
  KeeperOpCode,
  ListRecursiveRequest,
  RemoveRecursiveRequest,
} from './keeper-dialect.js';
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
  readonly request: RecordType<unknown> | undefined;
}

function read(lop: string, request?: RecordType<unknown>): OperationRow {
  return { kind: 'read', lop, request };
}

function onConnection(lop: string, request: RecordType<unknown>): OperationRow {
  return { kind: 'connection', lop, request };
}

function create(request: RecordType<unknown>): OperationRow {
  return { kind: 'write', lop: 'CREA', audit: 'create', isPart: true, request };
}

function remove(request: RecordType<unknown>): OperationRow {
  return { kind: 'write', lop: 'DELE', audit: 'delete', isPart: true, request };
}

function check(request: RecordType<unknown>): OperationRow {
  return { kind: 'part', lop: 'CHEC', isPart: true, request };
}

const { EmptyRecord } = proto;

export const OPERATION_TABLE: ReadonlyMap<number, OperationRow> = new Map<number, OperationRow>([
  [OpCode.create, create(proto.CreateRequest)],
  [OpCode.create2, create(proto.CreateRequest)],
  [OpCode.createContainer, create(proto.CreateRequest)],
  [OpCode.createTTL, create(proto.CreateTTLRequest)],
  [OpCode.delete, remove(proto.DeleteRequest)],
  [
    OpCode.setData,
    {
      kind: 'write',
      lop: 'SETD',
      audit: 'setData',
      isPart: true,
      request: proto.SetDataRequest,
    },
  ],
  [
    OpCode.setACL,
    {
      kind: 'write',
      lop: 'SETA',
      audit: 'setAcl',
      request: proto.SetACLRequest,
    },
  ],
  [OpCode.check, check(proto.CheckVersionRequest)],
  [KeeperOpCode.checkNotExists, check(proto.CheckVersionRequest)],
  [KeeperOpCode.checkStat, check(CheckStatRequest)],
  [KeeperOpCode.createIfNotExists, create(proto.CreateRequest)],
  [KeeperOpCode.tryRemove, remove(proto.DeleteRequest)],
  [KeeperOpCode.removeRecursive, remove(RemoveRecursiveRequest)],
  [OpCode.multi, { kind: 'write', lop: 'MULT', audit: 'multiOperation', request: undefined }],
  [
    OpCode.reconfig,
    {
      kind: 'write',
      lop: 'RECO',
      audit: 'reconfig',
      request: proto.ReconfigRequest,
    },
  ],
  [OpCode.exists, read('EXIS', proto.PathWatchRequest)],
  [OpCode.getData, read('GETD', proto.PathWatchRequest)],
  [OpCode.getACL, read('GETA', proto.PathRequest)],
  [OpCode.getChildren, read('GETC', proto.PathWatchRequest)],
  [OpCode.getChildren2, read('GETC', proto.PathWatchRequest)],
  [KeeperOpCode.filteredList, read('GETC', FilteredListRequest)],
  [KeeperOpCode.filteredListWithStatsAndData, read('GETC', FilteredListWithStatsAndDataRequest)],
  [KeeperOpCode.listRecursive, read('GETC', ListRecursiveRequest)],
  [OpCode.getAllChildrenNumber, read('GETACN', proto.PathRequest)],
  [OpCode.getEphemerals, read('GETE', proto.GetEphemeralsRequest)],
  [OpCode.multiRead, read('MLTR')],
  [OpCode.sync, read('SYNC', proto.PathRequest)],
  [OpCode.ping, read('PING', EmptyRecord)],
  [OpCode.whoAmI, read('HOMI', EmptyRecord)],
  [OpCode.addWatch, read('ADDW', proto.AddWatchRequest)],
  [OpCode.checkWatches, read('CHKW', proto.WatchesRequest)],
  [OpCode.removeWatches, read('REMW', proto.WatchesRequest)],
  [OpCode.setWatches, read('SETW', proto.SetWatches)],
  [OpCode.setWatches2, read('STW2', proto.SetWatches2)],
  [OpCode.auth, onConnection('NA', proto.AuthPacket)],
  [OpCode.sasl, onConnection('NA', proto.GetSASLRequest)],
  [OpCode.closeSession, onConnection('CLOS', EmptyRecord)],
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
  return (OPERATION_TABLE.get(code)?.request?.read(input) ?? {}) as RequestFields;
}

/** "CREA" for a create; "NA" for other requests. */
export function lastOperationName(code: number): string {
  return code === OpCode.createSession ? 'SESS' : (OPERATION_TABLE.get(code)?.lop ?? 'NA');
}
