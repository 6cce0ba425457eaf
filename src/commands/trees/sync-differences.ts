import type { ZooKeeperClient } from '../../client/base/client.js';
import { isCode } from '../../client/base/errors.js';
import { isWithin } from '../../protocol/path.js';
import type { Difference } from './compare-records.js';
import { checkSink } from './copy-report.js';
import { type SinkRecord, TreeSink } from './tree-sink.js';

export interface Tally {
  created: number;
  set: number;
  aclsSet: number;
  deleted: number;
  bytes: number;
}

export function emptyTally(): Tally {
  return { created: 0, set: 0, aclsSet: 0, deleted: 0, bytes: 0 };
}

export interface SyncOptions {
  readonly signal: AbortSignal;
  /** Called for each extra znode of the right side. */
  readonly mayDelete: () => boolean;
  readonly hasAcls: boolean;
  readonly progress: (count: number) => void;
}

const IN_FLIGHT = 64;

/**
 * Makes a tree equal to the left sides of the differences, in one pass. They come parents first, so
 * a delete waits for its descendants, and only ancestors stay in memory. A parent gets its ACL
 * last, because the ACL may forbid changes below it.
 * @throws CommandError PARTIAL with the znodes that could not be changed
 */
export async function applyDifferences(
  differences: AsyncGenerator<Difference>,
  client: ZooKeeperClient,
  root: string,
  options: SyncOptions,
): Promise<Tally> {
  const { signal, hasAcls, mayDelete } = options;
  const counts = emptyTally();
  const deleter = new Deleter(client, root);
  const sink = new TreeSink(client, root, {
    signal,
    hasAcls,
    onExisting: 'refuse',
    progress: (count) => options.progress(count + deleter.deleted),
  });
  await sink.writeAll(toWrite());
  const { failures, failureCount, written, kept } = sink;
  const all = [...failures, ...deleter.failures];
  const failed = failureCount + deleter.failureCount;
  checkSink({ failures: all, failureCount: failed, written: written + deleter.deleted, kept });
  return { ...counts, deleted: deleter.deleted };

  async function* toWrite(): AsyncGenerator<SinkRecord> {
    for await (const difference of differences) {
      if (signal.aborted) break;
      const { path, right } = difference;
      await deleter.leave(path);
      const record = recordOf(difference);
      if (record !== undefined) {
        tally(counts, difference);
        yield record;
      } else if (right !== undefined && mayDelete()) deleter.enter(path, right.version);
    }
    // After an interruption, keep open subtrees: some of their descendants may be unseen.
    if (!signal.aborted) await deleter.leave(undefined);
    await deleter.settle(0);
  }
}

export function tally(counts: Tally, difference: Difference): void {
  const { left, right, isDataDifferent, isAclDifferent } = difference;
  if (left === undefined) counts.deleted++;
  else if (right === undefined) counts.created++;
  if (isDataDifferent) counts.set++;
  if (isAclDifferent) counts.aclsSet++;
  if (left !== undefined && (right === undefined || isDataDifferent)) {
    counts.bytes += left.data?.length ?? 0;
  }
}

function recordOf(difference: Difference): SinkRecord | undefined {
  const { left, right, isDataDifferent, isAclDifferent } = difference;
  if (left === undefined || right === undefined) return left;
  const { version, aclVersion } = right;
  const present = { version, aclVersion, isDataSame: !isDataDifferent, isAclSame: !isAclDifferent };
  return { ...left, present };
}

/** Deletes subtrees that arrive parents first. */
class Deleter {
  private readonly client: ZooKeeperClient;
  private readonly root: string;
  private readonly open: { readonly path: string; readonly version: number }[] = [];
  private readonly pending: Promise<void>[] = [];
  deleted = 0;
  failureCount = 0;
  readonly failures: { readonly path: string; readonly error: unknown }[] = [];

  constructor(client: ZooKeeperClient, root: string) {
    this.client = client;
    this.root = root;
  }

  enter(path: string, version: number): void {
    this.open.push({ path, version });
  }

  /** Deletes open znodes that are not ancestors of `next`. Servers process requests in order. */
  async leave(next: string | undefined): Promise<void> {
    for (let last = this.open.at(-1); last !== undefined; last = this.open.at(-1)) {
      if (next !== undefined && isWithin(next, last.path)) return;
      this.open.pop();
      this.pending.push(this.delete(last));
      await this.settle(IN_FLIGHT);
    }
  }

  async settle(limit: number): Promise<void> {
    while (this.pending.length > limit) await this.pending.shift();
  }

  private async delete({ path, version }: { path: string; version: number }): Promise<void> {
    const place = this.root === '/' ? path : `${this.root}${path}`;
    try {
      await this.client.delete(place, version);
      this.deleted++;
    } catch (error) {
      if (isCode(error, 'NONODE')) return;
      this.failureCount++;
      // A parent fails only because its child failed, so report the child.
      if (this.failures.length < 3 && !(isCode(error, 'NOTEMPTY') && this.failureCount > 1)) {
        this.failures.push({ path: place, error });
      }
    }
  }
}
