import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import {
  type FoundFile,
  logsAmong,
  type SnapshotFile,
  snapshotsAmong,
} from '../../../files/recovery.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { describeTxn } from '../../data-files/describe-txn.js';
import { filesOf, listFiles, type NamedFile, versionFolder } from '../../data-files/find-files.js';
import { LogOrder } from '../../data-files/log-order.js';
import { type LogEnding, type LogRecord, readLog } from '../../data-files/read-log.js';
import { shortBytes } from '../../ensemble/format.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { counted } from '../../program/counted.js';
import type { Report, Row } from '../../results/result.js';
import { LOGS } from '../calls/arguments.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';

class LogCheck {
  records = 0;
  first: bigint | undefined;
  last: bigint | undefined;
  readonly damaged: { readonly offset: number; readonly zxid: bigint; readonly why: string }[] = [];
  private readonly order: LogOrder;

  constructor(path: string, order: LogOrder) {
    this.order = order;
    order.begin(path);
  }

  take({ zxid, entry, offset, damage }: LogRecord): undefined {
    this.records++;
    // An entry that no release writes keeps a server from starting, even with a right checksum.
    const txn = damage ?? describeTxn(entry);
    if (typeof txn === 'string') {
      this.damaged.push({ offset, zxid, why: txn });
      if (damage !== undefined) return;
    }
    this.order.take(zxid);
    this.first ??= zxid;
    if (this.last === undefined || zxid > this.last) this.last = zxid;
  }
}

function problemsOf(file: NamedFile, check: LogCheck, ending: LogEnding): Problem[] {
  const { path, zxid } = file;
  const problems: Problem[] = [];
  const [first] = check.damaged;
  if (first !== undefined) {
    const count = check.damaged.length;
    const all = count === 1 ? 'a record is' : `${count} records are`;
    const text = `${path}: ${all} damaged, at offset ${first.offset} zxid ${formatZxid(first.zxid)}: ${first.why}; ${ADVICE}`;
    problems.push({ level: 'critical', code: 'damaged-record', text });
  }
  if (ending.kind === 'corrupt') {
    const isSnapshot = ending.reason.includes('magic: 5a4b534e');
    const text = `${path}: corrupt from offset ${ending.offset} on: ${ending.reason}; ${isSnapshot ? 'this is a snapshot, for zkops snap' : ADVICE}`;
    problems.push({ level: 'critical', code: 'corrupt-log', text });
  }
  if (ending.kind === 'torn') {
    const what =
      file.size === 0
        ? 'empty: no record was written; Apache servers before 3.9.3 do not start with it, so move it away'
        : `its last write is incomplete at offset ${ending.offset} (${ending.reason}) and was never acknowledged; zkserver cuts it at its next start, or use zkops log truncate --damaged`;
    problems.push({ level: 'warning', code: 'torn-log', text: `${path}: ${what}` });
  }
  if (zxid !== undefined && check.first !== undefined && check.first !== zxid) {
    const text = `${path}: its first record is ${formatZxid(check.first)}, which differs from its name`;
    problems.push({ level: 'warning', code: 'wrong-name', text });
  }
  return problems;
}

const ADVICE =
  'acknowledged writes may be lost: restore the file from a copy, or let this member fetch all data from the others';

function rowOf({ path, size }: NamedFile, check: LogCheck, ending: LogEnding): Row {
  const { records, first, last, damaged } = check;
  const zxid = (value: bigint | undefined) => (value === undefined ? undefined : formatZxid(value));
  const ends = ending.kind === 'end' ? (damaged.length > 0 ? 'damaged' : 'in order') : ending.kind;
  return [path, size, records, zxid(first), zxid(last), damaged.length, ending.offset, ends];
}

async function verify(call: TaskCall): Promise<Report> {
  const { files, snapshots } = await serverFiles(call.args);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const problems: Problem[] = [];
  const orders = new Map<string, LogOrder>();
  let records = 0;
  async function* rows(): AsyncGenerator<Row[], void, undefined> {
    let done = 0;
    for (const file of files) {
      const check = new LogCheck(file.path, orderOf(orders, file));
      const reader = readLog(file.path, (record) => check.take(record), {
        maxEntry: maxEntryOf(call),
        signal: call.signal,
        onBytes: (bytes) => call.progress(basename(file.path), done + bytes, total),
      });
      const ending = await lastOf(reader);
      problems.push(...problemsOf(file, check, ending));
      done += file.size;
      records += check.records;
      yield [rowOf(file, check, ending)];
    }
  }
  return {
    columns: COLUMNS,
    rows: rows(),
    finish: () => {
      for (const order of orders.values()) problems.push(...order.problems(snapshots));
      const what = counted(files.length, 'log');
      const state = problems.length === 0 ? 'whole and in order' : 'damaged or out of order';
      return {
        verdict: concludeFrom(problems, `${what}, ${records} records: ${state}`),
        totals: { files: files.length, records, bytes: total },
      };
    },
  };
}

/** The logs of one folder follow one another, also if each is named alone. */
function orderOf(orders: Map<string, LogOrder>, { path, zxid }: NamedFile): LogOrder {
  const key = zxid === undefined ? path : dirname(resolve(path));
  const order = orders.get(key) ?? new LogOrder();
  orders.set(key, order);
  return order;
}

/** The logs in the order of a start, and the snapshots of the same server: of dataDir, too. */
async function serverFiles(
  args: readonly string[],
): Promise<{ files: readonly NamedFile[]; snapshots: readonly SnapshotFile[] }> {
  const found: FoundFile[] = [];
  const withLogs: string[] = [];
  for (const path of args) {
    const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
    const own = isFolder ? await listFiles(versionFolder(path)) : [];
    found.push(...own);
    // With two folders, one has the snapshots and the other the logs.
    const hasOnlySnapshots = snapshotsAmong(own).length > 0 && logsAmong(own).length === 0;
    if (args.length === 1 || !hasOnlySnapshots) withLogs.push(path);
  }
  const files = [...(await filesOf(withLogs, 'log'))].sort(byZxid);
  return { files, snapshots: snapshotsAmong(found) };
}

function byZxid(a: NamedFile, b: NamedFile): number {
  if (a.zxid === undefined || b.zxid === undefined || dirname(a.path) !== dirname(b.path)) return 0;
  return a.zxid < b.zxid ? -1 : a.zxid > b.zxid ? 1 : 0;
}

async function lastOf<Value>(generator: AsyncGenerator<unknown, Value, undefined>): Promise<Value> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return value;
  }
}

const COLUMNS = [
  { key: 'log' },
  { key: 'size', show: shortBytes },
  { key: 'records' },
  { title: 'FIRST', key: 'first_zxid' },
  { title: 'LAST', key: 'last_zxid' },
  { key: 'damaged' },
  { title: 'END', key: 'end_offset' },
  { key: 'ends' },
];

export const verifyLog: Task = {
  name: 'verify',
  summary: 'Check every record of logs, their order, and that no txn is missing',
  args: LOGS,
  options: { ...MAX_ENTRY_OPTION },
  hasMembers: false,
  changesEnsemble: false,
  run: verify,
};
