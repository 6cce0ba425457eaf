import { basename } from 'node:path';
import { crc32 } from '../../../base/checksum.js';
import { StatPersisted } from '../../../protocol/data.js';
import { formatAcl } from '../../../protocol/perms.js';
import { formatZxid } from '../../../protocol/zxid.js';
import type { NamedFile } from '../../data-files/find-files.js';
import { oneSnapshot } from '../../data-files/one-snapshot.js';
import {
  readSnapshot,
  type SnapshotNode,
  type SnapshotOutcome,
  type SnapshotTaker,
} from '../../data-files/read-snapshot.js';
import { PART_SEED, SHARE_SEED, shareOf } from '../../data-files/share-of.js';
import { snapshotProblems } from '../../data-files/snapshot-verdict.js';
import { Hash64, ZnodeTable } from '../../data-files/znode-table.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { COUNT } from '../../machine/declaration.js';
import { counted } from '../../program/counted.js';
import { namedColumns, type Report, type Row } from '../../results/result.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';

// Two snapshots may hold their znodes in different orders. So the comparison looks up a hash of
// each znode, and reads only those with different hashes again, in full. To bound the memory, it
// divides the znodes into shares by path, and reads both files once for each share.

/** About 70 and 60 MiB. */
const LIMITS: Limits = { hashes: 2_000_000, prints: 200_000 };

interface Print {
  readonly length: number;
  /** CRC-32 of the data; -1 for null. */
  readonly data: number;
  readonly acl: string;
  /** StatPersisted, 60 bytes, as latin1. */
  readonly stat: string;
}

const COLUMNS = namedColumns('change', 'path', 'what');

type TakeNode = (shown: string, node: SnapshotNode, digest: number, acl: AclPrint) => void;

interface AclPrint {
  readonly text: string;
  readonly hash: number;
}

const OPEN_ACL: AclPrint = { text: 'world:anyone:cdrwa', hash: 1 };

async function readZnodes(
  call: TaskCall,
  file: NamedFile,
  isKnown: boolean,
  take: TakeNode,
): Promise<SnapshotOutcome> {
  const acls = new Map<bigint, AclPrint>([[-1n, OPEN_ACL]]);
  const hash = new Hash64();
  const taker: SnapshotTaker<never> = {
    isKnown,
    acl: ({ key, acl }) => {
      const text = formatAcl(acl);
      hash.reset();
      hash.addText(text);
      acls.set(key, text === OPEN_ACL.text ? OPEN_ACL : { text, hash: hash.high ^ hash.low });
    },
    node: (node, digest) => {
      const { path, aclKey } = node;
      const acl = acls.get(aclKey) ?? { text: `unknown key ${aclKey}`, hash: Number(aclKey) };
      take(path === '' ? '/' : path, node, digest, acl);
      return undefined;
    },
  };
  const reader = readSnapshot(file.path, taker, {
    maxEntry: maxEntryOf(call),
    signal: call.signal,
    onBytes: (bytes) => call.progress(basename(file.path), bytes, file.size),
  });
  let step = await reader.next();
  while (step.done !== true) step = await reader.next();
  return step.value;
}

function printOf({ data, stat }: SnapshotNode, { text: acl }: AclPrint): Print {
  return {
    length: data?.length ?? 0,
    data: data === null ? -1 : crc32(data, 0, data.length),
    acl,
    stat: stat.toString('latin1'),
  };
}

/** "" for equal znodes. */
function differences(a: Print, b: Print): string {
  if (a.stat === b.stat && a.data === b.data && a.length === b.length && a.acl === b.acl) return '';
  const from = StatPersisted.decode(Buffer.from(a.stat, 'latin1'));
  const to = StatPersisted.decode(Buffer.from(b.stat, 'latin1'));
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
  return data === -1 ? 'none' : counted(length, 'byte');
}

type Files = readonly [NamedFile, NamedFile];
type Takes = (path: string) => boolean;

