import type { ZooKeeperClient } from '../../client/base/client.js';
import { type Visit, walkTree } from '../../client/znodes/walk.js';
import type { ACL } from '../../protocol/data.js';
import { isWithin } from '../../protocol/path.js';
import { isMasked } from '../znodes/parse-acl.js';
import { isEphemeral } from '../znodes/stat-lines.js';
import type { ZnodeRecord } from './znode-record.js';

export interface TreeSourceOptions {
  readonly signal: AbortSignal;
  readonly hasAcls: boolean;
  readonly hasEphemerals: boolean;
  readonly maxDepth?: number;
  /** Starts after this path, in walk order. */
  readonly after?: string;
}

/** Each znode takes three requests and up to 1 MB of data. */
const READ_AHEAD = 32;
const SYSTEM = '/zookeeper';

interface Read {
  readonly data: Buffer | null;
  readonly acl: readonly ACL[] | undefined;
}

/** A subtree as records, in walk order. Counts skipped znodes. */
export class TreeSource {
  readonly client: ZooKeeperClient;
  readonly root: string;
  private readonly options: TreeSourceOptions;
  ephemeralsLeftOut = 0;
  /** ACLs with hidden passwords: servers show them only with ADMIN permission. */
  maskedAcls = 0;
  unread = 0;
  readonly faults: { readonly path: string; readonly error: unknown }[] = [];

  constructor(client: ZooKeeperClient, root: string, options: TreeSourceOptions) {
    this.client = client;
    this.root = root;
    this.options = options;
  }

  /** Undefined if the server does not report it. */
  async count(): Promise<number | undefined> {
    try {
      return (await this.client.getAllChildrenNumber(this.root)) + 1;
    } catch {
      return undefined;
    }
  }

  async *records(): AsyncGenerator<ZnodeRecord> {
    const { signal, maxDepth, after } = this.options;
    const walk = walkTree<Read>(this.client, this.root, {
      signal,
      inFlight: READ_AHEAD,
      ...(maxDepth === undefined ? {} : { maxDepth }),
      ...(after === undefined ? {} : { after }),
      // Skip the server's own znodes.
      isSkipped: (path) => path === SYSTEM && !isWithin(this.root, SYSTEM),
      read: (path) => this.read(path),
    });
    for await (const visit of walk) {
      const record = this.recordOf(visit);
      if (record !== undefined) yield record;
    }
  }

  /** Undefined for a skipped znode. */
  private recordOf({ path, depth, stat, extra, error }: Visit<Read>): ZnodeRecord | undefined {
    // Without the root, nothing below it can be read.
    if (depth === 0 && error !== undefined) throw error;
    if (stat === undefined || extra === undefined) {
      this.unread++;
      if (this.faults.length < 3) this.faults.push({ path, error });
      return undefined;
    }
    const mode = isEphemeral(stat) ? 'ephemeral' : 'persistent';
    if (mode === 'ephemeral' && !this.options.hasEphemerals) {
      this.ephemeralsLeftOut++;
      return undefined;
    }
    if (extra.acl?.some(isMasked) === true) this.maskedAcls++;
    const below = this.root === '/' ? path : path.slice(this.root.length);
    return {
      path: below === '/' ? '' : below,
      ...extra,
      mode,
      version: stat.version,
      mtime: Number(stat.mtime),
      aclVersion: stat.aversion,
    };
  }

  private async read(path: string): Promise<Read> {
    const [{ data }, acl] = await Promise.all([
      this.client.getData(path),
      this.options.hasAcls ? this.client.getACL(path) : undefined,
    ]);
    return { data, acl: acl?.acl };
  }
}
