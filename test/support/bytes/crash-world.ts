import type { EpochName } from '../../../src/files/epochs.js';
import { DataDir } from '../../../src/server/node/storage/data-dir.js';
import { Disk } from '../../../src/server/node/storage/disk.js';
import { type KnownEpochs, openEpochs } from '../../../src/server/node/storage/epoch-files.js';
import type { FileSystem } from '../../../src/server/node/storage/file-system.js';
import { LogDisk } from '../../../src/server/node/storage/log-disk.js';
import type { Database } from '../../../src/server/persistence/replay.js';
import { contentOf } from '../../../src/server/persistence/snapshot-source.js';
import type { Random } from '../random.js';
import { Platter } from './platter.js';
import { AT_ONCE, type Call, type CallRunner, PlatterFiles } from './platter-files.js';
import { buildRecord, setDataEntry } from './zk-files.js';

export const DATA_DIR = '/data';
/** On a separate disk: a sync of one does not sync the other. */
export const LOG_DIR = '/log';

/** The number of other calls that a slow call takes, if there are that many. */
const SLOW_CALLS = 60;

/** Runs calls at once, or some of them slowly, until the one at which the process ends. */
export class CrashingRunner implements CallRunner {
  /** Resolves at the crash. */
  readonly crashed: Promise<void>;
  calls = 0;
  isOver = false;
  private readonly crashAt: number;
  private readonly random: Random;
  private readonly isSlow: (call: Call) => boolean;
  private readonly slow: { readonly call: Call; readonly until: number }[] = [];
  private tell: () => void = () => undefined;

  /** @param isSlow whether other calls may overtake this one */
  constructor(crashAt: number, random: Random, isSlow: (call: Call) => boolean = () => false) {
    this.crashAt = crashAt;
    this.random = random;
    this.isSlow = isSlow;
    this.crashed = new Promise((resolve) => {
      this.tell = resolve;
    });
  }

  submit(call: Call): void {
    if (this.isOver) return;
    this.calls++;
    this.finishSlow(this.calls);
    if (this.calls === this.crashAt) {
      this.isOver = true;
      for (const under of this.slow) under.call.tear(this.random);
      call.tear(this.random);
      this.tell();
    } else if (this.isSlow(call)) {
      this.slow.push({ call, until: this.calls + SLOW_CALLS });
      setImmediate(() => this.finishSlow(Number.POSITIVE_INFINITY));
    } else {
      call.run();
    }
  }

  private finishSlow(now: number): void {
    for (let next = this.slow[0]; next && next.until <= now && !this.isOver; next = this.slow[0]) {
      this.slow.shift();
      next.call.run();
    }
  }

  async nextTurn(): Promise<void> {
    if (this.isOver) await new Promise(() => undefined);
  }
}

/** The txns that a start must find, and the last that it may find. */
export interface Promised {
  /** The last acknowledged txn, and the last requested one. */
  least: bigint;
  most: bigint;
  acceptedEpoch: number;
  currentEpoch: number;
}

export function nothingPromised(): Promised {
  return { least: 0n, most: 0n, acceptedEpoch: 0, currentEpoch: 0 };
}

export function makeDir(
  fs: FileSystem,
  onWarning = (_: string): void => undefined,
  dataLogDir = DATA_DIR,
): DataDir {
  return new DataDir({
    dataDir: DATA_DIR,
    dataLogDir,
    fs,
    tree: {},
    maxEntryLength: 1 << 20,
    isEmptyTrusted: false,
    compression: 'none',
    isLastZxidWritten: true,
    snapshotChunkSize: 64,
    areFoldersMade: true,
    isEmptyDatabaseMade: true,
    onWarning,
  });
}

export function emptyPlatter(): Platter {
  const platter = new Platter();
  platter.makeFolder(DATA_DIR);
  platter.makeFolder(LOG_DIR);
  return platter;
}

/** The storage of a running server, and the txns it acknowledged. */
export class StorageWorld {
  readonly dir: DataDir;
  /** The data up to the last append, as a server has it: a truncation loads it again. */
  database: Database;
  readonly log: LogDisk;
  readonly disk: Disk;
  readonly fatal: unknown[] = [];
  readonly promised: Promised;

