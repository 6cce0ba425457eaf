// Reads the txns from the log files of a member while it writes them. A follower may log txns that
// no quorum accepts, and remove them later. Then the backup must remove them, too. The files of a
// member that was restored to an earlier moment look the same.

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isSuccessor, type LogFile, logsAmong } from '../../../files/recovery.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { listFiles } from '../../data-files/find-files.js';
import { type LogRecord, readLog } from '../../data-files/read-log.js';
import { runFault } from '../../ensemble/run-fault.js';
import { type BackupLog, checksumOf, type ReadLimits } from './backup-log.js';

/** After the last txn in the backup. */
interface Cursor {
  readonly name: string;
  readonly offset: number;
  /** The previous record; undefined at the start of a file. */
  readonly lastOffset: number | undefined;
}

export interface Gap {
  readonly after: bigint;
  readonly before: bigint;
}

export interface LogRound {
  readonly txns: number;
  /** The number of txns that the member has removed. */
  readonly removed: number;
  readonly gaps: readonly Gap[];
  /** Damage in two rounds, so it is not a record that the member is writing. */
  readonly damage: string | undefined;
  /** The backup has txns that the member does not have yet. */
  readonly isMemberLate: boolean;
}

interface Place {
  readonly cursor: Cursor;
  readonly removed: number;
}

export class MemberLog {
  private readonly folder: string;
  private readonly target: BackupLog;
  private readonly limits: ReadLimits;
  private cursor: Cursor | undefined;
  private suspect: string | undefined;

  constructor(folder: string, target: BackupLog, limits: ReadLimits) {
    this.folder = folder;
    this.target = target;
    this.limits = limits;
  }

  /** The last round ended at damage, or at a record in the making: the next round tells. */
  get isInDoubt(): boolean {
    return this.suspect !== undefined;
  }

  /** @throws CommandError if the member is of another ensemble */
  async takeNew(): Promise<LogRound> {
    const nothing = { txns: 0, removed: 0, gaps: [], damage: undefined };
    const logs = logsAmong(await listFiles(this.folder));
    const place = await this.place(logs);
    if (place === undefined) return { ...nothing, isMemberLate: logs.length > 0 };
    this.cursor = place.cursor;
    const gaps: Gap[] = [];
    let txns = 0;
    let damage: string | undefined;
    const first = logs.findIndex(({ name }) => name === place.cursor.name);
    for (const { name } of logs.slice(Math.max(0, first))) {
      const from = name === this.cursor?.name ? this.cursor.offset : 0;
      const file = await this.takeFile(name, from, gaps);
      txns += file.taken;
      damage = file.damage;
      if (damage !== undefined) break;
    }
    this.target.sync();
    const isRepeated = damage !== undefined && damage === this.suspect;
    this.suspect = damage;
    return {
      txns,
      removed: place.removed,
      gaps,
      damage: isRepeated ? damage : undefined,
      isMemberLate: false,
    };
  }

  private async takeFile(
    name: string,
    from: number,
    gaps: Gap[],
  ): Promise<{ readonly taken: number; readonly damage: string | undefined }> {
    let taken = 0;
    let damage: string | undefined;
    const damagedAt = (offset: number, why: string) =>
      `${name}: damaged at offset ${offset}: ${why}`;
    const take = ({ zxid, entry, offset, damage: why }: LogRecord): undefined => {
      if (why !== undefined) damage ??= damagedAt(offset, why);
      if (damage !== undefined) return;
      this.cursor = { name, offset: offset + entry.length + 13, lastOffset: offset };
      const { last } = this.target;
      if (last !== undefined && zxid <= last.zxid) return;
      if (last !== undefined && !isSuccessor(last.zxid, zxid)) {
        gaps.push({ after: last.zxid, before: zxid });
      }
      this.target.append(zxid, entry);
      taken++;
    };
    const path = join(this.folder, name);
    const reader = readLog(path, take, { ...this.limits, from, onBytes: () => undefined });
    for (;;) {
      const { done, value } = await reader.next();
      if (done !== true) continue;
      if (value.kind === 'corrupt') damage ??= damagedAt(value.offset, value.reason);
      return { taken, damage };
    }
  }

  /** Undefined if the backup has all txns of the member. */
  private async place(logs: readonly LogFile[]): Promise<Place | undefined> {
    const [first] = logs;
    if (first === undefined) return undefined;
    const { last } = this.target;
    if (last === undefined) return { cursor: startOf(first), removed: 0 };
    if (this.cursor !== undefined && (await this.holds(this.cursor, last.checksum))) {
      return { cursor: this.cursor, removed: 0 };
    }
    const at = logs.findLastIndex(({ zxid }) => zxid <= last.zxid);
    if (at < 0) return { cursor: startOf(first), removed: 0 };
    return this.findCommon(logs.slice(at));
  }

  /** Whether the record before the cursor is still the last one of the backup. */
  private async holds({ name, lastOffset }: Cursor, checksum: number): Promise<boolean> {
    if (lastOffset === undefined) return false;
    const handle = await open(join(this.folder, name), 'r').catch(() => undefined);
    if (handle === undefined) return false;
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, lastOffset);
      return bytesRead === 8 && buffer.readBigInt64BE(0) === BigInt(checksum);
    } finally {
      await handle.close();
    }
  }

  /** The last txn that both have. The member may have continued without the later ones. */
  private async findCommon(logs: readonly LogFile[]): Promise<Place | undefined> {
    const backedUp = new Map(this.target.recent.map(({ zxid, checksum }) => [zxid, checksum]));
    const oldest = this.target.recent[0]?.zxid ?? 0n;
    let common: { readonly zxid: bigint; readonly cursor: Cursor } | undefined;
    let foreign: bigint | undefined;
    for (const { name } of logs) {
      const match = ({ zxid, entry, offset, damage }: LogRecord): undefined => {
        if (damage !== undefined || foreign !== undefined || zxid < oldest) return;
        if (backedUp.get(zxid) !== checksumOf(entry)) foreign = zxid;
        else {
          const cursor = { name, offset: offset + entry.length + 13, lastOffset: offset };
          common = { zxid, cursor };
        }
      };
      const reader = readLog(join(this.folder, name), match, {
        ...this.limits,
        onBytes: () => undefined,
      });
      while ((await reader.next()).done !== true);
      if (foreign !== undefined) break;
    }
    const last = this.target.last?.zxid;
    if (common?.zxid === last && common !== undefined) return { ...common, removed: 0 };
    if (foreign === undefined) return undefined;
    if (common === undefined) {
      throw runFault(
        `${this.folder}: txn ${formatZxid(foreign)} differs from that of the backup: the member is of another ensemble, or was restored\nStart a new backup in another folder`,
      );
    }
    return { cursor: common.cursor, removed: this.target.truncateAfter(common.zxid) };
  }
}

function startOf({ name }: LogFile): Cursor {
  return { name, offset: 0, lastOffset: undefined };
}
