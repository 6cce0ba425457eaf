/**
 * What an entry of the log says: TxnHeader, the body its type asks for, and behind it perhaps the
 * tree's digest (SerializeUtils.deserializeTxn). The same bytes travel in PROPOSAL and INFORM.
 *
 * Older writers left fields out; a reader of old logs must take that: creates of 3.3 lack
 * parentCVersion, sessions closed before 3.6 lack their paths, and nobody had digests before 3.6.
 */
import { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { bool, buffer, ustring } from '../../jute/record.js';
import { type ACL, ACLVector } from '../../protocol/data.js';
import { OpCode, opCodeName } from '../../protocol/op-code.js';
import {
  CheckVersionTxn,
  CloseSessionTxn,
  CreateContainerTxn,
  CreateSessionTxn,
  CreateTTLTxn,
  CreateTxn,
  DeleteTxn,
  ErrorTxn,
  MultiTxn,
  SetACLTxn,
  SetDataTxn,
  TxnDigest,
  TxnHeader,
} from '../../protocol/txn.js';
import { TXN_HEADER_SIZE } from './log-record.js';

/** The digest's version that 3.6 and later write. */
const DIGEST_VERSION = 2;
/** int version, long treeDigest. */
const TXN_DIGEST_SIZE = 12;

export interface CreateBody {
  readonly type: typeof OpCode.create | typeof OpCode.create2;
  readonly path: string;
  readonly data: Buffer | null;
  readonly acl: readonly ACL[];
  readonly ephemeral: boolean;
  /** The parent's cversion after the create; -1 when the log of a 3.3 server does not say. */
  readonly parentCVersion: number;
}

export interface CreateContainerBody {
  readonly type: typeof OpCode.createContainer;
  readonly path: string;
  readonly data: Buffer | null;
  readonly acl: readonly ACL[];
  readonly parentCVersion: number;
}

export interface CreateTTLBody {
  readonly type: typeof OpCode.createTTL;
  readonly path: string;
  readonly data: Buffer | null;
  readonly acl: readonly ACL[];
  readonly parentCVersion: number;
  /** Milliseconds. */
  readonly ttl: bigint;
}

/** One txn body by its type; `version` is always the resulting one. */
export type TxnBody =
  | CreateBody
  | CreateContainerBody
  | CreateTTLBody
  | { readonly type: typeof OpCode.delete | typeof OpCode.deleteContainer; readonly path: string }
  | {
      readonly type: typeof OpCode.setData | typeof OpCode.reconfig;
      readonly path: string;
      readonly data: Buffer | null;
      readonly version: number;
    }
  | {
      readonly type: typeof OpCode.setACL;
      readonly path: string;
      readonly acl: readonly ACL[];
      readonly version: number;
    }
  | { readonly type: typeof OpCode.check; readonly path: string; readonly version: number }
  | { readonly type: typeof OpCode.createSession; readonly timeOut: number }
  /** `paths2Delete` is null where the txn does not list them: the session's ephemerals go. */
  | { readonly type: typeof OpCode.closeSession; readonly paths2Delete: readonly string[] | null }
  | { readonly type: typeof OpCode.error; readonly err: number }
  | { readonly type: typeof OpCode.multi; readonly txns: readonly TxnBody[] };

export interface Txn {
  readonly header: TxnHeader;
  readonly body: TxnBody;
  /** Null where the writer left it out. */
  readonly digest: TxnDigest | null;
}

/** Reads the header of an entry; the body begins at `bodyStart`. */
export function decodeTxn(entry: Buffer): { header: TxnHeader; bodyStart: number } {
  return { header: TxnHeader.decode(entry), bodyStart: TXN_HEADER_SIZE };
}

/** Reads a whole entry. What it gives are copies. @throws JuteError when the bytes are none. */
export function readTxn(entry: Buffer): Txn {
  const input = new InputArchive(entry);
  const header = TxnHeader.read(input);
  const body = readTxnBody(header.type, input);
  const digest = input.remaining >= TXN_DIGEST_SIZE ? TxnDigest.read(input) : null;
  return { header, body, digest };
}

/** Writes a whole entry, header to digest; beginEntry and endEntry make a record of it. */
export function writeTxn(
  out: OutputArchive,
  header: TxnHeader,
  body: TxnBody,
  digest: TxnDigest | null = null,
): void {
  TxnHeader.write(out, header);
  writeTxnBody(out, body);
  if (digest !== null) TxnDigest.write(out, digest);
}

/** Reads the body of a txn of `type` and leaves `input` behind it, where a digest may stand. */
export function readTxnBody(type: number, input: InputArchive): TxnBody {
  switch (type) {
    case OpCode.create:
    case OpCode.create2:
      return readCreate(type, input);
    case OpCode.createContainer:
      return { type, ...CreateContainerTxn.read(input) };
    case OpCode.createTTL:
      return { type, ...CreateTTLTxn.read(input) };
    case OpCode.delete:
    case OpCode.deleteContainer:
      return { type, ...DeleteTxn.read(input) };
    case OpCode.setData:
    case OpCode.reconfig:
      return { type, ...SetDataTxn.read(input) };
    case OpCode.setACL:
      return { type, ...SetACLTxn.read(input) };
    case OpCode.check:
      return { type, ...CheckVersionTxn.read(input) };
    case OpCode.createSession:
      return { type, ...CreateSessionTxn.read(input) };
    case OpCode.closeSession:
      return readCloseSession(input);
    case OpCode.error:
      return { type, ...ErrorTxn.read(input) };
    case OpCode.multi:
      return { type, txns: MultiTxn.read(input).txns.map(readSubTxn) };
    default:
      throw new JuteError(`a log holds no txn of type ${type} (${opCodeName(type)})`);
  }
}

function readCreate(type: CreateBody['type'], input: InputArchive): CreateBody {
  const path = ustring.read(input);
  const data = buffer.read(input);
  const acl = ACLVector.read(input);
  const ephemeral = bool.read(input);
  // Nothing behind it: a CreateTxnV0, which has no parentCVersion.
  const parentCVersion = input.remaining === 0 ? -1 : input.readInt();
  return { type, path, data, acl, ephemeral, parentCVersion };
}

function readCloseSession(input: InputArchive): TxnBody {
  const type = OpCode.closeSession;
  const hasPaths = input.remaining > 0 && !isDigestOnly(input);
  return { type, paths2Delete: hasPaths ? CloseSessionTxn.read(input).paths2Delete : null };
}

/**
 * A server with closeSessionTxn.enabled=false writes no paths, but a digest. Read as paths it would
 * be two in 12 bytes; a znode's path takes at least 6.
 */
function isDigestOnly(input: InputArchive): boolean {
  return (
    input.remaining === TXN_DIGEST_SIZE && input.bytes.readInt32BE(input.at) === DIGEST_VERSION
  );
}

function readSubTxn({ type, data }: { type: number; data: Buffer | null }): TxnBody {
  if (type === OpCode.multi) throw new JuteError('a multi inside a multi');
  return readTxnBody(type, new InputArchive(data ?? Buffer.alloc(0)));
}

/** Writes a body without its type, which stands in the header (or in the multi's element). */
export function writeTxnBody(out: OutputArchive, body: TxnBody): void {
  switch (body.type) {
    case OpCode.create:
    case OpCode.create2:
      CreateTxn.write(out, body);
      break;
    case OpCode.createContainer:
      CreateContainerTxn.write(out, body);
      break;
    case OpCode.createTTL:
      CreateTTLTxn.write(out, body);
      break;
    case OpCode.delete:
    case OpCode.deleteContainer:
      DeleteTxn.write(out, body);
      break;
    case OpCode.setData:
    case OpCode.reconfig:
      SetDataTxn.write(out, body);
      break;
    case OpCode.setACL:
      SetACLTxn.write(out, body);
      break;
    case OpCode.check:
      CheckVersionTxn.write(out, body);
      break;
    case OpCode.createSession:
      CreateSessionTxn.write(out, body);
      break;
    case OpCode.closeSession:
      if (body.paths2Delete !== null) {
        CloseSessionTxn.write(out, { paths2Delete: body.paths2Delete });
      }
      break;
    case OpCode.error:
      ErrorTxn.write(out, body);
      break;
    case OpCode.multi:
      writeMulti(out, body.txns);
      break;
  }
}

function writeMulti(out: OutputArchive, txns: readonly TxnBody[]): void {
  out.writeInt(txns.length);
  for (const txn of txns) {
    out.writeInt(txn.type);
    const at = out.skip(4);
    writeTxnBody(out, txn);
    out.patchInt(at, out.length - at - 4);
  }
}
