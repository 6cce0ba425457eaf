import assert from 'node:assert';
import type { Op, OpResult, ZooKeeperClient } from '../../client/base/client.js';
import { MultiError } from '../../client/base/errors.js';
import { OpCode } from '../../protocol/op-code.js';
import { checkData, checkPath } from './calls.js';
import { createArguments, errorOf, type Stat, statOf } from './convert.js';
import type { ACL } from './values.js';

/** One operation by its number in the protocol, and its result: in a failed transaction, a code. */
export type TransactionResult =
  | { readonly type: typeof OpCode.create; readonly path: string }
  | { readonly type: typeof OpCode.setData; readonly stat: Stat }
  | { readonly type: typeof OpCode.delete | typeof OpCode.check }
  | { readonly type: typeof OpCode.error; readonly err: number };

export type CommitCallback = (error: Error | null, results: readonly TransactionResult[]) => void;

/** Operations that happen together or not at all. */
export class Transaction {
  private readonly client: ZooKeeperClient;
  private readonly ops: Op[] = [];

  constructor(client: ZooKeeperClient) {
    this.client = client;
  }

  /** @param more [data], [acls], [mode] */
  create(path: string, ...more: readonly (Buffer | readonly ACL[] | number | null)[]): this {
    checkPath(path);
    const { data, options } = createArguments(more);
    this.ops.push({ op: 'create', path, data, options });
    return this;
  }

  setData(path: string, data: Buffer | null, version = -1): this {
    checkPath(path);
    checkData(data);
    this.ops.push({ op: 'set', path, data: data ?? null, version });
    return this;
  }

  check(path: string, version = -1): this {
    checkPath(path);
    this.ops.push({ op: 'check', path, version });
    return this;
  }

  remove(path: string, version = -1): this {
    checkPath(path);
    this.ops.push({ op: 'delete', path, version });
    return this;
  }

  commit(callback: CommitCallback): void {
    assert(typeof callback === 'function', 'callback must be a function');
    this.client.multi(this.ops).then(
      (results) => process.nextTick(callback, null, results.map(resultOf)),
      (error: unknown) => {
        const codes = error instanceof MultiError ? error.results : [];
        const results = codes.map((err) => ({ type: OpCode.error, err }));
        process.nextTick(callback, errorOf(error), results);
      },
    );
  }
}

function resultOf(result: OpResult): TransactionResult {
  switch (result.op) {
    case 'create':
      return { type: OpCode.create, path: result.path };
    case 'set':
      return { type: OpCode.setData, stat: statOf(result.stat) };
    case 'delete':
      return { type: OpCode.delete };
    case 'check':
      return { type: OpCode.check };
  }
}