  private constructor(dir: DataDir, database: Database, promised: Promised) {
    this.dir = dir;
    this.database = database;
    this.promised = promised;
    const onFatal = (error: unknown) => this.fatal.push(error);
    this.log = new LogDisk({
      folder: dir.logFolder,
      fs: dir.fs,
      preAllocSize: 1024,
      maxFileSize: 0,
      isSynced: true,
      slowSyncMs: Number.POSITIVE_INFINITY,
      onSlowSync: () => undefined,
      onError: onFatal,
    });
    this.disk = new Disk({
      storage: { log: this.log, dir },
      purge: { everyMs: 0, retain: 1 },
      onPurged: () => undefined,
      onSnapshot: () => undefined,
      onWarning: () => undefined,
      onFatal,
    });
  }

  static async start(
    fs: FileSystem,
    promised: Promised,
    dataLogDir = DATA_DIR,
  ): Promise<StorageWorld> {
    const { dir, database } = await recoverAll(fs, undefined, dataLogDir);
    return new StorageWorld(dir, database, promised);
  }

  /** Resolves when the txn is acknowledged. */
  append(zxid: bigint, size = 0): Promise<void> {
    const { promised, database } = this;
    const entry = setDataEntry(zxid, '/', dataOf(zxid, size));
    promised.most = zxid;
    return new Promise((resolve) => {
      this.disk.append(buildRecord(entry), zxid, () => {
        promised.least = zxid;
        database.replay(entry);
        resolve();
      });
    });
  }

  async snapshot(): Promise<void> {
    this.disk.takeSnapshot(contentOf(this.database));
    await this.disk.writeSnapshot(() => contentOf(this.database));
  }

  writeEpoch(name: EpochName, epoch: number): Promise<void> {
    return new Promise((resolve) => {
      this.disk.writeEpoch(name, epoch, () => {
        this.promised[name] = epoch;
        resolve();
      });
    });
  }

  truncate(zxid: bigint): Promise<void> {
    this.promised.least = zxid;
    return new Promise((resolve) => {
      this.disk.truncate(zxid, (database) => {
        if (database !== null) this.database = database;
        this.promised.most = zxid;
        resolve();
      });
    });
  }
}

export function dataOf(zxid: bigint, size = 0): Buffer {
  return Buffer.from(`${zxid} ${'x'.repeat(size)}`);
}

export async function recoverAll(
  fs: FileSystem,
  onWarning?: (message: string) => void,
  dataLogDir = DATA_DIR,
): Promise<{ dir: DataDir; database: Database; epochs: KnownEpochs }> {
  const dir = makeDir(fs, onWarning, dataLogDir);
  await dir.prepare();
  const { database } = await dir.recover();
  const epochs = await openEpochs(fs, dir.snapFolder, database.tree.lastProcessedZxid);
  return { dir, database, epochs };
}

/** Compares the data that a start finds with the acknowledged txns. Returns the last zxid. */
export async function checkPromised(
  platter: Platter,
  promised: Promised,
  dataLogDir = DATA_DIR,
): Promise<bigint> {
  const fs = new PlatterFiles(platter, AT_ONCE);
  const { database, epochs } = await recoverAll(fs, undefined, dataLogDir);
  const { tree } = database;
  const { lastProcessedZxid: last } = tree;
  if (last < promised.least) throw new Error(`lost: ${promised.least} was acked, found ${last}`);
  if (last > promised.most)
    throw new Error(`${last} was found, but ${promised.most} is the last txn written`);
  const found = last === 0n ? '' : `${tree.dataAt('/') ?? ''}`.split(' ')[0];
  if (found !== (last === 0n ? '' : `${last}`)) throw new Error(`at ${last} the data is ${found}`);
  for (const name of ['acceptedEpoch', 'currentEpoch'] as const) {
    if (epochs[name] < promised[name]) {
      throw new Error(`lost: ${name} ${promised[name]}, found ${epochs[name]}`);
    }
  }
  return last;
}
