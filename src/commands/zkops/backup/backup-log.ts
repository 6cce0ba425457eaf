// The logs of a backup: the txns of the ensemble in order, in files that a server can read. Each
// append is synced. A crash leaves at most an incomplete record, which the next start removes.

import { closeSync, fsyncSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { adler32 } from '../../../server/base/checksum.js';
import { logFileName } from '../../../server/persistence/file-names.js';
import { logsAmong } from '../../../server/persistence/recovery.js';
import { encodeLogHeader } from '../../../server/persistence/txn-log.js';
import { syncFolder } from '../../data-files/copy-file.js';
import { listFiles } from '../../data-files/find-files.js';
import { readLog } from '../../data-files/read-log.js';
import { RunFault } from '../../ensemble/run-fault.js';

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
  /** Of the newest file. */
  readonly recent: KeptTxn[] = [];
  private readonly folder: string;
  private file: string | undefined;
  private handle: number | undefined;
  private size = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Opens the newest file, and removes an incomplete record at its end. */
  static async open(folder: string, limits: ReadLimits): Promise<BackupLog> {
    const log = new BackupLog(folder);
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
    if (this.handle === undefined || this.size > MAX_FILE_BYTES) this.beginFile(zxid);
    const record = Buffer.allocUnsafe(entry.length + 13);
    record.writeBigInt64BE(BigInt(checksum), 0);
    record.writeInt32BE(entry.length, 8);
    entry.copy(record, 12);
    record[entry.length + 12] = END_OF_RECORD;
    const offset = this.size;
    this.write(record);
    this.recent.push({ zxid, checksum, offset });
  }

  sync(): void {
    if (this.handle !== undefined) fsyncSync(this.handle);
  }

  /** Removes the txns after `zxid` from the newest file, because the member removed them, too. */
  truncateAfter(zxid: bigint): number {
    const keep = this.recent.findIndex((txn) => txn.zxid > zxid);
    const first = this.recent[keep];
    if (first === undefined || this.file === undefined) return 0;
    this.close();
    truncateSync(this.file, first.offset);
    this.reopen(this.file, first.offset);
    return this.recent.splice(keep).length;
  }

  close(): void {
    if (this.handle !== undefined) closeSync(this.handle);
    this.handle = undefined;
  }

  private async continueFile(path: string, limits: ReadLimits): Promise<boolean> {
    let damaged: number | undefined;
    const reader = readLog(
      path,
      ({ zxid, entry, offset, damage }) => {
        if (damage !== undefined) damaged ??= offset;
        return { zxid, checksum: checksumOf(entry), offset };
      },
      { ...limits, onBytes: () => undefined },
    );
    for (;;) {
      const { done, value } = await reader.next();
      if (done === true) {
        if (value.kind === 'corrupt') damaged ??= value.offset;
        if (damaged !== undefined) {
          throw new RunFault(
            `${path}: the backup is damaged at offset ${damaged}\nKeep this folder to restore earlier moments, and start a new backup in another folder`,
          );
        }
        if (this.recent.length === 0) rmSync(path);
        else this.reopenAt(path, value.offset);
        return this.recent.length > 0;
      }
      this.recent.push(...value);
    }
  }

  private reopenAt(path: string, size: number): void {
    truncateSync(path, size);
    this.reopen(path, size);
  }

  private reopen(path: string, size: number): void {
    this.file = path;
    this.handle = openSync(path, 'a');
    fsyncSync(this.handle);
    this.size = size;
  }

  private beginFile(zxid: bigint): void {
    this.sync();
    this.close();
    this.recent.length = 0;
    this.file = join(this.folder, logFileName(zxid));
    this.handle = openSync(this.file, 'wx', 0o640);
    this.size = 0;
    this.write(encodeLogHeader());
    syncFolder(this.folder);
  }

  private write(bytes: Buffer): void {
    if (this.handle === undefined) return;
    for (let at = 0; at < bytes.length; ) at += writeSync(this.handle, bytes, at);
    this.size += bytes.length;
  }
}
