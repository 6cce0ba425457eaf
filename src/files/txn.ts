/**
 * A log entry: TxnHeader, a body by type, and optionally the digest of the tree
 * (SerializeUtils.deserializeTxn). PROPOSAL and INFORM carry the same bytes.
 *
 * A reader must accept older entries: creates of 3.3 lack parentCVersion, closeSessions before 3.6
 * lack paths, and digests exist since 3.6.
 */
import { InputArchive } from '../jute/input-archive.js';
import { JuteError } from '../jute/jute-error.js';
import type { OutputArchive } from '../jute/output-archive.js';
import { bool, ustring } from '../jute/record.js';
import { readAcl, writeAcl } from '../protocol/acl-codec.js';
import { containerOwner, ttlOwner } from '../protocol/create-mode.js';
import type { ACL } from '../protocol/data.js';
import { ErrorCode } from '../protocol/error-code.js';
import { OpCode, opCodeName } from '../protocol/op-code.js';
import {
  CheckVersionTxn,
  CloseSessionTxn,
  DeleteTxn,
  ErrorTxn,
  SetACLTxn,
} from '../protocol/txn.js';
import { DIGEST_VERSION } from './digest.js';
import { RequestData, type TxnData } from './txn-data.js';

/** The bodies of protocol/txn.ts, with data as strings or as bytes of a request. */
export type Txn =
  | CreateNodeTxn
  | { readonly type: typeof OpCode.delete | typeof OpCode.deleteContainer; readonly path: string }
  | SetDataTxn
  | {
      readonly type: typeof OpCode.setACL;
      readonly path: string;
      readonly acl: readonly ACL[];
      readonly version: number;
    }
  | { readonly type: typeof OpCode.check; readonly path: string; readonly version: number }
  | { readonly type: typeof OpCode.createSession; readonly timeoutMs: number }
  /** `paths` is null if they are not listed: all ephemerals of the session are deleted anyway. */
  | { readonly type: typeof OpCode.closeSession; readonly paths: readonly string[] | null }
  | { readonly type: typeof OpCode.error; readonly err: number }
  | { readonly type: typeof OpCode.multi; readonly txns: readonly Txn[] };

export interface CreateNodeTxn {
  readonly type:
    | typeof OpCode.create
    | typeof OpCode.create2
    | typeof OpCode.createContainer
    | typeof OpCode.createTTL;
  readonly path: string;
  readonly data: TxnData;
  readonly acl: readonly ACL[];
  readonly isEphemeral: boolean;
  /** The parent's resulting stored cversion; -1 in logs of 3.3 and earlier: add one. */
  readonly parentCVersion: number;
  /** Milliseconds; 0n except for createTTL. */
  readonly ttl: bigint;
}

/** Also for reconfig, whose version is -1. `version` is the resulting one. */
export interface SetDataTxn {
  readonly type: typeof OpCode.setData | typeof OpCode.reconfig;
  readonly path: string;
  readonly data: TxnData;
  readonly version: number;
}

export interface TxnHead {
  readonly sessionId: bigint;
  readonly cxid: number;
  readonly zxid: bigint;
  /** Wall clock of the leader in ms. */
  readonly time: bigint;
}

/** `digest` is null if its writer left it out or used another version. */
export interface TxnEntry {
  readonly head: TxnHead;
  readonly txn: Txn;
  readonly digest: bigint | null;
}

/** int version, long treeDigest. */
const TXN_DIGEST_SIZE = 12;

/** Writes header (32 bytes), body, and digest; beginEntry and endEntry make it a record. */
export function writeTxn(
  out: OutputArchive,
  head: TxnHead,
  txn: Txn,
  digest: bigint | null = null,
): void {
  out.writeLong(head.sessionId);
  out.writeInt(head.cxid);
  out.writeLong(head.zxid);
  out.writeLong(head.time);
  out.writeInt(txn.type);
  writeTxnBody(out, txn);
  if (digest === null) return;
  out.writeInt(DIGEST_VERSION);
  out.writeLong(digest);
}

/**
 * The parts of a multi as a server must apply and answer them. If one is an error, all are:
 * Apache's leader logs the parts before it as if they succeeded (DataTree.processTxn).
 */
export function partsOf(txns: readonly Txn[]): readonly Txn[] {
  const failed = txns.findIndex(({ type }) => type === OpCode.error);
  if (failed === -1) return txns;
  return txns.map((txn, place) => {
    if (txn.type === OpCode.error) return txn;
    const err = place < failed ? ErrorCode.OK : ErrorCode.RUNTIMEINCONSISTENCY;
    return { type: OpCode.error, err };
  });
}

/** The stored owner of the created znode: a session, none (0n), or a mark. */
export function createdOwner({ sessionId }: TxnHead, txn: CreateNodeTxn): bigint {
  if (txn.type === OpCode.createContainer) return containerOwner();
  if (txn.type === OpCode.createTTL) return ttlOwner(txn.ttl);
  return txn.isEphemeral ? sessionId : 0n;
}

/** The type is in the header, or in the element of the multi. */
function writeTxnBody(out: OutputArchive, txn: Txn): void {
  switch (txn.type) {
    case OpCode.create:
    case OpCode.create2:
    case OpCode.createContainer:
    case OpCode.createTTL:
      writeCreate(out, txn);
      break;
    case OpCode.delete:
    case OpCode.deleteContainer:
      DeleteTxn.write(out, txn);
      break;
    case OpCode.setData:
    case OpCode.reconfig:
      out.writeString(txn.path);
      writeData(out, txn.data);
      out.writeInt(txn.version);
      break;
    case OpCode.setACL:
      SetACLTxn.write(out, txn);
      break;
    case OpCode.check:
      CheckVersionTxn.write(out, txn);
      break;
    case OpCode.createSession:
      out.writeInt(txn.timeoutMs);
      break;
    case OpCode.closeSession:
      if (txn.paths !== null) CloseSessionTxn.write(out, { paths2Delete: txn.paths });
      break;
    case OpCode.error:
      ErrorTxn.write(out, txn);
      break;
    case OpCode.multi:
      writeMulti(out, txn.txns);
      break;
  }
}