/** A share of the znodes: the hashes of the first snapshot, and the paths that differ. */
class Share {
  readonly table = new ZnodeTable();
  private added = 0;
  private same = 0;
  private readonly path = new Hash64();
  private readonly content = new Hash64();

  takeLeft(shown: string, node: SnapshotNode, digest: number, acl: AclPrint): void {
    this.hash(shown, node, digest, acl);
    this.table.add(this.path, this.content);
  }

  takeRight(shown: string, node: SnapshotNode, digest: number, acl: AclPrint): void {
    this.hash(shown, node, digest, acl);
    const slot = this.table.find(this.path);
    if (slot === undefined) this.added++;
    else if (this.table.hasContent(slot, this.content)) {
      this.same++;
      this.table.mark(slot);
    }
  }

  /** For paths of either snapshot, after reading both. */
  differs(shown: string): boolean {
    this.path.reset();
    this.path.addText(shown);
    const slot = this.table.find(this.path);
    return slot === undefined || !this.table.isMarked(slot);
  }

  get differences(): number {
    return this.added + this.table.count - this.same;
  }

  private hash(shown: string, { data, stat }: SnapshotNode, digest: number, acl: AclPrint): void {
    const { path, content } = this;
    path.reset();
    path.addText(shown);
    content.reset();
    content.add(data === null ? -1 : data.length);
    content.add(acl.hash);
    // Znodes below /zookeeper have no digest.
    content.add(digest !== 0 || data === null ? digest : crc32(data, 0, data.length));
    for (let at = 0; at + 3 < stat.length; at += 4) content.add(stat.readInt32BE(at));
  }
}

/** @param takes the number of passes over the share */
async function rowsOf(
  call: TaskCall,
  [left, right]: Files,
  takes: Takes,
  tally: DiffTally,
): Promise<Row[]> {
  const prints = new Map<string, Print>();
  await readZnodes(call, right, true, (shown, node, _, acl) => {
    if (takes(shown)) prints.set(shown, printOf(node, acl));
  });
  const rows: Row[] = [];
  await readZnodes(call, left, true, (shown, node, _, acl) => {
    if (!takes(shown)) return;
    const before = printOf(node, acl);
    const after = prints.get(shown);
    prints.delete(shown);
    if (after === undefined) {
      const isShown = tally.take('removed', shown, before.length);
      if (isShown) rows.push(['removed', shown, sizeText(before)]);
      return;
    }
    const what = differences(before, after);
    const bytes = Math.abs(after.length - before.length);
    if (what !== '' && tally.take('changed', shown, bytes)) rows.push(['changed', shown, what]);
  });
  for (const [path, print] of prints) {
    if (tally.take('added', path, print.length)) rows.push(['added', path, sizeText(print)]);
  }
  return rows.sort((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1));
}

interface Limits {
  /** Hashes to hold at once. */
  readonly hashes: number;
  /** Differing znodes to hold at once, in full. */
  readonly prints: number;
}

