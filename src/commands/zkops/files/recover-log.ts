// A server does not start from a record with a wrong checksum, though its txn may be readable. Like
// Apache's TxnLogToolkit, this task writes a copy with the right checksums.

import { constants } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { adler32 } from '../../../base/checksum.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { describeTxn } from '../../data-files/describe-txn.js';
import { filesOf } from '../../data-files/find-files.js';
import { type LogEnding, type LogRecord, readLog } from '../../data-files/read-log.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { fileOption } from '../../machine/declaration.js';
import { usageError } from '../../program/command-error.js';
import { finishedReport, namedColumns, type Report } from '../../results/result.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';

interface Damaged {
  readonly offset: number;
  readonly zxid: bigint;
  /** The right checksum; undefined if no release wrote such an entry. */
  readonly checksum: number | undefined;
  /** The txn, or why it is not readable. */
  readonly shown: string;
}

async function findDamaged(call: TaskCall, path: string) {
  const damaged: Damaged[] = [];
  const reader = readLog(
    path,
    ({ offset, zxid, entry, damage }: LogRecord) => {
      if (damage === undefined) return undefined;
      const txn = describeTxn(entry);
      const isReadable = typeof txn !== 'string';
      damaged.push({
        offset,
        zxid,
        checksum: isReadable ? adler32(entry, 0, entry.length) : undefined,
        shown: isReadable ? [txn.type, txn.path, txn.detail].filter(Boolean).join(' ') : txn,
      });
      return undefined;
    },
    { maxEntry: maxEntryOf(call), signal: call.signal, onBytes: () => undefined },
  );
  let step = await reader.next();
  while (step.done !== true) step = await reader.next();
  return { damaged, ending: step.value };
}

async function recover(call: TaskCall): Promise<Report> {
  const [file, another] = await filesOf(call.args, 'log');
  if (file === undefined || another !== undefined || file.folder !== undefined) {
    throw usageError('log recover: invalid argument (expected one log file)');
  }
  const { damaged, ending } = await findDamaged(call, file.path);
  if (ending.offset === 0 && ending.kind !== 'end') {
    throw usageError(`${file.path}: not a transaction log: ${ending.reason}`);
  }
  const fixable = damaged.filter(({ checksum }) => checksum !== undefined);
  const target = call.text('to');
  if (target !== undefined && fixable.length > 0) await writeFixed(file.path, target, fixable);
  const isWritten = target !== undefined && fixable.length > 0;
  const rows = damaged.map(({ offset, zxid, checksum, shown }) => {
    const done = checksum === undefined ? 'not readable' : isWritten ? 'fixed' : 'can be fixed';
    return [offset, formatZxid(zxid), done, shown];
  });
  const problems = problemsOf(file.path, damaged, ending);
  const what = isWritten ? `fixed in ${target}` : 'can be fixed';
  const summary =
    damaged.length === 0
      ? `${file.path}: every checksum is right`
      : `${file.path}: ${fixable.length} of ${damaged.length} records ${what}`;
  return finishedReport(COLUMNS, rows, { verdict: concludeFrom(problems, summary) });
}

function problemsOf(path: string, damaged: readonly Damaged[], ending: LogEnding): Problem[] {
  const problems: Problem[] = [];
  if (damaged.length > 0) {
    const text = `${path}: the data of ${damaged.length} damaged records may be wrong: prefer a copy of the log, or let this member fetch all data from the others`;
    problems.push({ level: 'warning', code: 'damaged-record', text });
  }
  if (ending.kind === 'corrupt') {
    const text = `${path}: nothing can be read from offset ${ending.offset} on: ${ending.reason}`;
    problems.push({ level: 'critical', code: 'corrupt-log', text });
  }
  return problems;
}

/** Never overwrites a file, and never changes the log. */
async function writeFixed(path: string, target: string, fixable: readonly Damaged[]) {
  try {
    await copyFile(path, target, constants.COPYFILE_EXCL);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw usageError(`--to: cannot copy, so nothing was fixed: ${why}`, undefined, { cause });
  }
  const handle = await open(target, 'r+');
  try {
    for (const { offset, checksum = 0 } of fixable) {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(checksum, 4);
      await handle.write(bytes, 0, bytes.length, offset);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  const folder = await open(dirname(resolve(target)), 'r');
  await folder.sync().finally(() => folder.close());
}

const COLUMNS = namedColumns('offset', 'zxid', 'done', 'txn');

export const recoverLog: Task = {
  name: 'recover',
  summary: 'List the records with a wrong checksum; --to writes a copy with correct ones',
  args: { log: { kind: 'file', summary: 'a transaction log' } },
  options: {
    to: fileOption('write the copy to this new file'),
    ...MAX_ENTRY_OPTION,
  },
  hasMembers: false,
  changesEnsemble: false,
  run: recover,
};
