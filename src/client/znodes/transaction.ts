import type { Data } from '../../protocol/check-argument.js';
import type { Stat } from '../../protocol/data.js';
import type { CallOptions, CreateOptions, Op, OpResult, ZooKeeperClient } from '../base/client.js';
import { resolveOps } from '../calls/resolve-ops.js';
import { checkClient } from '../check-client.js';

/** The result of create. */
export interface Created {
  readonly op: 'create';
  readonly path: string;
  readonly stat?: Stat;
}
/** The result of delete. */
export interface Deleted {
  readonly op: 'delete';
}
/** The result of set. */
export interface DataSet {
  readonly op: 'set';
  readonly stat: Stat;
}
/** The result of check. */
export interface Checked {
  readonly op: 'check';
}

/** Operations that happen together or not at all; `R` has the types of their results. */
export interface Transaction<R extends readonly OpResult[]> {
  /** @param options the mode, the ACL, and the ttl */
  create(path: string, data?: Data, options?: CreateOptions): Transaction<[...R, Created]>;
  /** @param version -1, the default, for any */
  delete(path: string, version?: number): Transaction<[...R, Deleted]>;
  /** @param version -1, the default, for any */
  set(path: string, data: Data, version?: number): Transaction<[...R, DataSet]>;
  /** The znode must exist in this version, -1 for any. */
  check(path: string, version: number): Transaction<[...R, Checked]>;
  /** @throws MultiError that identifies the operation that failed; the errors of a request */
  commit(call?: CallOptions): Promise<R>;
}

/**
 * Begins a transaction. Each call adds an operation and returns a new transaction, so several
 * transactions can share their first operations. A wrong argument throws at once.
 * @example
 * const [, , set] = await transaction(client)
 *   .check('/app', 3)
 *   .create('/app/task', 'work')
 *   .set('/app', 'busy')
 *   .commit();
 * console.log(set.stat.version);
 */
export function transaction(client: ZooKeeperClient): Transaction<[]> {
  checkClient(client);
  return withOps<[]>(client, []);
}

function withOps<R extends readonly OpResult[]>(
  client: ZooKeeperClient,
  ops: readonly Op[],
): Transaction<R> {
  const plus = <O extends OpResult>(op: Op) => {
    // Here, the stack of an error names the caller's line.
    resolveOps('', [op]);
    return withOps<[...R, O]>(client, [...ops, op]);
  };
  return {
    create: (path, data = null, options = {}) =>
      plus<Created>({ op: 'create', path, data, options }),
    delete: (path, version = -1) => plus<Deleted>({ op: 'delete', path, version }),
    set: (path, data, version = -1) => plus<DataSet>({ op: 'set', path, data, version }),
    check: (path, version) => plus<Checked>({ op: 'check', path, version }),
    // The results have the order and the kinds of the operations.
    commit: async (call) => (await client.multi(ops, call)) as unknown as R,
  };
}
