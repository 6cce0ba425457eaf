import { basename } from 'node:path';
import { StatPersisted } from '../../../protocol/data.js';
import { isWithin } from '../../../protocol/path.js';
import { formatAcl } from '../../../protocol/perms.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { oneSnapshot } from '../../data-files/one-snapshot.js';
import {
  readSnapshot,
  type SnapshotNode,
  type SnapshotOutcome,
  type SnapshotTaker,
} from '../../data-files/read-snapshot.js';
import { snapshotProblems } from '../../data-files/snapshot-verdict.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { textOption } from '../../machine/declaration.js';
import { counted } from '../../program/counted.js';
import { packageVersion } from '../../program/package-version.js';
import { type Column, namedColumns, type Report, type Row } from '../../results/result.js';
import { isoTime } from '../../znodes/iso-time.js';
import { SNAPSHOT } from '../calls/arguments.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';

const OPEN_ACL_KEY = -1n;
const OPEN_ACL_TEXT = 'world:anyone:cdrwa';

/** In ms as in the JSON of zksh, where these keys are numbers, too. */
const showTime = (ms: string | number | bigint): string => isoTime(Number(ms)) ?? '-';

const COLUMNS: readonly Column[] = [
  { key: 'bytes', width: 7 },
  { key: 'version', width: 7 },
  { key: 'cversion', width: 8 },
  { key: 'aversion', width: 8 },
  { key: 'czxid', width: 12 },
  { key: 'mzxid', width: 12 },
  { key: 'pzxid', width: 12 },
  { key: 'ctime', width: 24, show: showTime },
  { key: 'mtime', width: 24, show: showTime },
  { key: 'owner', width: 18 },
  { key: 'acl', width: 18 },
  { key: 'path', width: 30 },
];
const DATA_COLUMN: Column = { title: 'DATA', key: 'data_base64' };
const SESSION_COLUMNS: readonly Column[] = namedColumns('session', 'timeout_ms', 'ephemerals');

function rowOf(node: SnapshotNode, acls: ReadonlyMap<bigint, string>, hasData: boolean): Row {
  const { path, data, aclKey, stat } = node;
  const { czxid, mzxid, pzxid, ctime, mtime, version, cversion, aversion, ephemeralOwner } =
    StatPersisted.decode(stat);
  const acl = aclKey === OPEN_ACL_KEY ? OPEN_ACL_TEXT : acls.get(aclKey);
  return [
    // Null data differs from empty data.
    data?.length,
    version,
    cversion,
    aversion,
    formatZxid(czxid),
    formatZxid(mzxid),
    formatZxid(pzxid),
    Number(ctime),
    Number(mtime),
    formatZxid(ephemeralOwner),
    acl,
    path === '' ? '/' : path,
    ...(hasData ? [data?.toString('base64')] : []),
  ];
}

interface Seen {
  outcome: SnapshotOutcome | undefined;
}

async function dump(call: TaskCall): Promise<Report> {
  const file = await oneSnapshot(call.args[0] ?? '.');
  const options = {
    maxEntry: maxEntryOf(call),
    signal: call.signal,
    onBytes: (bytes: number) => call.progress(basename(file.path), bytes, file.size),
  };
  const seen: Seen = { outcome: undefined };
  const finish = () => {
    const problems: Problem[] =
      seen.outcome === undefined ? [] : snapshotProblems(file.path, seen.outcome);
    const { nodes = 0, sessions = 0, storedDigest, lastProcessedZxid } = seen.outcome ?? {};
    return {
      verdict: concludeFrom(
        problems,
        `${file.path}: ${counted(nodes, 'znode')}, ${counted(sessions, 'session')}`,
      ),
      totals: {
        snapshot: file.path,
        znodes: nodes,
        sessions,
        digest: storedDigest?.digest === undefined ? null : storedDigest.digest,
        lastProcessedZxid: lastProcessedZxid === undefined ? null : formatZxid(lastProcessedZxid),
      },
    };
  };
  if (call.has('sessions')) {
    const rows = sessionRows(file.path, options, seen);
    return { columns: SESSION_COLUMNS, rows, isPlain: true, finish };
  }
  const within = call.text('path');
  if (call.has('ncdu')) {
    const document = await ncduText(file.path, options, seen, within);
    return { columns: [], rows: [], document, finish };
  }
  const hasData = call.has('data');
  const acls = new Map<bigint, string>();
  const taker: SnapshotTaker<Row> = {
    acl: ({ key, acl }) => acls.set(key, formatAcl(acl)),
    node: (node) => (isWanted(node, within) ? rowOf(node, acls, hasData) : undefined),
  };
  async function* rows(): AsyncGenerator<Row[], void, undefined> {
    seen.outcome = yield* readSnapshot(file.path, taker, options);
  }
  const columns = hasData ? [...COLUMNS, DATA_COLUMN] : COLUMNS;
  return { columns, rows: rows(), isEndless: true, isPlain: true, finish };
}