function writeCreate(out: OutputArchive, txn: CreateNodeTxn): void {
  out.writeString(txn.path);
  writeData(out, txn.data);
  writeAcl(out, txn.acl);
  if (txn.type === OpCode.create || txn.type === OpCode.create2) out.writeBool(txn.isEphemeral);
  out.writeInt(txn.parentCVersion);
  if (txn.type === OpCode.createTTL) out.writeLong(txn.ttl);
}

/** The data of a request is in the log record from then on. */
function writeData(out: OutputArchive, data: TxnData): void {
  if (!(data instanceof RequestData)) {
    out.writeLatin1(data);
    return;
  }
  out.writeInt(data.length);
  const at = out.length;
  out.writeRun(data.memory, data.start, data.length);
  data.moveTo(out.memory, at);
}

/** Each sub-txn is {int type, buffer body}. */
function writeMulti(out: OutputArchive, txns: readonly Txn[]): void {
  out.writeInt(txns.length);
  for (const txn of txns) {
    out.writeInt(txn.type);
    const lengthAt = out.skip(4);
    const start = out.length;
    writeTxnBody(out, txn);
    out.patchInt(lengthAt, out.length - start);
  }
}

type ReadData = (input: InputArchive) => TxnData;

/**
 * Reads an entry of any release.
 * @param readData copies the data by default; RequestData.read leaves it in the entry
 * @throws JuteError when truncated, or of a type never logged
 */
export function readTxn(
  entry: Buffer,
  readData: ReadData = (input) => input.readLatin1(),
): TxnEntry {
  const input = new InputArchive(entry);
  const sessionId = input.readLong();
  const cxid = input.readInt();
  const zxid = input.readLong();
  const time = input.readLong();
  const txn = readTxnBody(input.readInt(), input, readData);
  return { head: { sessionId, cxid, zxid, time }, txn, digest: readDigest(input) };
}

function readDigest(input: InputArchive): bigint | null {
  if (input.remaining < TXN_DIGEST_SIZE) return null;
  const version = input.readInt();
  const treeDigest = input.readLong();
  return version === DIGEST_VERSION ? treeDigest : null;
}

function readTxnBody(type: number, input: InputArchive, readData: ReadData): Txn {
  switch (type) {
    case OpCode.create:
    case OpCode.create2:
    case OpCode.createContainer:
    case OpCode.createTTL:
      return readCreate(type, input, readData);
    case OpCode.delete:
    case OpCode.deleteContainer:
      return { type, ...DeleteTxn.read(input) };
    case OpCode.setData:
    case OpCode.reconfig:
      return { type, path: ustring.read(input), data: readData(input), version: input.readInt() };
    case OpCode.setACL:
      return { type, ...SetACLTxn.read(input) };
    case OpCode.check:
      return { type, ...CheckVersionTxn.read(input) };
    case OpCode.createSession:
      return { type, timeoutMs: input.readInt() };
    case OpCode.closeSession:
      return { type, paths: readClosedPaths(input) };
    case OpCode.error:
      return { type, ...ErrorTxn.read(input) };
    case OpCode.multi:
      return { type, txns: readMulti(input, readData) };
    default:
      throw new JuteError(`invalid txn type in a log: ${type} (${opCodeName(type)})`);
  }
}

/**
 * Null before 3.6, when the record was empty, and with closeSessionTxn.enabled=false, when only a
 * digest follows. As paths it would be two in 12 bytes, but a path takes at least 6.
 */
function readClosedPaths(input: InputArchive): readonly string[] | null {
  const isDigestOnly =
    input.remaining === TXN_DIGEST_SIZE && input.bytes.readInt32BE(input.at) === DIGEST_VERSION;
  if (input.remaining === 0 || isDigestOnly) return null;
  return CloseSessionTxn.read(input).paths2Delete;
}

function readCreate(
  type: CreateNodeTxn['type'],
  input: InputArchive,
  readData: ReadData,
): CreateNodeTxn {
  const isPlain = type === OpCode.create || type === OpCode.create2;
  const path = ustring.read(input);
  const data = readData(input);
  const acl = readAcl(input);
  const isEphemeral = isPlain ? bool.read(input) : false;
  // A CreateTxnV0 ends here.
  const parentCVersion = input.remaining === 0 ? -1 : input.readInt();
  const ttl = type === OpCode.createTTL ? input.readLong() : 0n;
  return { type, path, data, acl, isEphemeral, parentCVersion, ttl };
}

function readMulti(input: InputArchive, readData: ReadData): Txn[] {
  const count = input.readCount(8);
  const txns: Txn[] = [];
  for (let i = 0; i < count; i++) {
    const type = input.readInt();
    const end = input.at + 4 + input.readInt();
    const outerEnd = input.end;
    if (type === OpCode.multi) throw new JuteError('nested multi');
    if (end > outerEnd || end < input.at) throw new JuteError('truncated sub-transaction');
    input.end = end;
    txns.push(readTxnBody(type, input, readData));
    input.end = outerEnd;
    input.at = end;
  }
  return txns;
}
