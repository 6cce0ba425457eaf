import type { CreateOptions, Op, OpResult, ZooKeeperClient } from '../../../client/base/client.js';
import { ZooKeeperError } from '../../../client/base/errors.js';
import type { Data } from '../../../protocol/check-argument.js';
import { type ACL, NO_STAT, Stat } from '../../../protocol/data.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import { parentPath } from '../../../protocol/path.js';
import { formatAcl } from '../../../protocol/perms.js';
import { counted } from '../../program/counted.js';
import type { Result } from '../../results/result.js';
import { wrapClient } from './wrap-client.js';

type Report = (result: Result) => void;

/** Reports changes. Checks existence and versions like a server, but not permissions. */
export function dryRunClient(client: ZooKeeperClient, report: Report): ZooKeeperClient {
  const changes: Readonly<Record<string, unknown>> = new DryRun(client, report).changes();
  return wrapClient(client, (name) => changes[name]);
}

type Changes = Pick<
  ZooKeeperClient,
  'create' | 'delete' | 'setData' | 'setACL' | 'multi' | 'reconfig'
>;

class DryRun {
  private readonly client: ZooKeeperClient;
  private readonly report: Report;
  /** Whether znodes exist after the reported changes. */
  private readonly presence = new Map<string, boolean>();
  private last: Promise<void> = Promise.resolve();

  constructor(client: ZooKeeperClient, report: Report) {
    this.client = client;
    this.report = report;
  }

  changes(): Changes & Readonly<Record<string, unknown>> {
    const inOrder = this.inOrder.bind(this);
    return {
      create: (path, data, options) => inOrder(() => this.create(path, data ?? null, options)),
      delete: (path, version) => inOrder(() => this.delete(path, version ?? -1)),
      setData: (path, data, version) => inOrder(() => this.set(path, data, version ?? -1)),
      setACL: (path, acl, version) => inOrder(() => this.setAcl(path, acl, version ?? -1)),
      multi: (ops) => inOrder(() => this.multi(ops)),
      reconfig: (change) => {
        this.say('reconfig', '/zookeeper/config', JSON.stringify(change, replaceBigint));
        return this.client.getConfig();
      },
    };
  }

  /** Each change sees the earlier ones, as on a server. */
  private inOrder<T>(change: () => Promise<T>): Promise<T> {
    const done = this.last.then(change);
    this.last = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  private async create(path: string, data: Data, options: CreateOptions = {}) {
    const isSequential = options.mode?.isSequential === true;
    const parent = parentPath(path);
    if ((await this.stat(parent)) === null) throw fault(ErrorCode.NONODE, path);
    if (!isSequential && (await this.stat(path)) !== null) {
      throw fault(ErrorCode.NODEEXISTS, path);
    }
    const kind = (options.mode?.name ?? 'PERSISTENT').toLowerCase();
    const size = data === null ? 'null' : counted(Buffer.byteLength(data), 'byte');
    this.say('create', path, `${kind}, ${size}`);
    if (!isSequential) this.presence.set(path, true);
    return { path, stat: new Stat(NO_STAT) };
  }

  private async delete(path: string, version: number): Promise<void> {
    const stat = await this.required(path);
    checkVersion(version, stat.version, path);
    this.say('delete', path, '');
    this.presence.set(path, false);
  }

  private async set(path: string, data: Data, version: number): Promise<Stat> {
    const stat = await this.required(path);
    checkVersion(version, stat.version, path);
    this.say('set', path, data === null ? 'null' : counted(Buffer.byteLength(data), 'byte'));
    return stat;
  }

  private async setAcl(path: string, acl: readonly ACL[], version: number): Promise<Stat> {
    const stat = await this.required(path);
    checkVersion(version, stat.aversion, path);
    this.say('setAcl', path, formatAcl(acl));
    return stat;
  }

  private async multi(ops: readonly Op[]): Promise<readonly OpResult[]> {
    const results: OpResult[] = [];
    for (const op of ops) results.push(await this.one(op));
    return results;
  }

  private async one(op: Op): Promise<OpResult> {
    switch (op.op) {
      case 'create':
        return { op: 'create', ...(await this.create(op.path, op.data ?? null, op.options)) };
      case 'set':
        return { op: 'set', stat: await this.set(op.path, op.data, op.version ?? -1) };
      case 'delete':
        await this.delete(op.path, op.version ?? -1);
        return { op: 'delete' };
      case 'check':
        checkVersion(op.version, (await this.required(op.path)).version, op.path);
        return { op: 'check' };
    }
  }

  /** The Stat after the reported changes. */
  private async stat(path: string): Promise<Stat | null> {
    const presence = this.presence.get(path);
    if (presence === undefined) return this.client.exists(path === '' ? '/' : path);
    return presence ? new Stat(NO_STAT) : null;
  }

  private async required(path: string): Promise<Stat> {
    const stat = await this.stat(path);
    if (stat === null) throw fault(ErrorCode.NONODE, path);
    return stat;
  }

  private say(change: string, path: string, detail: string): void {
    const text = `would ${change} ${path}${detail === '' ? '' : ` (${detail})`}`;
    this.report({ kind: 'message', text, fields: { would: change, path, detail } });
  }
}

function checkVersion(expected: number, actual: number, path: string): void {
  if (expected !== -1 && expected !== actual) throw fault(ErrorCode.BADVERSION, path);
}

function fault(code: ErrorCode, path: string): ZooKeeperError {
  return new ZooKeeperError(code, path);
}

function replaceBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `0x${value.toString(16)}` : value;
}
