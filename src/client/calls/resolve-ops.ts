import { checkArray, checkOneOf, readFields } from '../../protocol/check-argument.js';
import { OpCode } from '../../protocol/op-code.js';
import { toServerPath } from '../base/chroot.js';
import type { Op, ReadOp } from '../base/client.js';
import { resolveCreate, resolveDelete, resolveSet } from './arguments.js';
import type { MultiArgs, MultiOp } from './multi.js';
import type { MultiReadArgs } from './multi-read.js';

const OPS = ['create', 'delete', 'set', 'check'] as const;

const NAMES: Readonly<Record<Op['op'], readonly (keyof AnyOp)[]>> = {
  create: ['op', 'path', 'data', 'options'],
  delete: ['op', 'path', 'version'],
  set: ['op', 'path', 'data', 'version'],
  check: ['op', 'path', 'version'],
};

export function resolveOps(chroot: string, ops: readonly Op[]): MultiArgs {
  const paths: string[] = [];
  const resolved = checkArray('ops', ops, (name, element) => {
    const { op: kind } = readFields(name, element as AnyOp, ['op'], 'any');
    checkOneOf(`${name}.op`, kind, OPS);
    const op = readFields(name, element as AnyOp, NAMES[kind]);
    paths.push(op.path);
    return resolveOp(chroot, op as Op);
  });
  return { ops: resolved, paths, chroot };
}

const READS = ['getData', 'getChildren'] as const;

export function resolveReads(chroot: string, reads: readonly ReadOp[]): MultiReadArgs {
  const checked = checkArray('ops', reads, (name, element) => {
    const { op, path } = readFields(name, element as ReadOp, ['op', 'path']);
    return {
      op: checkOneOf(`${name}.op`, op, READS),
      path,
      serverPath: toServerPath(chroot, path),
    };
  });
  return {
    ops: checked.map(({ op }) => op),
    paths: checked.map(({ serverPath }) => serverPath),
    ownPaths: checked.map(({ path }) => path),
  };
}

interface AnyOp {
  readonly op: Op['op'];
  readonly path: string;
  readonly data?: unknown;
  readonly options?: unknown;
  readonly version?: unknown;
}

function resolveOp(chroot: string, op: Op): MultiOp {
  switch (op.op) {
    case 'create': {
      const { code, args } = resolveCreate(chroot, op.path, op.data ?? null, op.options);
      // Apache's servers before 3.9 read a create2 within a multi as a create.
      return { op: 'create', code: code === OpCode.create2 ? OpCode.create : code, args };
    }
    case 'delete':
      return {
        op: 'delete',
        code: OpCode.delete,
        args: resolveDelete(chroot, op.path, versionOf(op)),
      };
    case 'set':
      return {
        op: 'set',
        code: OpCode.setData,
        args: resolveSet(chroot, op.path, op.data, versionOf(op)),
      };
    case 'check':
      return { op: 'check', code: OpCode.check, args: resolveDelete(chroot, op.path, op.version) };
  }
}

function versionOf({ version = -1 }: { readonly version?: number | undefined }): number {
  return version;
}
