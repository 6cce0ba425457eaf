import type { CreateOptions, ZooKeeperClient } from '../../client/base/client.js';
import { isCode, ZooKeeperError } from '../../client/base/errors.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { isWithin } from '../../protocol/path.js';
import { Perms } from '../../protocol/perms.js';
import { CommandError } from '../program/command-error.js';
import { counted } from '../program/counted.js';
import { ExitCode } from '../program/exit-status.js';
import { ownId } from '../znodes/self-lockout.js';
import { isOpenAcl, isSameAcl, isSameData, type ZnodeRecord } from './znode-record.js';

/** For a znode that already exists. */
export type OnExisting = 'refuse' | 'overwrite' | 'resume';

export interface TreeSinkOptions {
  readonly signal: AbortSignal;
  readonly onExisting: OnExisting;
  readonly hasAcls: boolean;
  /** Called for each znode that was written or already equal. */
  readonly progress?: (count: number) => void;
}

/** An existing znode, as it was when it was compared with the record. */
export interface Present {
  readonly version: number;
  readonly aclVersion: number | undefined;
  readonly isDataSame: boolean;
  readonly isAclSame: boolean;
}

/** With `present`, it replaces that version of an existing znode. */
export type SinkRecord = ZnodeRecord & { readonly present?: Present };

/** A server processes the requests of one session in order. */
const IN_FLIGHT = 64;

/**
 * Writes records below a root, parents first, without waiting for each. A leaf is created with its
 * ACL. A parent gets its ACL after all descendants, because the ACL may forbid to create them.
 * Until then, its ACL also grants this session CREATE and ADMIN.
 */
export class TreeSink {
  private readonly client: ZooKeeperClient;
  private readonly root: string;
  private readonly options: TreeSinkOptions;
  /** The id of this session, for the temporary ACL of a parent. */
  private own: ACL['id'] | undefined;
  private readonly pending: Promise<void>[] = [];
  /** Ancestors of the current znode whose ACL is not set yet. */
  private readonly open: {
    readonly path: string;
    readonly acl: readonly ACL[];
    readonly version: number | undefined;
  }[] = [];
  private failed: Error | undefined;
  written = 0;
  /** The number of znodes that were already equal. */
  kept = 0;
  bytes = 0;
  failureCount = 0;
  readonly failures: { readonly path: string; readonly error: unknown }[] = [];

  constructor(client: ZooKeeperClient, root: string, options: TreeSinkOptions) {
    this.client = client;
    this.root = root;
    this.options = options;
  }

  /** @throws errors that end the whole copy, such as a lost connection */
  async writeAll(records: AsyncIterable<SinkRecord>): Promise<void> {
    let held: SinkRecord | undefined;
    for await (const record of records) {
      if (this.options.signal.aborted) break;
      if (held !== undefined) await this.write(held, !isWithin(record.path, held.path));
      held = record;
    }
    if (held !== undefined && !this.options.signal.aborted) await this.write(held, true);
    await this.closeAcls(undefined);
    await this.settle(0);
  }

  private async write(record: SinkRecord, isLeaf: boolean): Promise<void> {
    const path = this.pathOf(record);
    await this.closeAcls(path);
    const { present } = record;
    const isAclKept = !this.options.hasAcls || present?.isAclSame === true;
    const acl = isAclKept ? undefined : record.acl;
    const isLate = acl !== undefined && !isLeaf && !isOpenAcl(acl);
    if (isLate) this.open.push({ path, acl, version: present?.aclVersion });
    if (present !== undefined) {
      const now = isLate ? undefined : acl;
      return this.start(path, () => this.change(path, record, present, now));
    }
    if (isLate) this.own ??= await ownId(this.client);
    const made = isLate && this.own !== undefined ? interimAcl(acl, this.own) : acl;
    await this.start(path, () => this.make(path, record, made, isLate ? undefined : acl));
  }

  private pathOf({ path }: ZnodeRecord): string {
    if (this.root === '/') return path === '' ? '/' : path;
    return `${this.root}${path}`;
  }

  private async make(
    path: string,
    record: ZnodeRecord,
    acl: readonly ACL[] | undefined,
    lastAcl: readonly ACL[] | undefined,
  ): Promise<void> {
    if (path === '/') return this.replace(path, record, lastAcl);
    try {
      await this.client.create(path, record.data, createOptions(record, acl));
      this.count(record);
    } catch (error) {
      if (this.options.onExisting === 'refuse' || !(await this.isThere(path, error))) throw error;
      await this.replace(path, record, lastAcl);
    }
  }

