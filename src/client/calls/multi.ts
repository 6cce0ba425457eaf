import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import { OpCode } from '../../protocol/op-code.js';
import { toClientPath } from '../base/chroot.js';
import type { OpResult } from '../base/client.js';
import { MultiError } from '../base/errors.js';
import {
  type CreateArgs,
  readStat,
  readString,
  type SetDataArgs,
  type VersionArgs,
  writeCreateBody,
} from '../session/operations.js';
import type { Operation } from '../session/request.js';

export type MultiOp =
  | { readonly op: 'create'; readonly code: number; readonly args: CreateArgs }
  | { readonly op: 'delete'; readonly code: number; readonly args: VersionArgs }
  | { readonly op: 'set'; readonly code: number; readonly args: SetDataArgs }
  | { readonly op: 'check'; readonly code: number; readonly args: VersionArgs };

export interface MultiArgs {
  readonly ops: readonly MultiOp[];
  /** The caller's paths, in the order of the operations. */
  readonly paths: readonly string[];
  readonly chroot: string;
}

/**
 * ```
 *   request  {type, false, -1} record, repeated, then {-1, true, -1}
 *   reply    {type, false, 0} record, …         when it was applied
 *            {-1, false, err} int err, …        for every operation, when it was not
 * ```
 */
export const multi: Operation<MultiArgs, readonly OpResult[]> = {
  code: OpCode.multi,
  isWrite: true,
  write: (out, { ops }) => {
    for (const op of ops) {
      writeMultiHeader(out, op.code, false);
      writeOp(out, op);
    }
    writeMultiHeader(out, -1, true);
  },
  read: (input, { paths, chroot, ops }) => {
    const results: OpResult[] = [];
    const errors: number[] = [];
    for (;;) {
      const type = input.readInt();
      const isDone = input.readBool();
      input.readInt();
      if (isDone) break;
      if (type === OpCode.error) errors.push(input.readInt());
      else results.push(readResult(input, type, chroot));
    }
    if (errors.length > 0) throw new MultiError(errors, paths);
    if (results.length !== ops.length) {
      throw new JuteError(`expected ${ops.length} results of a multi, found ${results.length}`);
    }
    return results;
  },
};

export function writeMultiHeader(out: OutputArchive, type: number, isDone: boolean): void {
  out.writeInt(type);
  out.writeBool(isDone);
  out.writeInt(-1);
}

function writeOp(out: OutputArchive, op: MultiOp): void {
  switch (op.op) {
    case 'create':
      writeCreateBody(out, op.args);
      if (op.code === OpCode.createTTL) out.writeLong(BigInt(op.args.ttl));
      break;
    case 'set':
      out.writeString(op.args.path);
      out.writeBuffer(op.args.data);
      out.writeInt(op.args.version);
      break;
    case 'delete':
    case 'check':
      out.writeString(op.args.path);
      out.writeInt(op.args.version);
      break;
  }
}

function readResult(input: InputArchive, type: number, chroot: string): OpResult {
  switch (type) {
    case OpCode.create:
      return { op: 'create', path: toClientPath(chroot, readString(input)) };
    case OpCode.create2:
    case OpCode.createContainer:
    case OpCode.createTTL: {
      const path = toClientPath(chroot, readString(input));
      return { op: 'create', path, stat: readStat(input) };
    }
    case OpCode.setData:
      return { op: 'set', stat: readStat(input) };
    case OpCode.delete:
      return { op: 'delete' };
    case OpCode.check:
      return { op: 'check' };
    default:
      throw new JuteError(`a multi has no result of type ${type}`);
  }
}
