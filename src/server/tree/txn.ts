import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { OutputArchive } from '../../jute/output-archive.js';
import { bool, ustring, vector } from '../../jute/record.js';
import { type ACL, ACLVector } from '../../protocol/data.js';
import { OpCode } from '../../protocol/op-code.js';
import { toZnodeData, type ZnodeData } from './data-node.js';

/** What a txn does to the tree and the sessions; the bodies of protocol/txn.ts with latin1 data. */
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
  | { readonly type: typeof OpCode.closeSession; readonly paths: readonly string[] }
  | { readonly type: typeof OpCode.error; readonly err: number }
  | { readonly type: typeof OpCode.multi; readonly txns: readonly Txn[] };

export interface CreateNodeTxn {
  readonly type:
    | typeof OpCode.create
    | typeof OpCode.create2
    | typeof OpCode.createContainer
    | typeof OpCode.createTTL;
  readonly path: string;
  readonly data: ZnodeData;
  readonly acl: readonly ACL[];
  readonly isEphemeral: boolean;
  /** The parent's stored cversion afterwards; -1 in logs of 3.3 and before: one more than it is. */
  readonly parentCVersion: number;
  /** Milliseconds; 0n but for createTTL. */
  readonly ttl: bigint;
}

/** Also reconfig, whose version is -1. `version` is the resulting one. */
export interface SetDataTxn {
  readonly type: typeof OpCode.setData | typeof OpCode.reconfig;
  readonly path: string;
  readonly data: ZnodeData;
  readonly version: number;
}

export interface TxnHead {
  readonly sessionId: bigint;
  readonly cxid: number;
  readonly zxid: bigint;
  /** Wall clock of the leader in ms. */
  readonly time: bigint;
}

const strings = vector(ustring);

/** Writes the header (32 bytes) and the body, as they stand in the log and in a PROPOSAL. */
export function writeTxn(out: OutputArchive, head: TxnHead, txn: Txn): void {
  out.writeLong(head.sessionId);
  out.writeInt(head.cxid);
  out.writeLong(head.zxid);
  out.writeLong(head.time);
  out.writeInt(txn.type);
  writeTxnBody(out, txn);
}

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
      out.writeString(txn.path);
      break;
    case OpCode.setData:
    case OpCode.reconfig:
      out.writeString(txn.path);
      out.writeLatin1(txn.data);
      out.writeInt(txn.version);
      break;
    case OpCode.setACL:
      out.writeString(txn.path);
      ACLVector.write(out, txn.acl);
      out.writeInt(txn.version);
      break;
    case OpCode.check:
      out.writeString(txn.path);
      out.writeInt(txn.version);
      break;
    case OpCode.createSession:
      out.writeInt(txn.timeoutMs);
      break;
    case OpCode.closeSession:
      strings.write(out, txn.paths);
      break;
    case OpCode.error:
      out.writeInt(txn.err);
      break;
    case OpCode.multi:
      writeMulti(out, txn.txns);
      break;
  }
}

function writeCreate(out: OutputArchive, txn: CreateNodeTxn): void {
  out.writeString(txn.path);
  out.writeLatin1(txn.data);
  ACLVector.write(out, txn.acl);
  if (txn.type === OpCode.create || txn.type === OpCode.create2) out.writeBool(txn.isEphemeral);
  out.writeInt(txn.parentCVersion);
  if (txn.type === OpCode.createTTL) out.writeLong(txn.ttl);
}

/** Each sub-txn is {int type, buffer body}: the length is filled in behind the body. */
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

/** The size of a txn's record in bytes, to refuse what no server could read back. */
export function txnSize(head: TxnHead, txn: Txn): number {
  const out = new OutputArchive();
  writeTxn(out, head, txn);
  return out.length;
}

/**
 * Reads the body of a txn of any release (server.md 3.2).
 * @throws JuteError when it is truncated, or of a type that no release writes
 */
export function readTxnBody(type: number, input: InputArchive): Txn {
  switch (type) {
    case OpCode.create:
    case OpCode.create2:
    case OpCode.createContainer:
    case OpCode.createTTL:
      return readCreate(type, input);
    case OpCode.delete:
    case OpCode.deleteContainer:
      return { type, path: ustring.read(input) };
    case OpCode.setData:
    case OpCode.reconfig:
      return {
        type,
        path: ustring.read(input),
        data: toZnodeData(input.readBuffer()),
        version: input.readInt(),
      };
    case OpCode.setACL:
      return {
        type,
        path: ustring.read(input),
        acl: ACLVector.read(input),
        version: input.readInt(),
      };
    case OpCode.check:
      return { type, path: ustring.read(input), version: input.readInt() };
    case OpCode.createSession:
      return { type, timeoutMs: input.readInt() };
    case OpCode.closeSession:
      // Before 3.6 the record was empty: whoever applies it finds the ephemerals itself.
      return { type, paths: input.remaining >= 4 ? strings.read(input) : [] };
    case OpCode.error:
      return { type, err: input.readInt() };
    case OpCode.multi:
      return { type, txns: readMulti(input) };
    default:
      throw new JuteError(`unknown transaction type ${type}`);
  }
}

function readCreate(type: CreateNodeTxn['type'], input: InputArchive): CreateNodeTxn {
  const isPlain = type === OpCode.create || type === OpCode.create2;
  const path = ustring.read(input);
  const data = toZnodeData(input.readBuffer());
  const acl = ACLVector.read(input);
  const isEphemeral = isPlain ? bool.read(input) : false;
  // 3.3 wrote no parentCVersion.
  const parentCVersion = input.remaining >= 4 ? input.readInt() : -1;
  const ttl = type === OpCode.createTTL ? input.readLong() : 0n;
  return { type, path, data, acl, isEphemeral, parentCVersion, ttl };
}

function readMulti(input: InputArchive): Txn[] {
  const count = input.readCount(8);
  const txns: Txn[] = [];
  for (let i = 0; i < count; i++) {
    const type = input.readInt();
    const end = input.at + 4 + input.readInt();
    const outerEnd = input.end;
    if (end > outerEnd || end < input.at) throw new JuteError('a sub-transaction is cut off');
    input.end = end;
    txns.push(readTxnBody(type, input));
    input.end = outerEnd;
    input.at = end;
  }
  return txns;
}
