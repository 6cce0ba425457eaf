import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { isWithin } from '../../../protocol/path.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { type DescribedTxn, describeTxn } from '../../data-files/describe-txn.js';
import { filesOf } from '../../data-files/find-files.js';
import { LogOrder } from '../../data-files/log-order.js';
import { type LogRecord, readLog } from '../../data-files/read-log.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { textOption } from '../../machine/declaration.js';
import type { Report, Row } from '../../results/result.js';
import { isoTime } from '../../znodes/iso-time.js';
import { LOGS } from '../calls/arguments.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';
import { idOption } from './read-id.js';

interface Filter {
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  readonly session: bigint | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly hasData: boolean;
}

const COLUMNS = [
  { key: 'zxid', width: 12 },
  { key: 'time', width: 24 },
  { key: 'session', width: 18 },
  { key: 'cxid', width: 6 },
  { key: 'type', width: 13 },
  { key: 'check', width: 5 },
  { key: 'offset', width: 9 },
  { key: 'path', width: 24 },
  { key: 'detail' },
];

/** Text as it is, other bytes in base64. A multi names the path of each. */
const DATA_COLUMN = { key: 'data' };

function dataCell({ type, written }: DescribedTxn): string | undefined {
  if (written.length === 0) return undefined;
  const texts = written.map(({ path, data }) => {
    const text = isUtf8(data) ? data.toString() : `base64:${data.toString('base64')}`;
    return type === 'multi' ? `${path}=${text}` : text;
  });
  return texts.join(', ');
}

function rowOf({ zxid, entry, offset, damage }: LogRecord, filter: Filter): Row | undefined {
  const { from, to, session, path, type, hasData } = filter;
  if ((from !== undefined && zxid < from) || (to !== undefined && zxid > to)) return undefined;
  const txn = describeTxn(entry);
  if (typeof txn === 'string') {
    if (session !== undefined || path !== undefined || type !== undefined) return undefined;
    const nothing = [undefined, undefined, undefined, undefined] as const;
    return [formatZxid(zxid), ...nothing, 'bad', offset, undefined, damage ?? txn];
  }
  if (session !== undefined && txn.sessionId !== session) return undefined;
  if (type !== undefined && txn.type !== type) return undefined;
  if (path !== undefined && !(txn.path !== undefined && isWithin(txn.path, path))) return undefined;
  return [
    formatZxid(zxid),
    isoTime(txn.time),
    formatZxid(txn.sessionId),
    txn.cxid,
    txn.type,
    damage === undefined ? 'ok' : 'bad',
    offset,
    txn.path,
    damage === undefined ? txn.detail : `${txn.detail} (${damage})`,
    ...(hasData ? [dataCell(txn)] : []),
  ];
}

function filterOf(call: TaskCall): Filter {
  return {
    from: idOption(call, 'from'),
    to: idOption(call, 'to'),
    session: idOption(call, 'session'),
    path: call.text('path'),
    type: call.text('type'),
    hasData: call.has('data'),
  };
}

async function dump(call: TaskCall): Promise<Report> {
  const filter = filterOf(call);
  const files = await filesOf(call.args, 'log');
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const problems: Problem[] = [];
  const order = new LogOrder();
  let records = 0;
  async function* rows(): AsyncGenerator<Row[], void, undefined> {
    let done = 0;
    for (const { path, size, folder } of files) {
      if (folder !== undefined) order.begin(path);
      const take = (record: LogRecord): Row | undefined => {
        records++;
        if (folder !== undefined && record.damage === undefined) order.take(record.zxid);
        if (record.damage !== undefined) {
          const text = `${path}: the record at offset ${record.offset} is damaged: ${record.damage}`;
          problems.push({ level: 'critical', code: 'damaged-record', text });
        }
        return rowOf(record, filter);
      };
      const ending = yield* readLog(path, take, {
        maxEntry: maxEntryOf(call),
        signal: call.signal,
        onBytes: (bytes) => call.progress(basename(path), done + bytes, total),
      });
      done += size;
      if (ending.kind === 'end') continue;
      const level = ending.kind === 'torn' ? 'warning' : 'critical';
      const text = `${path}: ${ending.kind} at offset ${ending.offset}: ${ending.reason}`;
      problems.push({ level, code: `${ending.kind}-log`, text });
    }
  }
  return {
    columns: filter.hasData ? [...COLUMNS, DATA_COLUMN] : COLUMNS,
    rows: rows(),
    isEndless: true,
    isPlain: true,
    finish: () => ({
      verdict: concludeFrom([...problems, ...order.problems()], `${records} records read`),
      totals: { files: files.length, records },
    }),
  };
}

export const dumpLog: Task = {
  name: 'dump',
  summary: 'Print the records of logs',
  args: LOGS,
  options: {
    from: textOption('ZXID', 'first zxid to print'),
    to: textOption('ZXID', 'last zxid to print'),
    session: textOption('ID', 'only records of this session'),
    path: textOption('PATH', 'only records at and below this path'),
    data: { summary: 'also print the data that each record wrote; other than text in base64' },
    type: textOption('NAME', 'only records of this type: create, setData, multi…'),
    ...MAX_ENTRY_OPTION,
  },
  hasMembers: false,
  changesEnsemble: false,
  isListing: true,
  run: dump,
};
