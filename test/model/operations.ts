/** The requests of clients in model runs, and their bytes. */
import { type ACL, StatRecord } from '../../src/protocol/data.js';
import { KeeperOpCode } from '../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';

export interface CreateOp {
  readonly type:
    | typeof OpCode.create
    | typeof OpCode.create2
    | typeof OpCode.createContainer
    | typeof OpCode.createTTL;
  readonly path: string;
  readonly data: string | null;
  readonly acl: readonly ACL[];
  readonly flags: number;
  readonly ttl: bigint;
}

export interface DeleteOp {
  readonly type: typeof OpCode.delete | typeof OpCode.check;
  readonly path: string;
  readonly version: number;
}

export interface SetDataOp {
  readonly type: typeof OpCode.setData;
  readonly path: string;
  readonly data: string | null;
  readonly version: number;
}

export interface SetACLOp {
  readonly type: typeof OpCode.setACL;
  readonly path: string;
  readonly acl: readonly ACL[];
  readonly version: number;
}

/** This and the next two are of ClickHouse Keeper's dialect. */
export interface CreateIfNotExistsOp extends Omit<CreateOp, 'type'> {
  readonly type: typeof KeeperOpCode.createIfNotExists;
}

export interface KeeperOp {
  readonly type:
    | typeof KeeperOpCode.checkNotExists
    | typeof KeeperOpCode.removeRecursive
    | typeof KeeperOpCode.tryRemove;
  readonly path: string;
  /** Of a removal: how many znodes may be deleted. */
  readonly version: number;
}

export interface CheckStatOp {
  readonly type: typeof KeeperOpCode.checkStat;
  readonly path: string;
  readonly version: number;
  readonly stat: StatRecord;
}

export type PartOp = CreateOp | DeleteOp | SetDataOp | CreateIfNotExistsOp | KeeperOp | CheckStatOp;
export interface MultiOp {
  readonly type: typeof OpCode.multi;
  readonly ops: readonly PartOp[];
}
export type Op = PartOp | SetACLOp | MultiOp;

/** A whole frame: length, xid, type and body. */
export function frameOf(xid: number, type: number, body: Buffer): Buffer {
  return new ByteBuilder()
    .int(body.length + 8)
    .int(xid)
    .int(type)
    .bytes(body)
    .build();
}

export function bodyOf(op: Op): Buffer {
  const out = new ByteBuilder();
  if (op.type === OpCode.multi) {
    for (const part of op.ops) {
      out.int(part.type).bool(false).int(-1).bytes(bodyOf(part));
    }
    return out.int(-1).bool(true).int(-1).build();
  }
  out.string(op.path);
  switch (op.type) {
    case OpCode.delete:
    case OpCode.check:
    case KeeperOpCode.checkNotExists:
    case KeeperOpCode.removeRecursive:
    case KeeperOpCode.tryRemove:
      return out.int(op.version).build();
    case OpCode.setData:
      return out.buffer(bytesOf(op.data)).int(op.version).build();
    case KeeperOpCode.checkStat:
      return out.int(op.version).bytes(StatRecord.encode(op.stat)).build();
    case OpCode.setACL:
      writeAcl(out, op.acl);
      return out.int(op.version).build();
    default:
      out.buffer(bytesOf(op.data));
      writeAcl(out, op.acl);
      out.int(op.flags);
      if (op.type === OpCode.createTTL) out.long(op.ttl);
      return out.build();
  }
}

export function existsBody(path: string): Buffer {
  return new ByteBuilder().string(path).bool(false).build();
}

/** A ConnectRequest in its frame. */
export function connectFrame(timeoutMs: number): Buffer {
  const body = new ByteBuilder()
    .int(0)
    .long(0n)
    .int(timeoutMs)
    .long(0n)
    .buffer(Buffer.alloc(16))
    .bool(false)
    .build();
  return new ByteBuilder().int(body.length).bytes(body).build();
}

function bytesOf(data: string | null): Buffer | null {
  return data === null ? null : Buffer.from(data, 'latin1');
}

function writeAcl(out: ByteBuilder, acl: readonly ACL[]): void {
  out.int(acl.length);
  for (const { perms, id } of acl) out.int(perms).string(id.scheme).string(id.id);
}
