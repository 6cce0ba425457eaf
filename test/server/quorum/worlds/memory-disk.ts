import {
  type LogPlace,
  type LogRange,
  LogSearch,
  LogSlice,
  type LogTail,
} from '../../../../src/files/recovery.js';
import { writeSnapshotStream } from '../../../../src/files/snapshot.js';
import { SnapshotReader } from '../../../../src/files/snapshot-reader.js';
import { ByteRange } from '../../../../src/jute/byte-range.js';
import { OutputArchive } from '../../../../src/jute/output-archive.js';
import type { Effect } from '../../../../src/server/effects.js';
import type { Event } from '../../../../src/server/events.js';
import { feedSnapshot } from '../../../../src/server/persistence/feed-snapshot.js';
import { Database } from '../../../../src/server/persistence/replay.js';
import { bodySourceOf } from '../../../../src/server/persistence/snapshot-source.js';
import type { QuorumConfig } from '../../../../src/server/quorum/membership/quorum-config.js';
import { CommittedLog } from '../../../../src/server/quorum/peer/committed-log.js';
import type { Data } from '../../../../src/server/quorum/peer/role.js';
import { writeCommitted } from '../../../../src/server/quorum/wire/quorum-packet.js';
import { parse } from '../../../sim/shape.js';

/** The disk of one member. */
export interface MemoryDisk {
  base: Database;
  entries: { zxid: bigint; entry: Buffer }[];
  acceptedEpoch: number;
  currentEpoch: number;
  /** The dynamic file of zoo.cfg, or null before a configuration was written. */
  config: QuorumConfig | null;
  nextConfig: QuorumConfig | null;
  work: (() => void)[];
  /** The tree of an operator, complete on the disk. */
  staged: Database | null;
  /** The results of restores. */
  ended: string[];
  /** Whether the file of oraclePath says 1; null if the disk that has it hangs. */
  oracle: boolean | null;
}

export function emptyDisk(): MemoryDisk {
  const base = new Database({});
  base.finishSnapshot(0n);
  const epochs = { acceptedEpoch: 0, currentEpoch: 0 };
  return {
    base,
    entries: [],
    ...epochs,
    config: null,
    nextConfig: null,
    work: [],
    staged: null,
    ended: [],
    oracle: false,
  };
}

/** The effects on the files of the membership, and of a restore. */
export function performOther(disk: MemoryDisk, effect: Effect, step: (event: Event) => void): void {
  switch (effect.kind) {
    case 'write-config':
    case 'write-next-config':
      storeConfig(disk, effect);
      break;
    case 'adopt-restored':
      disk.work.push(() => {
        if (disk.staged === null) throw new Error('no tree is staged');
        disk.base = disk.staged;
        disk.entries = [];
        step(effect.whenDurable);
      });
      break;
    case 'ask-oracle':
      if (disk.oracle === null) break;
      step({ kind: 'oracle-said', question: effect.question, isGranted: disk.oracle });
      break;
    case 'restore-ended':
      disk.ended.push(effect.problem);
      break;
    default:
      break;
  }
}

/** The files of the membership; the proposed one waits for what the disk has to do before. */
function storeConfig(
  disk: MemoryDisk,
  effect: Extract<Effect, { kind: 'write-config' | 'write-next-config' }>,
): void {
  if (effect.kind === 'write-config') {
    disk.config = parse(effect.text);
    if (effect.isSettled) disk.nextConfig = null;
    return;
  }
  disk.work.push(() => {
    disk.nextConfig = effect.text === null ? null : parse(effect.text);
  });
}

/** The entries of an append: {long checksum, int length, entry, 'B'} … */
export function entriesOf(bytes: Buffer): { zxid: bigint; entry: Buffer }[] {
  const entries: { zxid: bigint; entry: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readInt32BE(at + 8);
    const entry = Buffer.from(bytes.subarray(at + 12, at + 12 + length));
    entries.push({ zxid: entry.readBigInt64BE(12), entry });
    at += 12 + length + 1;
  }
  return entries;
}

/** Drops the txns after `zxid`. The event reports whether the base allows it. */
export function truncate(disk: MemoryDisk, zxid: bigint): Event {
  if (disk.base.tree.lastProcessedZxid > zxid) return { kind: 'not-truncated', zxid };
  disk.entries = disk.entries.filter((entry) => entry.zxid <= zxid);
  return { kind: 'truncated', database: restore(disk).database };
}

export function restore(
  disk: MemoryDisk,
  keptTxns?: number,
): { database: Database; committedLog: CommittedLog } {
  const { tree, sessions } = disk.base;
  const zxid = tree.lastProcessedZxid;
  const database = copyOf({ tree, sessions: [...sessions.values()], zxid });
  const committedLog = new CommittedLog(keptTxns, keptTxns === undefined ? undefined : 0);
  for (const { zxid: at, entry } of disk.entries) {
    if (at <= zxid) continue;
    database.replay(entry);
    committedLog.add(at, new ByteRange(entry));
  }
  if (database.digestMismatches > 0) throw new Error('the log gives a different tree');
  return { database, committedLog };
}

/** Where the history of a learner departs from the log. */
export function searchEntries(
  { base, entries }: MemoryDisk,
  range: LogRange,
  maxBytes: number,
): LogPlace | null {
  const snapshots = [base.tree.lastProcessedZxid];
  const search = new LogSearch({ ...range, snapshots, maxBytes });
  entries.every(({ zxid, entry }) => search.take(zxid, entry.length));
  return search.place;
}

/** The txns of the log in the format of the wire, and the last of them. @throws Error for a gap */
export function packetsOf(
  { entries }: MemoryDisk,
  { after, until }: LogTail,
): { packets: Buffer[]; last: bigint } {
  const slice = new LogSlice(after);
  const packets: Buffer[] = [];
  for (const { zxid, entry } of entries) {
    if (zxid > (until() ?? -1n)) break;
    const out = new OutputArchive();
    if (slice.take(zxid)) writeCommitted(out, zxid, entry);
    if (out.length > 0) packets.push(out.take());
  }
  return { packets, last: slice.last };
}

export function copyOf(content: Data & { zxid: bigint }): Database {
  const reader = new SnapshotReader(1 << 21, 'body');
  const database = new Database(content.tree.options);
  const chunks = [...writeSnapshotStream(bodySourceOf(content), '')];
  reader.push(Buffer.concat(chunks));
  const fed = feedSnapshot(database, reader);
  if (fed.kind !== 'end') throw new Error(`a snapshot with ${fed.kind}`);
  database.finishSnapshot(content.zxid);
  return database;
}
