// Restores a past moment to a new data directory. The directory gets its name only after its files,
// read again, gave the tree of the ensemble.

import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { VERSION_DIR } from '../../../files/file-names.js';
import type { SnapshotFile } from '../../../files/recovery.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { copyChecked, syncFolder } from '../../data-files/copy-file.js';
import { listFiles } from '../../data-files/find-files.js';
import { openPlain } from '../../data-files/open-file.js';
import { digestText } from '../../data-files/snapshot-verdict.js';
import { runFault } from '../../ensemble/run-fault.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import { usageError } from '../../program/command-error.js';
import { counted } from '../../program/counted.js';
import { hasCode } from '../../program/file-error.js';
import { finishedReport, namedColumns, type Report } from '../../results/result.js';
import { isoTime } from '../../znodes/iso-time.js';
import { BACKUP } from '../calls/arguments.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from '../files/max-entry.js';
import { asTargetFault, type BackupFiles } from './backup-folder.js';
import { BackupLog } from './backup-log.js';
import { refuseDamage, withBackup } from './backup-source.js';
import { copyAs } from './encrypted-file.js';
import { AT_OPTION, type At, findMoment, parseAt, type Span } from './find-moment.js';
import { KEY_FILE_OPTION } from './key-file.js';
import {
  firstThatLeads,
  type Moment,
  problemsOfMoment,
  type ReplayRequest,
  replayTo,
  type TxnTaker,
} from './replay-to.js';

async function restore(call: TaskCall): Promise<Report> {
  const at = parseAt(call.text('at') ?? 'latest');
  const to = targetOf(call);
  return withBackup(call, (backup) => {
    refuseDamage(backup, at);
    return restoreFrom(backup, { call, at, to });
  });
}

interface Wish {
  readonly call: TaskCall;
  readonly at: At;
  readonly to: string | undefined;
}

async function restoreFrom({ folder, open }: BackupFiles, { call, at, to }: Wish): Promise<Report> {
  const files = await listFiles(folder);
  const limits = { maxEntry: maxEntryOf(call), signal: call.signal, open };
  const span = await findMoment(at, folder, files, limits);
  const { target, lastZxid: last } = span;
  const request = { call, folder, open, files, target, last };
  const moment =
    to === undefined
      ? await firstThatLeads(request, (snapshot) => replayTo(snapshot, request))
      : await writeFolder(to, request);
  return reportOf(moment, span, { at, to });
}

/** Undefined for a dry run. @throws CommandError for a folder in use */
function targetOf(call: TaskCall): string | undefined {
  const to = call.text('to');
  if (call.has('dry-run')) return undefined;
  if (to === undefined)
    throw usageError('backup restore: missing option (expected --to FOLDER or --dry-run)');
  if (existsSync(to) && readdirSync(to).length > 0) {
    throw usageError(
      `--to ${to}: is not empty: a restore never overwrites data\nStop the server and move its data away, or choose a new folder`,
    );
  }
  return to;
}

async function writeFolder(to: string, request: ReplayRequest): Promise<Moment> {
  const staging = `${to}.incomplete`;
  const files = join(staging, VERSION_DIR);
  try {
    const moment = await firstThatLeads(request, async (snapshot) => {
      rmSync(staging, { recursive: true, force: true });
      mkdirSync(files, { recursive: true, mode: 0o750 });
      const written = await writeMoment(snapshot, files, request);
      if (typeof written === 'string') return written;
      // Read the written files: only they show what a server will load.
      const found = await listFiles(files);
      const places = { folder: files, open: openPlain, files: found };
      return replayTo(snapshot, { ...request, ...places, last: request.target });
    });
    syncFolder(staging);
    if (existsSync(to)) rmdirSync(to);
    renameSync(staging, to);
    syncFolder(dirname(resolve(to)));
    return moment;
  } catch (cause) {
    if (!hasCode(cause, 'ENOSPC') && !hasCode(cause, 'EDQUOT')) throw asTargetFault(to, cause);
    throw runFault(
      `${to}: cannot write the restored data: the disk is full\nFree space, or choose a folder on another disk with --to`,
      { cause },
    );
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function writeMoment(
  snapshot: SnapshotFile,
  files: string,
  request: ReplayRequest,
): Promise<Moment | string> {
  const { call, folder, open } = request;
  const limits = { maxEntry: maxEntryOf(call), signal: call.signal };
  const log = await BackupLog.open(files, limits);
  try {
    const onTxn: TxnTaker = (zxid, entry) => log.append(zxid, entry);
    const moment = await replayTo(snapshot, { ...request, onTxn });
    log.sync();
    const target = join(files, snapshot.name);
    const places = { source: join(folder, snapshot.name), staging: `${target}.tmp`, target };
    const makeCopy = (source: string, copy: string) => copyAs(source, open, copy, undefined);
    await copyChecked(places, async () => undefined, makeCopy);
    return moment;
  } finally {
    log.close();
  }
}

function reportOf(moment: Moment, span: Span, { at, to }: Pick<Wish, 'at' | 'to'>): Report {
  const { snapshot, txns, zxid, timeMs, znodes, sessions, digest, check } = moment;
  const time = timeMs === undefined ? undefined : isoTime(timeMs);
  const row = [formatZxid(zxid), time, znodes, sessions, digestText(digest), check, snapshot, txns];
  const { later, lastZxid, lastTimeMs } = span;
  const until = lastTimeMs === undefined ? '' : ` of ${isoTime(lastTimeMs)}`;
  const lost = `the backup continues with ${counted(later, 'later txn')}, up to ${formatZxid(lastZxid)}${until}`;
  const kept =
    'to keep the later txns, let zkops backup run write to a new folder from now on: a backup follows its member, and the restored one no longer has them';
  const short = `the backup ends at ${formatZxid(lastZxid)}${until}, before this moment: later txns are not in it`;
  const next = `stop every member, copy ${to} to its machine, and run there: zkserver load zoo.cfg ${to}`;
  const done = to === undefined ? 'would restore' : 'restored';
  return finishedReport(COLUMNS, [row], {
    verdict: concludeFrom(
      problemsOfMoment(moment, span),
      `${done} ${counted(znodes, 'znode')} as of ${formatZxid(zxid)}`,
    ),
    notes: [
      ...(later > 0 ? [lost] : []),
      ...(later === 0 && endsBefore(at, lastTimeMs) ? [short] : []),
      ...(to === undefined ? [] : [next]),
      ...(to === undefined || later === 0 ? [] : [kept]),
    ],
    totals: { later },
  });
}

/** Nobody knows whether the ensemble wrote between the last txn and the moment. */
function endsBefore(at: At, lastTimeMs: number | undefined): boolean {
  return at.kind === 'time' && (lastTimeMs === undefined || lastTimeMs < at.timeMs);
}

const COLUMNS = namedColumns(
  'zxid',
  'time',
  'znodes',
  'sessions',
  'digest',
  'check',
  'snapshot',
  'txns',
);

export const restoreBackup: Task = {
  name: 'restore',
  summary: 'Write the data of a past moment to a new folder, verified by its digest',
  args: BACKUP,
  options: {
    ...AT_OPTION,
    to: { kind: 'folder', valueName: 'FOLDER', summary: 'new data directory' },
    ...KEY_FILE_OPTION,
    'dry-run': {
      letter: 'n',
      summary: 'print the size and the later txns of the moment, and write nothing',
    },
    ...MAX_ENTRY_OPTION,
  },
  hasMembers: false,
  changesEnsemble: false,
  run: restore,
};
