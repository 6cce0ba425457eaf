import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDir } from '../../../../src/server/node/storage/data-dir.js';
import { Disk } from '../../../../src/server/node/storage/disk.js';
import { LogDisk } from '../../../../src/server/node/storage/log-disk.js';
import type { Database } from '../../../../src/server/persistence/replay.js';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';
import { makeDir } from './make-dir.js';

export interface DiskWorld {
  readonly disk: Disk;
  readonly dir: DataDir;
  readonly log: LogDisk;
  readonly database: Database;
  /** The completed operations, in order. */
  readonly done: string[];
  readonly fatal: unknown[];
  readonly warnings: string[];
  /** Names of the folder, in order of their zxids. */
  names(prefix: string): string[];
  file(name: string): string;
  append(...zxids: bigint[]): void;
  /** The data of the root after a start, which is the zxid of the last txn. */
  recovered(): Promise<string>;
  until(...done: string[]): Promise<void>;
}

export const TREE = { isTTLEnabled: false, isDigestEnabled: false };

export function rootOf(database: Database | null): string {
  return database === null ? 'nothing' : `${database.tree.dataAt('/') ?? ''}`;
}

export async function within(body: (world: DiskWorld) => Promise<void>): Promise<void> {
  const home = makeTempDir('disk');
  const dir = makeDir(home.path, TREE);
  await dir.prepare();
  const { database } = await dir.recover();
  const fatal: unknown[] = [];
  const done: string[] = [];
  const warnings: string[] = [];
  const log = new LogDisk({
    folder: dir.logFolder,
    preAllocSize: 1 << 16,
    maxFileSize: 0,
    isSynced: true,
    slowSyncMs: Number.POSITIVE_INFINITY,
    onSlowSync: () => undefined,
    onError: (error) => fatal.push(error),
  });
  const disk = new Disk({
    storage: { log, dir },
    purge: { everyMs: 0, retain: 3 },
    onPurged: () => undefined,
    onSnapshot: () => undefined,
    onWarning: (message) => warnings.push(message),
    onFatal: (error) => fatal.push(error),
  });
  const zxidOf = (name: string) => Number.parseInt(name.slice(name.indexOf('.') + 1), 16);
  try {
    await body({
      disk,
      dir,
      log,
      database,
      done,
      fatal,
      warnings,
      names: (prefix) =>
        readdirSync(dir.snapFolder)
          .filter((name) => name.startsWith(prefix))
          .sort((a, b) => zxidOf(a) - zxidOf(b)),
      file: (name) => join(dir.snapFolder, name),
      append: (...zxids) => {
        for (const zxid of zxids) {
          const record = buildRecord(setDataEntry(zxid, '/', Buffer.from(`${zxid}`)));
          disk.append(record, zxid, () => done.push(`${zxid}`));
        }
      },
      recovered: async () => rootOf((await makeDir(home.path, TREE).recover()).database),
      until: (...expected) =>
        waitFor(`${expected}`, () => expected.every((what) => done.includes(what))).then(() => {}),
    });
  } finally {
    await disk.close();
    home.remove();
  }
}
