import { constants } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { parseLogName } from '../../../files/file-names.js';
import { logsAmong } from '../../../files/recovery.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { filesOf, listFiles, type NamedFile } from '../../data-files/find-files.js';
import { usersOf } from '../../data-files/in-use.js';
import { readLog } from '../../data-files/read-log.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { fileOption, textOption } from '../../machine/declaration.js';
import { usageError } from '../../program/command-error.js';
import { finishedReport, namedColumns, type Report } from '../../results/result.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';
import { idOption } from './read-id.js';

/** Always after a whole record. */
interface Cut {
  readonly offset: number;
  /** Whole records before and after the cut. */
  readonly kept: number;
  readonly cut: number;
  readonly last: bigint | undefined;
  /** The log has only padding (zeros) after the last record. */
  readonly isPaddingOnly: boolean;
}

/** @throws CommandError when no record precedes the cut */
async function findCut(call: TaskCall, path: string, after: bigint | undefined): Promise<Cut> {
  let kept = 0;
  let cut = 0;
  let last: bigint | undefined;
  let offset: number | undefined;
  let damage: number | undefined;
  const reader = readLog(
    path,
    (record) => {
      if (record.damage !== undefined) damage ??= record.offset;
      const isBehind = damage !== undefined || (after !== undefined && record.zxid > after);
      if (isBehind) {
        offset ??= record.offset;
        cut++;
      } else if (offset === undefined) {
        kept++;
        last = record.zxid;
      } else cut++;
      return undefined;
    },
    { maxEntry: maxEntryOf(call), signal: call.signal, onBytes: () => undefined },
  );
  let step = await reader.next();
  while (step.done !== true) step = await reader.next();
  const ending = step.value;
  if (ending.offset === 0 && ending.kind !== 'end') {
    throw usageError(`${path}: not a transaction log: ${ending.reason}`);
  }
  if (after !== undefined && last !== after) {
    const before = last === undefined ? 'none' : formatZxid(last);
    const why = damage === undefined ? '' : `, before the damage at offset ${damage}`;
    throw usageError(
      `${path}: has no record with zxid ${formatZxid(after)}${why} (the previous record is ${before})`,
    );
  }
  const isPaddingOnly = offset === undefined && ending.kind === 'end';
  return { offset: offset ?? ending.offset, kept, cut, last, isPaddingOnly };
}

/** @throws CommandError for an open log, because its process would write past the cut */
async function mustBeFree(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  const [user] = await usersOf(folder);
  if (user === undefined) return;
  const what = user.file === undefined ? `has locked ${folder}` : `has ${user.file} open`;
  throw usageError(`process ${user.pid} ${what}: stop that server first`);
}

async function truncate(call: TaskCall): Promise<Report> {
  const after = idOption(call, 'after');
  const isDamageCut = call.has('damaged');
  if ((after === undefined) !== isDamageCut) {
    throw usageError(
      'log truncate: missing option (expected --after ZXID, or --damaged to truncate at the first damage)',
    );
  }
  const backup = call.text('backup');
  const isDry = call.has('dry-run');
  if (backup === undefined && !call.has('yes') && !isDry) {
    throw usageError(
      'log truncate: removes records for good: add --backup FILE to copy the log first, --yes to confirm, or --dry-run',
    );
  }
  const [file, another] = await filesOf(call.args, 'log');
  if (file === undefined || another !== undefined || file.folder !== undefined) {
    throw usageError('log truncate: invalid argument (expected one log file)');
  }
  if (!isDry) await mustBeFree(file.path);
  const cut = await findCut(call, file.path, after);
  if (!isDry && !cut.isPaddingOnly) {
    if (backup !== undefined) await copySynced(file.path, backup);
    await cutAt(file.path, cut.offset);
  }
  return reportOf(file, cut, { isDry, backup });
}

async function reportOf(
  file: NamedFile,
  cut: Cut,
  { isDry, backup }: { readonly isDry: boolean; readonly backup: string | undefined },
): Promise<Report> {
  const { path, size } = file;
  const removed = cut.isPaddingOnly ? 0 : size - cut.offset;
  const done = cut.isPaddingOnly ? 'nothing to cut' : isDry ? 'would be cut' : 'cut';
  const problems: Problem[] = [];
  const own = parseLogName(basename(path));
  const folder = dirname(resolve(path));
  const later = logsAmong(await listFiles(folder)).filter(
    ({ zxid }) => own !== undefined && zxid > own,
  );
  if (!cut.isPaddingOnly && later.length > 0) {
    const names = later.map(({ name }) => name).join(', ');
    const text = `${names} ${later.length === 1 ? 'comes' : 'come'} after it: move it away, or servers find txns missing`;
    problems.push({ level: 'warning', code: 'later-logs', text });
  }
  const { kept, last, offset } = cut;
  const row = [path, done, offset, kept, last && formatZxid(last), cut.cut, removed, backup];
  const summary = `${path}: ${done}${cut.isPaddingOnly ? '' : ` after offset ${offset}`}`;
  return finishedReport(COLUMNS, [row], { verdict: concludeFrom(problems, summary) });
}

/** Never overwrites a file. */
async function copySynced(path: string, backup: string): Promise<void> {
  try {
    await copyFile(path, backup, constants.COPYFILE_EXCL);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw usageError(`--backup: cannot copy, so nothing was truncated: ${why}`, undefined, {
      cause,
    });
  }
  for (const name of [backup, dirname(resolve(backup))]) {
    const handle = await open(name, 'r');
    await handle.sync().finally(() => handle.close());
  }
}

async function cutAt(path: string, offset: number): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.truncate(offset);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const COLUMNS = [
  ...namedColumns('log', 'done', 'offset'),
  { title: 'KEPT', key: 'records_kept' },
  { title: 'LAST', key: 'last_zxid' },
  { title: 'CUT', key: 'records_cut' },
  { title: 'BYTES', key: 'bytes_cut' },
  { key: 'backup' },
];

export const truncateLog: Task = {
  name: 'truncate',
  summary: 'Truncate a log after a record, or at its damage (requires --backup or --yes)',
  args: { log: { kind: 'file', summary: 'a transaction log' } },
  options: {
    after: textOption('ZXID', 'last record to keep'),
    damaged: { summary: 'truncate at the first damaged record' },
    backup: fileOption('copy the whole log to this file first'),
    yes: { letter: 'y', summary: 'truncate without a copy' },
    'dry-run': { letter: 'n', summary: 'only print the records to truncate' },
    ...MAX_ENTRY_OPTION,
  },
  hasMembers: false,
  changesEnsemble: false,
  run: truncate,
};
