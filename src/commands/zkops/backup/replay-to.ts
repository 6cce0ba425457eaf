// Loads the tree of a past moment: a snapshot and the txns after it, as a server does at its start.
// Then compares the digest of the tree with the logged one.

import { basename, join } from 'node:path';
import {
  type FoundFile,
  logsAfter,
  logsAmong,
  ReplaySequence,
  type SnapshotFile,
  snapshotsAmong,
} from '../../../files/recovery.js';
import { SnapshotReader } from '../../../files/snapshot-reader.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { feedPieces } from '../../../server/node/storage/load-snapshot.js';
import { Database } from '../../../server/persistence/replay.js';
import type { OpenFile } from '../../data-files/open-file.js';
import { readLog } from '../../data-files/read-log.js';
import { snapshotBytes } from '../../data-files/read-snapshot.js';
import { digestOfTxn, timeOfTxn } from '../../data-files/txn-head.js';
import { runFault } from '../../ensemble/run-fault.js';
import type { FindingName } from '../../ensemble/verdict/finding-name.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { counted } from '../../program/counted.js';
import type { TaskCall } from '../calls/task.js';
import { maxEntryOf } from '../files/max-entry.js';
import type { Span } from './find-moment.js';

export interface Moment {
  readonly snapshot: string;
  /** Txns after the snapshot. */
  readonly txns: number;
  readonly zxid: bigint;
  /** The time of the last txn in ms since 1970; undefined without txns after the snapshot. */
  readonly timeMs: number | undefined;
  readonly znodes: number;
  readonly sessions: number;
  readonly digest: bigint;
  /** `none`: no logged digest for this zxid. */
  readonly check: 'fits' | 'none';
}

export type TxnTaker = (zxid: bigint, entry: Buffer) => void;

export interface ReplayRequest {
  readonly call: TaskCall;
  readonly folder: string;
  readonly open: OpenFile;
  readonly files: readonly FoundFile[];
  readonly target: bigint;
  /** The last txn of the files. */
  readonly last: bigint;
  readonly onTxn?: TxnTaker;
  /** Takes the tree of the moment. */
  readonly onTree?: (tree: Database['tree']) => void;
}

/** Tries the snapshots before the moment, newest first. @throws CommandError if none works */
export async function firstThatLeads(
  { files, target }: ReplayRequest,
  attempt: (snapshot: SnapshotFile) => Promise<Moment | string>,
): Promise<Moment> {
  const reasons: string[] = [];
  for (const snapshot of snapshotsAmong(files)) {
    if (snapshot.zxid > target) continue;
    const found = await attempt(snapshot);
    if (typeof found !== 'string') return found;
    reasons.push(found);
  }
  const why = reasons.length === 0 ? ['no snapshot is that old'] : reasons;
  throw runFault(
    `no snapshot of the backup leads to ${formatZxid(target)}:\n${why.join('\n')}\nChoose another moment: see zkops backup status`,
  );
}

export function problemsOfMoment(
  { check, zxid }: Moment,
  { misdated }: Pick<Span, 'misdated'>,
): Problem[] {
  const problems: Problem[] = [];
  const warn = (code: FindingName, text: string) => problems.push({ level: 'warning', code, text });
  if (misdated > 0) {
    warn(
      'clock-went-back',
      `a clock went back after ${formatZxid(zxid)}: ${counted(misdated, 'later txn')} with a time at or before the moment; choose a zxid of zkops log dump`,
    );
  }
  if (check !== 'fits') {
    warn(
      'no-digest',
      `the ensemble logged no digest at ${formatZxid(zxid)}, so the tree is not verified against it`,
    );
  }
  return problems;
}

/** Returns the reason as text if this snapshot does not lead to the target. */
export async function replayTo(
  snapshot: SnapshotFile,
  { call, folder, open, files, target, last, onTxn, onTree }: ReplayRequest,
): Promise<Moment | string> {
  const database = new Database({ isTTLEnabled: true });
  const path = join(folder, snapshot.name);
  const fault = await loadSnapshot(call, database, path, open);
  if (fault !== undefined) return `${path}: ${fault}`;
  if (reachIn(files, snapshot, database, last) > target) {
    return `${path}: may contain txns after the moment`;
  }
  database.finishSnapshot(snapshot.zxid);
  const sequence = new ReplaySequence(snapshot.zxid);
  // A server writes zeros if it had no txn since its start.
  const isSealed = database.sealed?.zxid === target && target !== 0n;
  let logged = isSealed ? (database.sealed?.digest ?? null) : null;
  let timeMs: number | undefined;
  let txns = 0;
  for (const { name, size } of logsAfter(logsAmong(files), snapshot.zxid)) {
    let gap: string | undefined;
    const replay = ({ zxid, entry, damage }: ReplayedRecord): undefined => {
      if (gap !== undefined || zxid > target) return;
      if (damage !== undefined) gap = `${name}: damaged: ${damage}`;
      const step = gap === undefined ? sequence.next(zxid) : undefined;
      if (step?.kind === 'gap') gap = `${name}: txns are missing: ${step.reason}`;
      if (step?.kind !== 'apply') return;
      database.replay(entry);
      timeMs = timeOfTxn(entry);
      if (zxid === target) logged = digestOfTxn(entry);
      onTxn?.(zxid, entry);
      txns++;
    };
    const reader = readLog(join(folder, name), replay, {
      maxEntry: maxEntryOf(call),
      signal: call.signal,
      open,
      onBytes: (done) => call.progress(basename(name), done, size),
    });
    while ((await reader.next()).done !== true);
    if (gap !== undefined) return gap;
    if (sequence.lastZxid === target) break;
  }
  if (sequence.lastZxid !== target) return `${path}: the logs after it do not reach the moment`;
  const { tree } = database;
  const digest = tree.digest.value;
  const isOther = (logged !== null && logged !== digest) || database.digestMismatches > 0;
  if (isOther) return `${path}: leads to another tree than the ensemble had`;
  onTree?.(tree);
  return {
    snapshot: snapshot.name,
    txns,
    zxid: target,
    timeMs,
    znodes: tree.nodeCount,
    sessions: database.sessions.size,
    digest,
    check: logged === null ? 'none' : 'fits',
  };
}

/**
 * The last txn that the snapshot may contain. Without a seal, only the next one tells: a server
 * completes a snapshot before it begins another, and logs all txns of its tree. Nothing replaces
 * the oldest one of a backup, so it counts as exact; a restore without digests warns anyway.
 */
function reachIn(
  files: readonly FoundFile[],
  { name, zxid }: SnapshotFile,
  { sealed, reachedZxid }: Database,
  last: bigint,
): bigint {
  const end = sealed?.zxid ?? reachedZxid ?? -1n;
  if (end >= zxid) return end;
  const snapshots = snapshotsAmong(files);
  const at = snapshots.findIndex((file) => file.name === name);
  return at === snapshots.length - 1 ? zxid : (snapshots[at - 1]?.zxid ?? last);
}

interface ReplayedRecord {
  readonly zxid: bigint;
  readonly entry: Buffer;
  readonly damage: string | undefined;
}

async function loadSnapshot(
  call: TaskCall,
  database: Database,
  path: string,
  open: OpenFile,
): Promise<string | undefined> {
  const reader = new SnapshotReader(maxEntryOf(call));
  try {
    return await feedPieces(database, reader, untilAborted(snapshotBytes(path, open), call.signal));
  } catch (error) {
    if (call.signal.aborted || !(error instanceof Error)) throw error;
    return error.message;
  }
}

async function* untilAborted(
  pieces: AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
  }
}
