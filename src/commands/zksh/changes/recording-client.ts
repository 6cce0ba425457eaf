import type {
  CreateOptions,
  CreateResult,
  Op,
  OpResult,
  ZooKeeperClient,
} from '../../../client/base/client.js';
import { isCode } from '../../../client/base/errors.js';
import type { Data } from '../../../protocol/check-argument.js';
import type { ACL, Stat } from '../../../protocol/data.js';
import type { CommandChanges, ZnodeBefore } from '../session/change-journal.js';
import { wrapClient } from '../session/wrap-client.js';

/**
 * A client that records the state of znodes before it changes them. It replaces -1 as the version
 * of a delete by the version that it read, so that the record equals the deleted znode.
 */
export function recordingClient(client: ZooKeeperClient, changes: CommandChanges): ZooKeeperClient {
  const recorded: Readonly<Record<string, unknown>> = new Recorder(client, changes).methods();
  return wrapClient(client, (name) => recorded[name]);
}

type Methods = Pick<
  ZooKeeperClient,
  'create' | 'delete' | 'setData' | 'setACL' | 'multi' | 'reconfig'
>;

/** Tries of a delete after concurrent changes. */
const MAX_TRIES = 3;

class Recorder {
  private readonly client: ZooKeeperClient;
  private readonly changes: CommandChanges;

  constructor(client: ZooKeeperClient, changes: CommandChanges) {
    this.client = client;
    this.changes = changes;
  }

  methods(): Methods & Readonly<Record<string, unknown>> {
    return {
      create: (path, data, options) => this.create(path, data ?? null, options),
      delete: (path, version) => this.delete(path, version ?? -1),
      setData: (path, data, version) => this.set(path, data, version ?? -1),
      setACL: (path, acl, version) => this.setAcl(path, acl, version ?? -1),
      multi: (ops) => this.multi(ops),
      reconfig: async (change) => {
        const done = await this.watched('/zookeeper/config', () => this.client.reconfig(change));
        this.changes.refuse('use another reconfig to revert a reconfig');
        return done;
      },
    };
  }

  private get isOver(): boolean {
    return this.changes.refusal !== undefined;
  }

  private async create(
    path: string,
    data: Data,
    options: CreateOptions | undefined,
  ): Promise<CreateResult> {
    const made = await this.watched(path, () => this.client.create(path, data, options));
    if (!this.isOver) await this.addCreated(made.path, made.stat);
    return made;
  }

  private async addCreated(path: string, stat: Stat | undefined): Promise<void> {
    // Some servers and the native client return no Stat.
    const after = stat === undefined || stat.czxid <= 0n ? await this.statOf(path) : stat;
    if (after === undefined) this.changes.addFault(path, 'deleted again at once');
    else this.changes.add(path, undefined, after);
  }

  private async statOf(path: string): Promise<Stat | undefined> {
    return (await this.client.exists(path)) ?? undefined;
  }

  private async set(path: string, data: Data, version: number): Promise<Stat> {
    const before = this.isOver ? undefined : await this.read(path, { acl: false });
    const after = await this.watched(path, () => this.client.setData(path, data, version));
    this.addSet(path, before, after);
    return after;
  }

  private addSet(path: string, before: ZnodeBefore | undefined, after: Stat): void {
    if (before === undefined) this.changes.addFault(path, 'data could not be read');
    else if (after.version !== before.stat.version + 1) {
      this.changes.addFault(path, 'changed by another client at the same time');
    } else this.changes.add(path, before, after);
  }

  private async setAcl(path: string, acl: readonly ACL[], version: number): Promise<Stat> {
    const before = this.isOver ? undefined : await this.read(path, { data: false });
    const after = await this.watched(path, () => this.client.setACL(path, acl, version));
    if (before?.acl === undefined) this.changes.addFault(path, 'ACL could not be read');
    else if (after.aversion !== before.stat.aversion + 1) {
      this.changes.addFault(path, 'ACL changed by another client at the same time');
    } else this.changes.add(path, before, after);
    return after;
  }

  private async delete(path: string, version: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      const before = this.isOver ? undefined : await this.read(path, {});
      const isLast = version !== -1 || before === undefined || tries === MAX_TRIES;
      const deletedVersion = isLast ? version : before.stat.version;
      try {
        await this.watched(path, () => this.client.delete(path, deletedVersion));
      } catch (error) {
        if (!isLast && isCode(error, 'BADVERSION')) continue;
        throw error;
      }
      if (before === undefined) this.changes.addFault(path, 'could not be read');
      else if (isLast && version === -1) {
        this.changes.addFault(path, 'changed by another client at the same time');
      } else this.changes.add(path, before, undefined);
      return;
    }
  }

  private async multi(ops: readonly Op[]): Promise<readonly OpResult[]> {
    const befores = this.isOver ? [] : await Promise.all(ops.map((op) => this.readBefore(op)));
    const results = await this.watched(ops[0]?.path ?? '', () => this.client.multi(ops));
    if (this.isOver) return results;
    for (const [at, op] of ops.entries()) {
      const result = results[at];
      const before = befores[at];
      if (result?.op === 'create') await this.addCreated(result.path, result.stat);
      else if (result?.op === 'set') this.addSet(op.path, before, result.stat);
      else if (result?.op === 'delete') {
        if (before === undefined) this.changes.addFault(op.path, 'could not be read');
        else this.changes.add(op.path, before, undefined);
      }
    }
    return results;
  }

  private async readBefore(op: Op): Promise<ZnodeBefore | undefined> {
    if (op.op === 'set') return this.read(op.path, { acl: false });
    return op.op === 'delete' ? this.read(op.path, {}) : undefined;
  }

  /** Undefined if the znode is unreadable or missing. The change itself reports that. */
  private async read(
    path: string,
    { data = true, acl = true }: { readonly data?: boolean; readonly acl?: boolean },
  ): Promise<ZnodeBefore | undefined> {
    try {
      const [value, list] = await Promise.all([
        data ? this.client.getData(path) : undefined,
        acl ? this.client.getACL(path) : undefined,
      ]);
      const stat = value?.stat ?? list?.stat;
      if (stat === undefined) return undefined;
      return {
        stat,
        ...(value === undefined ? {} : { data: { bytes: value.data } }),
        ...(list === undefined ? {} : { acl: list.acl }),
      };
    } catch {
      // A failed read must not prevent the change. The native client cannot read ACLs, for example.
      return undefined;
    }
  }

  /** Records a change with an unknown outcome. */
  private async watched<T>(path: string, change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (error) {
      if (isCode(error, 'CONNECTIONLOSS') || isCode(error, 'ETIMEDOUT')) {
        this.changes.addFault(path, 'outcome unknown: no answer');
      }
      throw error;
    }
  }
}
