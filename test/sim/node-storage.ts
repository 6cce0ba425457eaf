import { ByteRange } from '../../src/jute/byte-range.js';
import { ConfigKeeper } from '../../src/server/node/boot/config-file.js';
import { DataDir } from '../../src/server/node/storage/data-dir.js';
import { Disk, type Storage } from '../../src/server/node/storage/disk.js';
import { type KnownEpochs, openEpochs } from '../../src/server/node/storage/epoch-files.js';
import type { FileSystem } from '../../src/server/node/storage/file-system.js';
import { LogDisk } from '../../src/server/node/storage/log-disk.js';
import { readWhole } from '../../src/server/node/storage/read-file.js';
import type { Database } from '../../src/server/persistence/replay.js';
import type { QuorumConfig } from '../../src/server/quorum/membership/quorum-config.js';
import { PlatterFiles } from '../support/platter-files.js';
import type { ServerNode } from './server-node.js';
import { parse } from './shape.js';
import { CONFIG_FILE, DATA_DIR, type SimDisk } from './sim-disk.js';
import { MAX_ENTRY_LENGTH, storedZxid } from './stored-zxid.js';

/** Small, so that much happens while a snapshot is written. */
const SNAPSHOT_CHUNK = 1024;

export interface StorageListener {
  onWarning(message: string): void;
  onFatal(error: unknown): void;
}

export interface Booted extends KnownEpochs {
  readonly disk: Disk;
  readonly keeper: ConfigKeeper;
  readonly database: Database;
  /** The txns replayed, as they travel. */
  readonly entries: readonly { readonly zxid: bigint; readonly entry: ByteRange }[];
  /** Undefined where none was kept yet. */
  readonly config: QuorumConfig | undefined;
}

/** Starts on a disk as open-storage.ts and make-member.ts do: the same parts in the same order. */
export async function boot(
  simDisk: SimDisk,
  sid: number,
  listener: StorageListener,
): Promise<Booted> {
  const fs = simDisk.begin();
  const dir = makeDir(fs, listener.onWarning);
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
    onSlowSync: () => undefined,
    onError: (error) => listener.onFatal(error),
  });
  return {
    ...epochs,
    disk: makeDisk({ log, dir }, listener),
    keeper: new ConfigKeeper({ file: CONFIG_FILE, sid, fs, onWarning: listener.onWarning }),
    database,
    entries,
    config: await keptConfig(fs),
  };
}

/** What a start finds when the power goes now; the disk is left as it is. */
export async function afterPowerLoss({ platter, random }: SimDisk): Promise<Database> {
  const copy = platter.clone();
  copy.losePower(random);
  const dir = makeDir(new PlatterFiles(copy), () => undefined);
  await dir.prepare();
  const { database } = await dir.recover();
  checkDigests(database);
  return database;
}

/** Has the disk a txn that is not committed yet? */
export function hasUncommitted({ peer, disk }: Pick<ServerNode, 'peer' | 'disk'>): boolean {
  return storedZxid(disk.files) > (peer?.data.tree.lastProcessedZxid ?? 0n);
}

/** @throws Error where the log leads to another tree than its writer had */
export function checkDigests({ digestMismatches }: Database): void {
  if (digestMismatches > 0) throw new Error('the log leads to another tree');
}

function makeDir(fs: FileSystem, onWarning: (message: string) => void): DataDir {
  return new DataDir({
    dataDir: DATA_DIR,
    dataLogDir: DATA_DIR,
    fs,
    tree: { isTTLEnabled: true },
    maxEntryLength: MAX_ENTRY_LENGTH,
    isEmptyTrusted: false,
    isCompressed: false,
    isLastZxidWritten: true,
    snapshotChunkSize: SNAPSHOT_CHUNK,
    areFoldersMade: true,
    isEmptyDatabaseMade: true,
    onWarning,
  });
}

function makeDisk(storage: Storage, { onWarning, onFatal }: StorageListener): Disk {
  return new Disk({
    storage,
    purge: { everyMs: 0, retain: 3 },
    onPurged: () => undefined,
    onSnapshot: () => undefined,
    onWarning,
    onFatal,
  });
}

/** The membership that was kept last, found by zoo.cfg as node/boot/read-membership.ts finds it. */
async function keptConfig(fs: FileSystem): Promise<QuorumConfig | undefined> {
  const text = (await readWhole(fs, CONFIG_FILE)).toString();
  const file = /^dynamicConfigFile=(.*)$/m.exec(text)?.[1];
  if (file === undefined) return undefined;
  const version = file.slice(file.lastIndexOf('.') + 1);
  return parse(`${(await readWhole(fs, file)).toString()}\nversion=${version}`);
}