  /** @throws BADVERSION if the znode changed since the comparison */
  private async change(
    path: string,
    record: ZnodeRecord,
    { isDataSame, version, aclVersion }: Present,
    acl: readonly ACL[] | undefined,
  ): Promise<void> {
    if (!isDataSame) await this.client.setData(path, record.data, version);
    if (acl !== undefined) await this.setAcl(path, acl, aclVersion);
    if (isDataSame) this.kept++;
    else this.count(record);
  }

  /** Without CREATE permission, a server answers NOAUTH even if the znode exists. */
  private async isThere(path: string, error: unknown): Promise<boolean> {
    if (isCode(error, 'NODEEXISTS')) return true;
    return isCode(error, 'NOAUTH') && (await this.client.exists(path)) !== null;
  }

  /** Makes an existing znode equal to the record, or fails if it differs. */
  private async replace(
    path: string,
    record: ZnodeRecord,
    acl: readonly ACL[] | undefined,
  ): Promise<void> {
    const { data, stat } = await this.client.getData(path);
    const isSame = isSameData(data, record.data);
    if (!isSame) {
      if (this.options.onExisting !== 'overwrite') {
        // The root always exists; replace its data only with --overwrite.
        if (path === '/') return;
        throw new Error('already exists with different data; use --overwrite to replace it');
      }
      await this.client.setData(path, record.data, stat.version);
    }
    if (acl !== undefined && path !== '/') await this.setAcl(path, acl);
    if (isSame) this.kept++;
    else this.count(record);
  }

  private count({ data }: ZnodeRecord): void {
    this.written++;
    this.bytes += data?.length ?? 0;
    this.options.progress?.(this.written + this.kept);
  }

  /** Sets the ACLs of open parents that are not ancestors of `next`. */
  private async closeAcls(next: string | undefined): Promise<void> {
    for (let last = this.open.at(-1); last !== undefined; last = this.open.at(-1)) {
      const { path, acl, version } = last;
      if (next !== undefined && isWithin(next, path)) return;
      this.open.pop();
      // Pending reads of existing descendants do not depend on the ACL of the parent.
      await this.start(path, () => this.setAcl(path, acl, version));
    }
  }

  /** Ignores NOAUTH if the ACL is already equal. */
  private async setAcl(path: string, acl: readonly ACL[], version?: number): Promise<void> {
    try {
      await this.client.setACL(path, acl, version);
    } catch (error) {
      if (!isCode(error, 'NOAUTH')) throw error;
      const present = await this.client.getACL(path);
      if (!isSameAcl(present.acl, acl)) throw error;
    }
  }

  private async start(path: string, run: () => Promise<void>): Promise<void> {
    this.pending.push(run().catch((error: unknown) => this.fail(path, error)));
    await this.settle(IN_FLIGHT);
    if (this.failed !== undefined) throw this.failed;
  }

  private async settle(limit: number): Promise<void> {
    while (this.pending.length > limit) await this.pending.shift();
    if (this.failed !== undefined) throw this.failed;
  }

  private lost(error: ZooKeeperError): CommandError {
    const what = error.code === 'CONNECTIONLOSS' ? 'connection lost' : `failed with ${error.code}`;
    const done = this.written + this.kept;
    return new CommandError(
      `${what} after ${counted(done, 'znode')}; up to ${IN_FLIGHT} more may have been written`,
      { code: error.code, exitCode: ExitCode.connection, hint: LOST_HINT, cause: error },
    );
  }

  private fail(path: string, error: unknown): void {
    if (error instanceof ZooKeeperError && FATAL.has(error.code)) {
      this.failed ??= this.lost(error);
      return;
    }
    // A znode with a missing parent failed because the parent failed.
    this.failureCount++;
    const isConsequence = isCode(error, 'NONODE') && this.failures.length > 0;
    if (!isConsequence && this.failures.length < 3) this.failures.push({ path, error });
  }
}

const LOST_HINT = 'run the command again with --resume to continue';

const FATAL: ReadonlySet<string> = new Set([
  'CONNECTIONLOSS',
  'ETIMEDOUT',
  'ECLOSED',
  'SESSIONEXPIRED',
  'OPERATIONTIMEOUT',
]);

function interimAcl(acl: readonly ACL[], id: ACL['id']): readonly ACL[] {
  return [...acl, { perms: Perms.CREATE | Perms.ADMIN, id }];
}

function createOptions({ mode, ttl }: ZnodeRecord, acl: readonly ACL[] | undefined): CreateOptions {
  const withAcl = acl === undefined || isOpenAcl(acl) ? {} : { acl };
  if (mode === 'container') return { mode: CreateModes.CONTAINER, ...withAcl };
  if (mode === 'ttl' && ttl !== undefined) {
    return { mode: CreateModes.PERSISTENT_WITH_TTL, ttl, ...withAcl };
  }
  return withAcl;
}
