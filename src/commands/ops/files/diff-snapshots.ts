// Two snapshots hold their znodes in any order, so a comparison has to look things up. To stay
// within the same memory whatever their size, the znodes are dealt into shares by their path, and
// both files are read once a share.

import { basename } from 'node:path';
import { formatZxid } from '../../../protocol/zxid.js';
import { crc32 } from '../../../server/persistence/checksum.js';
import { decodeStatPersisted } from '../../../server/persistence/snapshot-reader.js';
import type { Problem } from '../result.js';
import { concludeFrom, type Report, type ReportRow, type Task, type TaskCall } from '../task.js';
import { aclText } from './acl-text.js';
import type { NamedFile } from './find-files.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';
import { oneSnapshot } from './one-snapshot.js';
import { readSnapshot, type SnapshotOutcome, type SnapshotTaker } from './read-snapshot.js';
import { snapshotProblems } from './snapshot-verdict.js';

/** Znodes held at once: some 60 MiB. */
const SHARE_SIZE = 200_000;

/** What is compared of a znode, as short as can be: there are many. */
interface Print {
  readonly length: number;
  /** CRC-32 of the data; -1 for none. */
  readonly data: number;
  readonly acl: string;
  /** StatPersisted, 60 bytes, as latin1. */
  readonly stat: string;
}

const COLUMNS = [
  { title: 'CHANGE', key: 'change' },
  { title: 'PATH', key: 'path' },
  { title: 'WHAT', key: 'what' },
];

/** The share that a path belongs to (FNV-1a). */
function shareOf(path: string, shares: number): number {
  if (shares === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < path.length; at++) {
    hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % shares;
}

class Comparison {
  private readonly call: TaskCall;
  private readonly aclTexts = new Map<string, string>();

  constructor(call: TaskCall) {
    this.call = call;
  }

  /** Reads a snapshot and hands on the znodes of one share. */
  async read(
    file: NamedFile,
    takes: (path: string) => boolean,
    take: (path: string, print: Print) => void,
  ): Promise<SnapshotOutcome> {
    const acls = new Map<bigint, string>([[-1n, 'world:anyone:cdrwa']]);
    const taker: SnapshotTaker<never> = {
      acl: ({ key, acl }) => acls.set(key, this.shared(aclText(acl))),
      node: ({ path, data, aclKey, stat }) => {
        const shown = path === '' ? '/' : path;
        if (!takes(shown)) return undefined;
        take(shown, {
          length: data?.length ?? 0,
          data: data === null ? -1 : crc32(data, 0, data.length),
          acl: acls.get(aclKey) ?? `unknown key ${aclKey}`,
          stat: stat.toString('latin1'),
        });
        return undefined;
      },
    };
    const reader = readSnapshot(file.path, taker, {
      maxEntry: maxEntryOf(this.call),
      signal: this.call.signal,
      onBytes: (bytes) => this.call.progress(basename(file.path), bytes, file.size),
    });
    let step = await reader.next();
    while (step.done !== true) step = await reader.next();
    return step.value;
  }

  /** One string for the same ACL of many znodes. */
  private shared(text: string): string {
    const known = this.aclTexts.get(text);
    if (known !== undefined) return known;
    this.aclTexts.set(text, text);
    return text;
  }
}

/** What differs, in words; "" when nothing does. */
function differences(a: Print, b: Print): string {
  if (a.stat === b.stat && a.data === b.data && a.length === b.length && a.acl === b.acl) return '';
  const from = decodeStatPersisted(Buffer.from(a.stat, 'latin1'));
  const to = decodeStatPersisted(Buffer.from(b.stat, 'latin1'));
  const parts: string[] = [];
  if (a.data !== b.data || a.length !== b.length) {
    parts.push(`data ${sizeText(a)} to ${sizeText(b)}`);
  }
  if (a.acl !== b.acl) parts.push(`acl ${a.acl} to ${b.acl}`);
  for (const name of ['version', 'cversion', 'aversion'] as const) {
    if (from[name] !== to[name]) parts.push(`${name} ${from[name]} to ${to[name]}`);
  }
  for (const name of ['czxid', 'mzxid', 'pzxid', 'ephemeralOwner'] as const) {
    if (from[name] !== to[name]) {
      parts.push(`${name} ${formatZxid(from[name])} to ${formatZxid(to[name])}`);
    }
  }
  for (const name of ['ctime', 'mtime'] as const) {
    if (from[name] !== to[name]) parts.push(`${name} by ${to[name] - from[name]} ms`);
  }
  return parts.join(', ');
}

function sizeText({ data, length }: Print): string {
  return data === -1 ? 'none' : `${length} bytes`;
}

/** What one share of the znodes differs in, by path. */
async function compareShare(
  comparison: Comparison,
  [left, right]: readonly [NamedFile, NamedFile],
  takes: (path: string) => boolean,
): Promise<ReportRow[]> {
  const prints = new Map<string, Print>();
  const rows: ReportRow[] = [];
  await comparison.read(left, takes, (path, print) => prints.set(path, print));
  await comparison.read(right, takes, (path, print) => {
    const before = prints.get(path);
    prints.delete(path);
    if (before === undefined) rows.push(['added', path, sizeText(print)]);
    else {
      const what = differences(before, print);
      if (what !== '') rows.push(['changed', path, what]);
    }
  });
  for (const [path, print] of prints) rows.push(['removed', path, sizeText(print)]);
  return rows.sort((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1));
}

async function diff(call: TaskCall, shareSize: number): Promise<Report> {
  const left = await oneSnapshot(call.args[0] ?? '.');
  const right = await oneSnapshot(call.args[1] ?? '.');
  const comparison = new Comparison(call);
  const counts = new Map<unknown, number>();
  const problems: Problem[] = [];
  async function* rows(): AsyncGenerator<ReportRow[], void, undefined> {
    let most = 0;
    for (const file of [left, right]) {
      const outcome = await comparison.read(
        file,
        () => false,
        () => undefined,
      );
      problems.push(...snapshotProblems(file.path, outcome));
      most = Math.max(most, outcome.nodes);
    }
    if (problems.length > 0) return;
    const shares = Math.max(1, Math.ceil(most / shareSize));
    for (let share = 0; share < shares; share++) {
      const takes = (path: string): boolean => shareOf(path, shares) === share;
      const found = await compareShare(comparison, [left, right], takes);
      for (const [change] of found) counts.set(change, (counts.get(change) ?? 0) + 1);
      yield found;
    }
  }
  const finish = () => {
    const count = (change: string): number => counts.get(change) ?? 0;
    const totals = {
      added: count('added'),
      removed: count('removed'),
      changed: count('changed'),
    };
    const all = totals.added + totals.removed + totals.changed;
    const words = `${totals.added} added, ${totals.removed} removed, ${totals.changed} changed`;
    const summary =
      problems.length > 0 ? 'not compared' : all === 0 ? 'the trees are the same' : words;
    if (all > 0) problems.push({ level: 'warning', code: 'different', text: summary });
    return { verdict: concludeFrom(problems, summary), totals };
  };
  return { columns: COLUMNS, rows: rows(), finish };
}

/** @param shareSize znodes held at once */
export function makeDiff(shareSize: number): Task {
  return {
    name: 'diff',
    summary: 'the znodes that were added, removed and changed from one snapshot to another',
    args: ['<from>', '<to>'],
    options: [MAX_ENTRY_OPTION],
    hasMembers: false,
    run: (call) => diff(call, shareSize),
  };
}

export const diffSnapshots = makeDiff(SHARE_SIZE);
