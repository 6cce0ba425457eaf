import { ByteRange } from '../../../src/jute/byte-range.js';
import { ConfigKeeper, nextConfigFileOf } from '../../../src/server/node/boot/config-file.js';
import { accessOf } from '../../../src/server/node/storage/atomic-file.js';
import { compactSnapshot } from '../../../src/server/node/storage/compact-snapshot.js';
import { DataDir } from '../../../src/server/node/storage/data-dir.js';
import { Disk } from '../../../src/server/node/storage/disk.js';
import type { Storage } from '../../../src/server/node/storage/disk-options.js';
import { type KnownEpochs, openEpochs } from '../../../src/server/node/storage/epoch-files.js';
import type { FileSystem } from '../../../src/server/node/storage/file-system.js';
import { LogDisk } from '../../../src/server/node/storage/log-disk.js';
import { readWhole } from '../../../src/server/node/storage/read-file.js';
import type { Database } from '../../../src/server/persistence/replay.js';
import type { QuorumConfig } from '../../../src/server/quorum/membership/quorum-config.js';
import { PlatterFiles } from '../../support/bytes/platter-files.js';
import { parse } from '../shape.js';
import type { ServerNode } from './server-node.js';
import { CONFIG_FILE, DATA_DIR, LOG_DIR, type SimDisk } from './sim-disk.js';
import { MAX_ENTRY_LENGTH, storedZxid } from './stored-zxid.js';

/** Small, so that much happens while a snapshot is written. */
const SNAPSHOT_CHUNK = 1024;

/** How all members of an ensemble store their data. */
export interface StorageTraits {
  readonly isDigestEnabled: boolean;
  /** Whether dataLogDir is another folder. */
  readonly hasLogDir: boolean;
  readonly compression: 'none' | 'snappy';
}

export interface StorageListener {
  onWarning(message: string): void;
  onFatal(error: unknown): void;
  onSnapshot(path: string): void;
  /** The log must keep the txns after this one; null without any. */
  neededZxid(): bigint | null;
}

export interface Booted extends KnownEpochs {
  readonly disk: Disk;
  readonly keeper: ConfigKeeper;
  readonly database: Database;
  /** The replayed txns, in the format of the wire. */
  readonly entries: readonly { readonly zxid: bigint; readonly entry: ByteRange }[];
  /** Undefined if none was stored yet. */
  readonly config: QuorumConfig | undefined;
  /** One that was proposed. */
  readonly nextConfig: QuorumConfig | null;
}

/**
 * Starts on a disk with the same parts in the same order as open-storage.ts and make-member.ts.
 */
export async function boot(
  simDisk: SimDisk,
  sid: number,
  listener: StorageListener,
  traits: StorageTraits,
): Promise<Booted> {
  const fs = simDisk.begin();
  const dir = makeDir(fs, traits, listener.onWarning, simDisk.random.oneIn(2));
  await dir.prepare();
  const entries: { zxid: bigint; entry: ByteRange }[] = [];
  const { database } = await dir.recover((zxid, entry) => {
    entries.push({ zxid, entry: new ByteRange(Buffer.from(entry)) });
  });
  checkDigests(database);
  const epochs = await openEpochs(fs, dir.snapFolder, database.tree.lastProcessedZxid);
  const log = new LogDisk({
    folder: dir.logFolder,
    fs,
    preAllocSize: [0, 2048, 8192][simDisk.random.below(3)] ?? 0,
    maxFileSize: simDisk.random.oneIn(2) ? 4096 : 0,
    isSynced: true,
    slowSyncMs: Number.POSITIVE_INFINITY,
    // Fast is what no slow disk of the simulation is.
    fastSyncMs: 8,
    clock: () => simDisk.nowMs,
    onSlowSync: () => undefined,
    onError: (error) => listener.onFatal(error),
  });
  const config = await keptConfig(fs);
  return {
    ...epochs,
    disk: makeDisk({ log, dir }, listener),
    keeper: new ConfigKeeper({ file: CONFIG_FILE, sid, fs, onWarning: listener.onWarning }),
    database,
    entries,
    config,
    nextConfig: config === undefined ? null : await keptNext(fs),
  };
}

/** The result of a start after a power loss now. Does not change the disk. */
export async function afterPowerLoss(
  { platter, random }: SimDisk,
  traits: StorageTraits,
): Promise<Database> {
  const copy = platter.clone();
  copy.losePower(random);
  const dir = makeDir(new PlatterFiles(copy), traits, () => undefined);
  await dir.prepare();
  const { database } = await dir.recover();
  checkDigests(database);
  return database;
}

/** Whether the disk has a txn that is not committed yet. */
export function hasUncommitted({ peer, disk }: Pick<ServerNode, 'peer' | 'disk'>): boolean {
  return storedZxid(disk.files) > (peer?.data.tree.lastProcessedZxid ?? 0n);
}

/** @throws Error if the log gives a different tree than its writer had */
export function checkDigests({ digestMismatches }: Database): void {
  if (digestMismatches > 0) throw new Error('the log gives a different tree');
}

function makeDir(
  fs: FileSystem,
  { isDigestEnabled, hasLogDir, compression }: StorageTraits,
  onWarning: (message: string) => void,
  isCompacting = false,
): DataDir {
  return new DataDir({
    dataDir: DATA_DIR,
    dataLogDir: hasLogDir ? LOG_DIR : DATA_DIR,
    fs,
    tree: { isTTLEnabled: true, isDigestEnabled },
    maxEntryLength: MAX_ENTRY_LENGTH,
    isEmptyTrusted: false,
    compression,
    isLastZxidWritten: true,
    compaction: isCompacting
      ? {
          fromZnodes: 0,
          toLogBytes: Number.POSITIVE_INFINITY,
          run: (job) => compactSnapshot(fs, job),
        }
      : undefined,
    snapshotChunkSize: SNAPSHOT_CHUNK,
    areFoldersMade: true,
    isEmptyDatabaseMade: true,
    onWarning,
  });
}

function makeDisk(
  storage: Storage,
  { onWarning, onFatal, onSnapshot, neededZxid }: StorageListener,
): Disk {
  return new Disk({
    storage,
    purge: { everyMs: 0, retain: 3 },
    onPurged: () => undefined,
    onSnapshot,
    neededZxid,
    onWarning,
    onFatal,
  });
}

/** The last stored membership, found by zoo.cfg as in node/boot/read-membership.ts. */
async function keptConfig(fs: FileSystem): Promise<QuorumConfig | undefined> {
  const text = (await readWhole(fs, CONFIG_FILE)).toString();
  const file = /^dynamicConfigFile=(.*)$/m.exec(text)?.[1];
  if (file === undefined) return undefined;
  const version = file.slice(file.lastIndexOf('.') + 1);
  return parse(`${(await readWhole(fs, file)).toString()}\nversion=${version}`);
}

async function keptNext(fs: FileSystem): Promise<QuorumConfig | null> {
  const file = nextConfigFileOf(CONFIG_FILE);
  if ((await accessOf(fs, file)) === undefined) return null;
  return parse((await readWhole(fs, file)).toString());
}
