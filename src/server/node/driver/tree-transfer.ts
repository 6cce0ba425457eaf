/** The AdminServer's `snapshot` and `restore`. Commands.java has the order of refusals. */
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DIGEST_VERSION } from '../../../files/digest.js';
import { SnapshotReader } from '../../../files/snapshot-reader.js';
import { type AdminResult, failure } from '../../admin/command.js';
import type { Config } from '../../config/config.js';
import type { CountedOutside } from '../../events.js';
import { faultOf, feedSnapshot } from '../../persistence/feed-snapshot.js';
import { Database } from '../../persistence/replay.js';
import { snapshotContentOf } from '../../persistence/snapshot-content.js';
import { contentOf } from '../../persistence/snapshot-source.js';
import type { EnsembleRestore } from '../../quorum/ensemble-restore.js';
import { QuorumPeer } from '../../quorum/quorum-peer.js';
import type { ServerReport } from '../log/logger.js';
import type { WrittenSnapshot } from '../storage/disk.js';
import type { Storage } from '../storage/disk-options.js';
import { dropStaged, stageRestored } from '../storage/restored-data.js';
import type { Core, Driver } from './driver.js';

export interface SizedSnapshot extends WrittenSnapshot {
  readonly size: number;
}

export interface TreeTransferOptions {
  readonly config: Config;
  readonly core: Core;
  readonly driver: Driver;
  readonly storage: Storage | null;
  readonly onReport: (report: ServerReport) => void;
}

export type TransferName = 'snapshot' | 'restore';

const Status = {
  CONFLICT: 409,
  TOO_MANY: 429,
  SERVER_ERROR: 500,
  UNAVAILABLE: 503,
} as const;

const GZIP_MAGIC = 0x1f8b;

export class TreeTransfer {
  private readonly options: TreeTransferOptions;
  private readonly allowedAt = { snapshot: 0, restore: 0 };
  private isRestoring = false;

  constructor(options: TreeTransferOptions) {
    this.options = options;
  }

  /** Undefined accepts the command, and starts its rate limit. */
  refuse(name: TransferName): AdminResult | undefined {
    const { config, storage } = this.options;
    const isEnabled =
      name === 'snapshot' ? config.adminSnapshotEnabled : config.adminRestoreEnabled;
    if (!isEnabled) {
      return failure(`the command is disabled (admin.${name}.enabled)`, Status.UNAVAILABLE);
    }
    if (!config.serializeLastProcessedZxidEnabled) {
      return failure(
        `the command needs serializeLastProcessedZxid.enabled=true`,
        Status.SERVER_ERROR,
      );
    }
    if (name === 'snapshot' && storage === null) {
      return failure('the server keeps its data in memory', Status.UNAVAILABLE);
    }
    if (name === 'restore' && this.isRestoring) {
      return failure('another restore is under way', Status.UNAVAILABLE);
    }
    const problem = name === 'restore' ? this.memberOf?.problem() : undefined;
    if (problem) return failure(problem, Status.CONFLICT);
    return this.limitRate(name);
  }

  /** Undefined for a standalone server. */
  private get memberOf(): EnsembleRestore | undefined {
    const { core } = this.options;
    return core instanceof QuorumPeer ? core.restoration : undefined;
  }

  private limitRate(name: TransferName): AdminResult | undefined {
    const now = performance.now();
    const allowedAt = this.allowedAt[name];
    if (now < allowedAt) {
      this.count(`${name}_rate_limited_count`);
      const seconds = Math.ceil((allowedAt - now) / 1000);
      return failure(`too many requests: the next one in ${seconds} s`, Status.TOO_MANY);
    }
    this.allowedAt[name] = now + this.options.config.adminRateLimiterIntervalMs;
    return undefined;
  }

  async snapshot(): Promise<SizedSnapshot> {
    const { core, driver } = this.options;
    try {
      const file = await driver.writeSnapshot(() => snapshotContentOf(core.server.state));
      return { ...file, size: (await stat(file.path)).size };
    } catch (error) {
      this.count('snapshot_error_count');
      throw error;
    }
  }

  /** @param body a snapshot file, perhaps gzipped; clients are served meanwhile */
  async restore(body: AsyncIterable<Buffer>): Promise<AdminResult> {
    const { driver, storage, onReport } = this.options;
    const startedAt = performance.now();
    this.isRestoring = true;
    try {
      const read = await this.read(body);
      if (typeof read === 'string') return this.fail(`unusable snapshot: ${read}`);
      const refusal = this.memberOf?.prepare(read);
      if (refusal) return this.fail(refusal);
      const content = contentOf(read);
      const staged = storage === null ? null : await stageRestored(storage.dir, content);
      const problem = await driver.restore(read, staged);
      if (problem !== '') {
        if (storage !== null && staged !== null) await dropStaged(storage.dir, staged);
        return this.fail(problem);
      }
      const ms = Math.round(performance.now() - startedAt);
      driver.measured('restore_time', ms);
      const { zxid, sessions, tree } = content;
      onReport({ kind: 'restored', zxid, nodes: tree.nodeCount, sessions: sessions.length, ms });
      return { fields: { last_zxid: zxid } };
    } catch (error) {
      return this.fail(error instanceof Error ? error.message : String(error));
    } finally {
      this.isRestoring = false;
    }
  }

  private fail(reason: string): AdminResult {
    this.count('restore_error_count');
    return failure(reason, Status.SERVER_ERROR);
  }

  private count(what: CountedOutside): void {
    this.options.driver.step({ kind: 'counted', what });
  }

  /** A string describes the fault of an unusable snapshot. */
  private async read(body: AsyncIterable<Buffer>): Promise<Database | string> {
    const { core, config, onReport } = this.options;
    const reader = new SnapshotReader(config.juteMaxBuffer + config.juteMaxBufferExtraSize);
    const database = new Database(core.server.state.tree.options);
    for await (const chunk of unzipped(body)) {
      reader.push(chunk);
      const fault = faultOf(feedSnapshot(database, reader));
      if (fault !== undefined) return fault;
    }
    reader.end();
    const fault = faultOf(feedSnapshot(database, reader));
    if (fault !== undefined) return fault;
    const { reachedZxid, sealed } = database;
    if (reachedZxid === null) {
      return 'it does not contain the last zxid of its tree, as snapshots since 3.9 do (serializeLastProcessedZxid.enabled)';
    }
    database.finishSnapshot(reachedZxid);
    const { tree } = database;
    const isFuzzy =
      tree.isDigestEnabled &&
      sealed?.version === DIGEST_VERSION &&
      sealed.zxid === reachedZxid &&
      sealed.digest !== tree.digest.value;
    if (isFuzzy) {
      const message =
        'restore: the snapshot was taken during writes, and its digest does not match: its tree never existed';
      onReport({ kind: 'warning', message });
    }
    database.removeOrphans();
    return database;
  }
}

/** Leaves the rest of `body` unread instead of closing it early. */
async function* unzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = body[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  while (first.length < 2) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    first = Buffer.concat([first, value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield first;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      yield next.value;
    }
  }
  const isZipped = first.length >= 2 && first.readUInt16BE(0) === GZIP_MAGIC;
  yield* isZipped ? Readable.from(all()).compose(createGunzip()) : all();
}
