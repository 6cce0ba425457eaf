// The logs of a backup: the txns of the ensemble in order, in files that a server can read. Each
// append is synced. A crash leaves at most an incomplete record, which the next start removes.

import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { adler32 } from '../../../base/checksum.js';
import { logFileName } from '../../../files/file-names.js';
import { logsAmong } from '../../../files/recovery.js';
import { encodeLogHeader } from '../../../files/txn-log.js';
import { syncFolder } from '../../data-files/copy-file.js';
import { listFiles } from '../../data-files/find-files.js';
import { readLog } from '../../data-files/read-log.js';
import { runFault } from '../../ensemble/run-fault.js';
import { EncryptedFile, openEncrypted } from './encrypted-file.js';
import { PlainFile, type WrittenFile } from './written-file.js';

/** Begins the name of a log file as it was before txns were removed from it. */
export const REMOVED = 'removed.';
/** Retention removes whole files, so they stay small. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const END_OF_RECORD = 0x42;

export interface ReadLimits {
  readonly maxEntry: number;
  readonly signal: AbortSignal;
}

/** The checksum tells two txns with the same zxid apart. */
export interface KeptTxn {
  readonly zxid: bigint;
  readonly checksum: number;
  readonly offset: number;
}

export function checksumOf(entry: Buffer): number {
  return adler32(entry, 0, entry.length);
}

export class BackupLog {
  /** The txns of the newest file. */
  readonly recent: KeptTxn[] = [];
  private readonly changed: string[] = [];
  private readonly aside: string[] = [];
  private readonly folder: string;
  private readonly key: Buffer | undefined;
  private file: WrittenFile | undefined;
  private name: string | undefined;

  private constructor(folder: string, key: Buffer | undefined) {
    this.folder = folder;
    this.key = key;
  }

  /**
   * Opens the newest file, and removes an incomplete record at its end.
   * @param key of an encrypted backup
   */
  static async open(folder: string, limits: ReadLimits, key?: Buffer): Promise<BackupLog> {
    const log = new BackupLog(folder, key);
    for (const { name } of logsAmong(await listFiles(folder)).reverse()) {
      if (await log.continueFile(join(folder, name), limits)) break;
    }
    return log;
  }

  get last(): KeptTxn | undefined {
    return this.recent.at(-1);
  }

  append(zxid: bigint, entry: Buffer): void {
    const checksum = checksumOf(entry);
    const file =
      this.file === undefined || this.file.size > MAX_FILE_BYTES ? this.beginFile(zxid) : this.file;
    const record = Buffer.allocUnsafe(entry.length + 13);
    record.writeBigInt64BE(BigInt(checksum), 0);
    record.writeInt32BE(entry.length, 8);
    entry.copy(record, 12);
    record[entry.length + 12] = END_OF_RECORD;
    const offset = file.size;
    file.write(record);
    this.recent.push({ zxid, checksum, offset });
  }

  sync(): void {
    this.file?.sync();
  }

  /**
   * Removes the txns after `zxid` from the newest file, because the member removed them, too. A
   * copy keeps them: a member that was restored to an earlier moment had acknowledged them.
   */
  truncateAfter(zxid: bigint): number {
    const keep = this.recent.findIndex((txn) => txn.zxid > zxid);
    const first = this.recent[keep];
    if (first === undefined || this.file === undefined || this.name === undefined) return 0;
    this.keepAside(this.name, first.zxid);
    this.file.truncate(first.offset);
    this.changed.push(this.name);
    return this.recent.splice(keep).length;
  }

  private keepAside(name: string, zxid: bigint): void {
    const folder = dirname(this.folder);
    let at = 1;
    const copy = () => join(folder, `${REMOVED}${zxid.toString(16)}-${at}`);
    while (existsSync(copy())) at++;
    this.sync();
    copyFileSync(join(this.folder, name), copy(), constants.COPYFILE_EXCL);
    const handle = openSync(copy(), 'r');
    fsyncSync(handle);
    closeSync(handle);
    syncFolder(folder);
    this.aside.push(copy());
  }

  /** The copies that were made since the last call. */
  takeAside(): readonly string[] {
    return this.aside.splice(0);
  }

  /** The names of the files that lost bytes here since the last call. */
  takeChanged(): readonly string[] {
    return this.changed.splice(0);
  }

  close(): void {
    this.file?.close();
    this.file = undefined;
  }

  private async continueFile(path: string, limits: ReadLimits): Promise<boolean> {
    let damaged: number | undefined;
    const reader = readLog(
      path,
      ({ zxid, entry, offset, damage }) => {
        if (damage !== undefined) damaged ??= offset;
        return { zxid, checksum: checksumOf(entry), offset };
      },
      { ...limits, open: this.key && openEncrypted(this.key), onBytes: () => undefined },
    );
    for (;;) {
      const { done, value } = await reader.next();
      if (done === true) {
        if (value.kind === 'corrupt') damaged ??= value.offset;
        if (damaged !== undefined) {
          throw runFault(
            `${path}: the backup is damaged at offset ${damaged}\nKeep this folder to restore earlier moments, and start a new backup in another folder`,
          );
        }
        this.changed.push(basename(path));
        if (this.recent.length === 0) rmSync(path);
        else this.reopen(path, value.offset);
        return this.recent.length > 0;
      }
      this.recent.push(...value);
    }
  }

  private reopen(path: string, size: number): void {
    this.name = basename(path);
    this.file =
      this.key === undefined ? PlainFile.open(path) : EncryptedFile.open(path, this.key, 'r+');
    this.file?.truncate(size);
  }

  private beginFile(zxid: bigint): WrittenFile {
    this.sync();
    this.close();
    this.recent.length = 0;
    const path = join(this.folder, logFileName(zxid));
    const file =
      this.key === undefined ? PlainFile.create(path) : EncryptedFile.create(path, this.key);
    this.file = file;
    this.name = basename(path);
    file.write(encodeLogHeader());
    syncFolder(this.folder);
    return file;
  }
}
