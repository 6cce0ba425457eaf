import { OutputArchive } from '../../src/jute/output-archive.js';
import {
  ACCEPTED_EPOCH_FILE,
  CURRENT_EPOCH_FILE,
  encodeEpoch,
  resolveEpochs,
  TEMPORARY_SUFFIX,
} from '../../src/server/persistence/epochs.js';
import { feedSnapshot } from '../../src/server/persistence/feed-snapshot.js';
import { snapshotFileName } from '../../src/server/persistence/file-names.js';
import {
  type LogPlace,
  type LogRange,
  LogSearch,
  LogSlice,
  logsHolding,
} from '../../src/server/persistence/log-search.js';
import {
  logsAmong,
  logsBehind,
  planRecovery,
  ReplaySequence,
  snapshotsAmong,
} from '../../src/server/persistence/recovery.js';
import { Database } from '../../src/server/persistence/replay.js';
import { writeSnapshot } from '../../src/server/persistence/snapshot.js';
import { SnapshotReader } from '../../src/server/persistence/snapshot-reader.js';
import { sourceOf } from '../../src/server/persistence/snapshot-source.js';
import { TxnLogReader } from '../../src/server/persistence/txn-log.js';
import { writeCommitted } from '../../src/server/quorum/quorum-packet.js';
import type { SnapshotContent } from '../../src/server/snapshot-content.js';

export type Files = Map<string, Buffer>;

export const MAX_ENTRY_LENGTH = 1 << 21;

export interface Recovered {
  readonly database: Database;
  /** The txns replayed, as they travel. */
  readonly entries: readonly { readonly zxid: bigint; readonly entry: Buffer }[];
  readonly acceptedEpoch: number;
  readonly currentEpoch: number;
}

/**
 * Reads back what a server has on its disk, as node/data-dir.ts does: the same plans and parsers,
 * over bytes in memory.
 * @throws Error where a server would refuse to start
 */
export function recover(files: Files): Recovered {
  const found = [...files].map(([name, { length: size }]) => ({ name, size }));
  const plan = planRecovery(found, found, { isEmptyTrusted: false });
  if (plan.kind === 'refuse') throw new Error(plan.reason);
  const database = plan.kind === 'empty' ? emptyDatabase() : firstWhole(files, plan.snapshots);
  const sequence = new ReplaySequence(database.tree.lastProcessedZxid);
  const entries: { zxid: bigint; entry: Buffer }[] = [];
  const logs = plan.kind === 'empty' ? [] : logsBehind(plan.logs, sequence.lastZxid);
  for (const { name } of logs) {
    let count = 0;
    const border = readLog(files.get(name) as Buffer, name, ({ zxid, entry, offset }) => {
      count++;
      const step = sequence.next(zxid);
      if (step.kind === 'gap') throw new Error(`${name} at ${offset}: ${step.reason}`);
      if (step.kind !== 'apply') return true;
      const copy = Buffer.from(entry);
      database.replay(copy);
      entries.push({ zxid, entry: copy });
      return true;
    });
    if (count === 0) files.delete(name);
    else if (border !== undefined) files.set(name, (files.get(name) as Buffer).subarray(0, border));
  }
  if (database.digestMismatches > 0) throw new Error('the log leads to another tree');
  database.removeOrphans();
  if (plan.kind === 'empty') {
    const { tree } = database;
    files.set(snapshotFileName(0n), snapshotBytes({ tree, sessions: [], zxid: 0n }));
  }
  return { database, entries, ...epochsOf(files, database.tree.lastProcessedZxid) };
}

export function snapshotBytes(content: SnapshotContent): Buffer {
  return Buffer.concat([...writeSnapshot(sourceOf(content, true))]);
}

/** The steps that drop all txns behind `zxid`, in an order in which a crash does no harm. */
export function cutSteps(
  files: Files,
  zxid: bigint,
  reached: ReadonlyMap<string, bigint>,
): ((files: Files) => void)[] {
  const names = [...files].map(([name, { length: size }]) => ({ name, size }));
  const steps: ((files: Files) => void)[] = [];
  for (const { name, zxid: named } of snapshotsAmong(names)) {
    const reach = reached.get(name) ?? reachOf(files.get(name) as Buffer);
    if (named > zxid || reach > zxid) steps.push((now) => now.delete(name));
  }
  for (const { name, zxid: first } of logsAmong(names).reverse()) {
    if (first > zxid) {
      steps.push((now) => now.delete(name));
      continue;
    }
    const bytes = files.get(name) as Buffer;
    let border = bytes.length;
    readLog(bytes, name, (entry) => {
      if (entry.zxid <= zxid) return true;
      border = entry.offset;
      return false;
    });
    steps.push((now) => now.set(name, bytes.subarray(0, border)));
    break;
  }
  return steps;
}

