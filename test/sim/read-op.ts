import { InputArchive } from '../../src/jute/input-archive.js';
import { KeeperOpCode, RemoveRecursiveRequest } from '../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../src/protocol/op-code.js';
import {
  CheckVersionRequest,
  CreateRequest,
  CreateTTLRequest,
  DeleteRequest,
  SetACLRequest,
  SetDataRequest,
} from '../../src/protocol/proto.js';
import type { Op, PartOp, SetACLOp } from '../model/operations.js';
import { MultiHeader } from '../support/bytes/jute-records.js';

/** The request as the naive prep takes it; undefined for a multi that no server accepts. */
export function readOp(type: number, body: Buffer): Op | undefined {
  const input = new InputArchive(body);
  if (type !== OpCode.multi) return readPart(type, input);
  const ops: PartOp[] = [];
  for (;;) {
    const header = MultiHeader.read(input);
    if (header.done) return { type: OpCode.multi, ops };
    const op = readPart(header.type, input);
    if (op.type === OpCode.setACL) return undefined;
    ops.push(op);
  }
}

function readPart(type: number, input: InputArchive): PartOp | SetACLOp {
  switch (type) {
    case OpCode.delete:
      return { type, ...DeleteRequest.read(input) };
    case OpCode.check:
      return { type, ...CheckVersionRequest.read(input) };
    case OpCode.setData: {
      const { path, data, version } = SetDataRequest.read(input);
      return { type, path, data: textOf(data), version };
    }
    case OpCode.setACL:
      return { type, ...SetACLRequest.read(input) };
    case OpCode.createTTL: {
      const { data, ...rest } = CreateTTLRequest.read(input);
      return { type, ...rest, data: textOf(data) };
    }
    case KeeperOpCode.checkNotExists:
      return { type, ...CheckVersionRequest.read(input) };
    case KeeperOpCode.tryRemove:
      return { type, ...DeleteRequest.read(input) };
    case KeeperOpCode.removeRecursive: {
      const { path, limit } = RemoveRecursiveRequest.read(input);
      return { type, path, version: limit };
    }
    case OpCode.create:
    case OpCode.create2:
    case OpCode.createContainer:
    case KeeperOpCode.createIfNotExists: {
      const { data, ...rest } = CreateRequest.read(input);
      return { type, ...rest, data: textOf(data), ttl: -1n };
    }
    default:
      throw new Error(`no request of a client: ${type}`);
  }
}

function textOf(data: Buffer | null): string | null {
  return data === null ? null : data.toString('latin1');
}
