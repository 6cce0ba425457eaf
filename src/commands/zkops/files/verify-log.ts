import { basename } from 'node:path';
import { formatZxid } from '../../../protocol/zxid.js';
import { isSuccessor } from '../../../server/persistence/recovery.js';
import { describeTxn } from '../../data-files/describe-txn.js';
import { filesOf, type NamedFile } from '../../data-files/find-files.js';
import { type LogEnding, type LogRecord, readLog } from '../../data-files/read-log.js';
import { shortBytes } from '../../ensemble/format.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { counted } from '../../program/counted.js';
import type { Report, ReportRow, Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';

interface Gap {
  readonly last: bigint;
  readonly next: bigint;
}

class LogCheck {
  records = 0;
  first: bigint | undefined;
  last: bigint | undefined;
  readonly damaged: { readonly offset: number; readonly zxid: bigint; readonly why: string }[] = [];
  gap: Gap | undefined;
  /** The last zxid of the previous log in the same folder. */
  private readonly before: bigint | undefined;

  constructor(before: bigint | undefined) {
    this.before = before;
  }

  take({ zxid, entry, offset, damage }: LogRecord): undefined {
    this.records++;
    // An entry that no release writes keeps a server from starting, even with a right checksum.
    const txn = damage ?? describeTxn(entry);
    if (typeof txn === 'string') {
      this.damaged.push({ offset, zxid, why: txn });
      if (damage !== undefined) return;
    }
    const last = this.last ?? this.before;
    // A log may repeat a txn, but must not lack one.
    if (last !== undefined && zxid > last && !isSuccessor(last, zxid)) {
      this.gap ??= { last, next: zxid };
    }
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
  if (check.gap !== undefined) {
    const { last, next } = check.gap;
    const text = `${path}: txns are missing between ${formatZxid(last)} and ${formatZxid(next)}; only a later snapshot makes up for them`;
    problems.push({ level: 'warning', code: 'missing-txns', text });
  }
  if (zxid !== undefined && check.first !== undefined && check.first !== zxid) {
    const text = `${path}: its first record is ${formatZxid(check.first)}, which differs from its name`;
    problems.push({ level: 'warning', code: 'wrong-name', text });
  }
  return problems;
}

const ADVICE =
  'acknowledged writes may be lost: restore the file from a copy, or let this member fetch all data from the others';

function rowOf({ path, size }: NamedFile, check: LogCheck, ending: LogEnding): ReportRow {
  const { records, first, last, damaged } = check;
  const zxid = (value: bigint | undefined) => (value === undefined ? undefined : formatZxid(value));
  const ends = ending.kind === 'end' ? (damaged.length > 0 ? 'damaged' : 'in order') : ending.kind;
  return [path, size, records, zxid(first), zxid(last), damaged.length, ending.offset, ends];
}

async function verify(call: TaskCall): Promise<Report> {
  const files = await filesOf(call.args, 'log');
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const problems: Problem[] = [];
  let records = 0;
  async function* rows(): AsyncGenerator<ReportRow[], void, undefined> {
    let done = 0;
    let before: { readonly folder: string | undefined; readonly last: bigint } | undefined;
    for (const file of files) {
      const isNeighbor = file.folder !== undefined && before?.folder === file.folder;
      const check = new LogCheck(isNeighbor ? before?.last : undefined);
      const reader = readLog(file.path, (record) => check.take(record), {
        maxEntry: maxEntryOf(call),
        signal: call.signal,
        onBytes: (bytes) => call.progress(basename(file.path), done + bytes, total),
      });
      const ending = await lastOf(reader);
      problems.push(...problemsOf(file, check, ending));
      done += file.size;
      records += check.records;
      if (check.last !== undefined) before = { folder: file.folder, last: check.last };
      yield [rowOf(file, check, ending)];
    }
  }
  return {
    columns: COLUMNS,
    rows: rows(),
    finish: () => {
      const what = counted(files.length, 'log');
      const state = problems.length === 0 ? 'whole and in order' : 'damaged or out of order';
      return {
        verdict: concludeFrom(problems, `${what}, ${records} records: ${state}`),
        totals: { files: files.length, records, bytes: total },
      };
    },
  };
}

async function lastOf<Value>(generator: AsyncGenerator<unknown, Value, undefined>): Promise<Value> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return value;
  }
}

const COLUMNS = [
  { title: 'LOG', key: 'log' },
  { title: 'SIZE', key: 'size', show: shortBytes },
  { title: 'RECORDS', key: 'records' },
  { title: 'FIRST', key: 'first_zxid' },
  { title: 'LAST', key: 'last_zxid' },
  { title: 'DAMAGED', key: 'damaged' },
  { title: 'END', key: 'end_offset' },
  { title: 'ENDS', key: 'ends' },
];

export const verifyLog: Task = {
  name: 'verify',
  summary: 'Check every record of logs, and that no txn is missing',
  args: ['<log-or-folder...>'],
  options: [MAX_ENTRY_OPTION],
  hasMembers: false,
  changesEnsemble: false,
  run: verify,
};