/** What a snapshot says of itself: how far the tree had come when it was whole. */
function reachOf(bytes: Buffer): bigint {
  const database = new Database({});
  return loadSnapshot(database, bytes) ? database.compareAfter : 0n;
}

function emptyDatabase(): Database {
  const database = new Database({});
  database.finishSnapshot(0n);
  return database;
}

function firstWhole(
  files: Files,
  snapshots: readonly { readonly name: string; readonly zxid: bigint }[],
): Database {
  for (const { name, zxid } of snapshots) {
    const database = new Database({});
    if (!loadSnapshot(database, files.get(name) as Buffer)) continue;
    database.finishSnapshot(zxid);
    return database;
  }
  throw new Error('each snapshot is damaged');
}

function loadSnapshot(database: Database, bytes: Buffer): boolean {
  const reader = new SnapshotReader(MAX_ENTRY_LENGTH);
  reader.push(bytes);
  reader.end();
  return feedSnapshot(database, reader).kind === 'end';
}

/** Where a learner's history leaves that of the log, as node/stored-txns.ts finds it. */
export function searchLogs(files: Files, range: LogRange): LogPlace | null {
  const found = [...files].map(([name, { length: size }]) => ({ name, size }));
  const snapshots = snapshotsAmong(found).map(({ zxid }) => zxid);
  const search = new LogSearch({ ...range, snapshots, maxBytes: Number.POSITIVE_INFINITY });
  let isOver = false;
  for (const { name } of logsHolding(logsAmong(found), range.behind)) {
    readLog(files.get(name) as Buffer, name, ({ zxid, entry }) => {
      isOver = !search.take(zxid, entry.length);
      return !isOver;
    });
    if (isOver) break;
  }
  return search.place;
}

/** Those txns, each as a piece of the stream; null when they are not there any more. */
export function readTxns(files: Files, range: LogRange): Buffer[] | null {
  const slice = new LogSlice(range);
  const pieces: Buffer[] = [];
  const found = [...files].map(([name, { length: size }]) => ({ name, size }));
  for (const { name } of logsHolding(logsAmong(found), range.behind)) {
    readLog(files.get(name) as Buffer, name, ({ zxid, entry }) => {
      const out = new OutputArchive();
      if (slice.take(zxid)) writeCommitted(out, zxid, entry);
      if (out.length > 0) pieces.push(out.take());
      return !slice.isWhole;
    });
    if (slice.isWhole) return pieces;
  }
  return null;
}

/** Returns where to cut a torn log; undefined when it ends in order, or was left before. */
export function readLog(
  bytes: Buffer,
  name: string,
  take: (entry: { zxid: bigint; entry: Buffer; offset: number }) => boolean,
): number | undefined {
  const reader = new TxnLogReader(MAX_ENTRY_LENGTH);
  reader.push(bytes);
  reader.end();
  for (let item = reader.next(); ; item = reader.next()) {
    if (item.kind === 'entry') {
      if (!take(item)) return undefined;
    } else if (item.kind === 'corrupt') {
      throw new Error(`${name} is corrupt at ${item.offset}: ${item.reason}`);
    } else {
      return item.kind === 'torn' ? item.offset : undefined;
    }
  }
}

function epochsOf(
  files: Files,
  lastZxid: bigint,
): { readonly acceptedEpoch: number; readonly currentEpoch: number } {
  const text = (name: string) => files.get(name)?.toString() ?? null;
  const epochs = resolveEpochs(
    {
      acceptedEpoch: text(ACCEPTED_EPOCH_FILE),
      currentEpoch: text(CURRENT_EPOCH_FILE),
      currentEpochTemporary: text(CURRENT_EPOCH_FILE + TEMPORARY_SUFFIX),
    },
    lastZxid,
  );
  if (epochs.kind === 'refuse') throw new Error(epochs.reason);
  // As node/epoch-files.ts does at a start.
  files.set(CURRENT_EPOCH_FILE, Buffer.from(encodeEpoch(epochs.currentEpoch)));
  files.set(ACCEPTED_EPOCH_FILE, Buffer.from(encodeEpoch(epochs.acceptedEpoch)));
  return epochs;
}