function isWanted({ path }: SnapshotNode, within: string | undefined): boolean {
  return within === undefined || isWithin(path === '' ? '/' : path, within);
}

async function ncduText(
  path: string,
  options: Parameters<typeof readSnapshot>[2],
  seen: Seen,
  within: string | undefined,
): Promise<string> {
  const document = new NcduDocument(Date.now());
  const taker: SnapshotTaker<never> = {
    node: (node) => {
      if (isWanted(node, within)) document.add(node.path || '/', node.data?.length ?? 0);
      return undefined;
    },
  };
  const reader = readSnapshot(path, taker, options);
  let step = await reader.next();
  while (step.done !== true) step = await reader.next();
  seen.outcome = step.value;
  return document.finish();
}

/** The file has sessions before znodes, so ephemeral counts are known only after the last znode. */
async function* sessionRows(
  path: string,
  options: Parameters<typeof readSnapshot>[2],
  seen: Seen,
): AsyncGenerator<Row[], void, undefined> {
  const sessions = new Map<bigint, { readonly timeoutMs: number; ephemerals: number }>();
  const taker: SnapshotTaker<never> = {
    session: ({ id, timeoutMs }) => sessions.set(id, { timeoutMs, ephemerals: 0 }),
    node: ({ stat }) => {
      const owner = sessions.get(StatPersisted.decode(stat).ephemeralOwner);
      if (owner !== undefined) owner.ephemerals++;
      return undefined;
    },
  };
  seen.outcome = yield* readSnapshot(path, taker, options);
  yield [...sessions].map(([id, { timeoutMs, ephemerals }]) => [
    formatZxid(id),
    timeoutMs,
    ephemerals,
  ]);
}

export const dumpSnapshot: Task = {
  name: 'dump',
  summary: 'Print the znodes or the sessions of a snapshot',
  args: SNAPSHOT,
  options: {
    path: textOption('PATH', 'only znodes at and below this path'),
    data: { summary: 'also print their data, in base64' },
    sessions: { summary: 'print the sessions instead' },
    ncdu: { summary: 'print the sizes of all znodes as JSON for the program ncdu' },
    ...MAX_ENTRY_OPTION,
  },
  hasMembers: false,
  changesEnsemble: false,
  isListing: true,
  run: dump,
};

/** The export format of ncdu, with the fields of Apache's SnapshotFormatter with -json. */
class NcduDocument {
  private readonly parts: string[];
  /** The znodes whose lists are open, from the top. */
  private readonly open: string[] = [];
  private last: { readonly path: string; readonly text: string } | undefined;
  /** The numbers begin at 1001, as Apache's. */
  private inode = 1000;

  constructor(timeMs: number) {
    const program = { progname: 'zkops', progver: packageVersion(), timestamp: timeMs };
    this.parts = [`[1,0,${JSON.stringify(program)}`];
  }

  /** In the order of a snapshot: children follow their parent. */
  add(path: string, bytes: number): void {
    this.place(path);
    const parent = this.open.at(-1);
    const name = parent === undefined ? path : path.slice(path.lastIndexOf('/') + 1);
    const node = { name, asize: bytes, dsize: bytes, dev: 0, ino: ++this.inode };
    this.last = { path, text: JSON.stringify(node) };
  }

  finish(): string {
    this.place(undefined);
    return `${this.parts.join('')}]\n`;
  }

  /** Writes the last znode, whose kind the next one tells, and closes what does not contain it. */
  private place(next: string | undefined): void {
    const { last, open, parts } = this;
    if (last !== undefined) {
      // A znode may occur twice if it was created again while the server wrote the snapshot.
      const hasChildren = next !== undefined && next !== last.path && isWithin(next, last.path);
      parts.push(hasChildren ? ',[' : ',', last.text);
      if (hasChildren) open.push(last.path);
    }
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      if (next !== undefined && next !== top && isWithin(next, top)) return;
      parts.push(']');
      open.pop();
    }
  }
}