async function diff(call: TaskCall, limits: Limits): Promise<Report> {
  const left = await oneSnapshot(call.args[0] ?? '.');
  const right = await oneSnapshot(call.args[1] ?? '.');
  const tally = new DiffTally(call);
  const problems: Problem[] = [];
  const readThrough = async (file: NamedFile, isKnown: boolean, take: TakeNode) => {
    const outcome = await readZnodes(call, file, isKnown, take);
    if (!isKnown) problems.push(...snapshotProblems(file.path, outcome));
    return outcome.nodes;
  };
  async function* compare(share: Share, takes: Takes) {
    const parts = Math.ceil(share.differences / limits.prints);
    for (let part = 0; part < parts; part++) {
      const found = await rowsOf(
        call,
        [left, right],
        (path) => takes(path) && shareOf(path, parts, PART_SEED) === part && share.differs(path),
        tally,
      );
      yield found;
    }
  }
  async function* rows(): AsyncGenerator<Row[], void, undefined> {
    let share = new Share();
    const nodes = await readThrough(left, false, (...node) => {
      if (share.table.count < limits.hashes) share.takeLeft(...node);
    });
    const shares = Math.ceil(nodes / limits.hashes);
    if (shares > 1) share = new Share();
    await readThrough(right, false, (...node) => {
      if (shares <= 1) share.takeRight(...node);
    });
    if (problems.length > 0) return;
    if (shares <= 1) yield* compare(share, () => true);
    for (let number = 0; shares > 1 && number < shares; number++) {
      const takes: Takes = (path) => shareOf(path, shares, SHARE_SEED) === number;
      const own = new Share();
      await readThrough(left, true, (shown, ...node) => {
        if (takes(shown)) own.takeLeft(shown, ...node);
      });
      await readThrough(right, true, (shown, ...node) => {
        if (takes(shown)) own.takeRight(shown, ...node);
      });
      yield* compare(own, takes);
    }
    yield tally.subtrees();
  }
  const finish = () => {
    const totals = {
      added: tally.count('added'),
      removed: tally.count('removed'),
      changed: tally.count('changed'),
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

export function makeDiff(limits: Limits): Task {
  return {
    name: 'diff',
    summary: 'List the znodes that were added, removed, and changed between two snapshots',
    args: {
      from: { kind: 'file', summary: 'the older snapshot' },
      to: { kind: 'file', summary: 'the newer snapshot' },
    },
    options: {
      'min-bytes': {
        ...COUNT,
        valueName: 'N',
        summary: 'list znodes whose data differs by this length or more',
      },
      'min-nodes': {
        ...COUNT,
        valueName: 'N',
        summary: 'list subtrees that differ by this number of znodes or more',
      },
      ...MAX_ENTRY_OPTION,
    },
    hasMembers: false,
    changesEnsemble: false,
    run: (call) => diff(call, limits),
  };
}

export const diffSnapshots = makeDiff(LIMITS);

export type Change = 'added' | 'removed' | 'changed';

/**
 * Counts the differences, and decides which ones to list: all, or those above --min-bytes and
 * --min-nodes, as Apache's SnapshotComparer does.
 */
class DiffTally {
  private readonly counts = new Map<Change, number>();
  private readonly minBytes: number | undefined;
  private readonly minNodes: number | undefined;
  /** Znodes below each path that the second snapshot has more than the first. */
  private readonly growth = new Map<string, number>();

  constructor(call: TaskCall) {
    this.minBytes = call.number('min-bytes');
    this.minNodes = call.number('min-nodes');
  }

  count(change: Change): number {
    return this.counts.get(change) ?? 0;
  }

  /** Whether to list a difference. @param bytes the difference in data length */
  take(change: Change, path: string, bytes: number): boolean {
    this.counts.set(change, this.count(change) + 1);
    if (this.minNodes !== undefined && change !== 'changed') {
      this.grow(path, change === 'added' ? 1 : -1);
    }
    if (this.minBytes !== undefined) return bytes >= this.minBytes;
    return this.minNodes === undefined;
  }

  /** The subtrees whose number of znodes differs by the limit or more. */
  subtrees(): Row[] {
    const { minNodes } = this;
    if (minNodes === undefined) return [];
    const large = [...this.growth].filter(([, by]) => Math.abs(by) >= minNodes);
    return large
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, by]) => ['subtree', path, `${by > 0 ? '+' : ''}${counted(by, 'znode')}`]);
  }

  private grow(path: string, by: number): void {
    for (let end = path.lastIndexOf('/'); end >= 0; end = path.lastIndexOf('/', end - 1)) {
      const above = end === 0 ? '/' : path.slice(0, end);
      this.growth.set(above, (this.growth.get(above) ?? 0) + by);
      if (end === 0) return;
    }
  }
}
