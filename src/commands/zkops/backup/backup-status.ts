import { statSync } from 'node:fs';
import { join } from 'node:path';
import { logsAmong, snapshotsAmong } from '../../../files/recovery.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { listFiles } from '../../data-files/find-files.js';
import { LogOrder } from '../../data-files/log-order.js';
import { readLog } from '../../data-files/read-log.js';
import { timeOfTxn } from '../../data-files/txn-head.js';
import { shortBytes } from '../../ensemble/format.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { finishedReport, type Report, type Row } from '../../results/result.js';
import { isoTime } from '../../znodes/iso-time.js';
import { BACKUP } from '../calls/arguments.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from '../files/max-entry.js';
import type { BackupFiles } from './backup-folder.js';
import { withBackup } from './backup-source.js';
import { KEY_FILE_OPTION } from './key-file.js';

interface LogSpan {
  first: bigint | undefined;
  last: bigint | undefined;
  lastTimeMs: number | undefined;
  readonly problems: Problem[];
}

async function readSpan(
  call: TaskCall,
  name: string,
  { folder, open, shown }: BackupFiles,
  order: LogOrder,
): Promise<LogSpan> {
  const span: LogSpan = { first: undefined, last: order.last, lastTimeMs: undefined, problems: [] };
  order.begin(`${shown}/${name}`);
  const damage = (text: string): void => {
    const problem = { level: 'critical', code: 'damaged-log' } as const;
    span.problems.push({ ...problem, text: `${shown}/${name}: ${text}` });
  };
  const reader = readLog(
    join(folder, name),
    ({ zxid, entry, offset, damage: why }) => {
      if (why !== undefined) damage(`damaged at offset ${offset}`);
      else order.take(zxid);
      span.first ??= zxid;
      [span.last, span.lastTimeMs] = [zxid, timeOfTxn(entry)];
      return undefined;
    },
    { maxEntry: maxEntryOf(call), signal: call.signal, open, onBytes: () => undefined },
  );
  let step = await reader.next();
  while (step.done !== true) step = await reader.next();
  if (step.value.kind === 'corrupt') {
    damage(`damaged at offset ${step.value.offset}`);
  }
  return span;
}

function status(call: TaskCall): Promise<Report> {
  return withBackup(call, (backup) => statusOf(call, backup));
}

async function statusOf(call: TaskCall, backup: BackupFiles): Promise<Report> {
  const { folder, shown, damage } = backup;
  const files = await listFiles(folder);
  const rows: Row[] = [];
  const problems: Problem[] = [];
  for (const text of damage) problems.push({ level: 'critical', code: 'damaged-object', text });
  const snapshots = snapshotsAmong(files).reverse();
  for (const { name, size, zxid } of snapshots) {
    const time = isoTime(statSync(join(folder, name)).mtimeMs);
    rows.push([name, size, formatZxid(zxid), undefined, time]);
  }
  const order = new LogOrder();
  let lastTime: string | undefined;
  for (const { name, size } of logsAmong(files)) {
    const span = await readSpan(call, name, backup, order);
    problems.push(...span.problems);
    lastTime = span.lastTimeMs === undefined ? lastTime : isoTime(span.lastTimeMs);
    const [from, until] = [span.first, span.last].map((zxid) =>
      zxid === undefined ? undefined : formatZxid(zxid),
    );
    rows.push([name, size, from, until, lastTime]);
  }
  problems.push(...order.problems(snapshotsAmong(files)));
  const [oldest] = snapshots;
  if (oldest === undefined) {
    const text = `${shown}: has no snapshot, so nothing can be restored: run zkops backup run`;
    problems.push({ level: 'critical', code: 'no-snapshot', text });
  }
  const reach = order.last ?? snapshots.at(-1)?.zxid ?? 0n;
  const when = lastTime === undefined ? '' : ` (${lastTime})`;
  const summary =
    oldest === undefined
      ? 'no moment can be restored'
      : `moments from ${formatZxid(oldest.zxid)} to ${formatZxid(reach)}${when} can be restored`;
  const totals = { snapshots: snapshots.length, last: formatZxid(reach) };
  return finishedReport(COLUMNS, rows, { verdict: concludeFrom(problems, summary), totals });
}

const COLUMNS = [
  { key: 'file' },
  { key: 'size', show: shortBytes },
  { key: 'zxid' },
  { title: 'LAST', key: 'last_zxid' },
  { key: 'time' },
];

export const backupStatus: Task = {
  name: 'status',
  summary: 'List the files of a backup, the moments that it can restore, and gaps between them',
  args: BACKUP,
  options: { ...KEY_FILE_OPTION, ...MAX_ENTRY_OPTION },
  hasMembers: false,
  changesEnsemble: false,
  run: status,
};
