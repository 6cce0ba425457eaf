/**
 * What clients saw of an ensemble, and whether an ensemble that keeps ZooKeeper's promises can have
 * shown it to them. ZooKeeper hands out the order itself, the zxid, so no search is needed:
 *
 * - writes are linearizable: a write that began after another was answered has a higher zxid, each
 *   has a zxid of its own, and the versions of a znode grow by one a write
 * - a session never goes back in time, whichever server it talks to, and sees its own writes
 * - a read shows the znode as it was at the zxid that it was answered with
 * - nothing that was acknowledged is gone in the end, and nothing is there that nobody wrote
 */
import { formatZxid } from '../../src/protocol/zxid.js';

/** What one session did, in the order in which it did it. Times are of one clock, in ms. */
export type Seen =
  | {
      readonly kind: 'write';
      readonly session: string;
      readonly path: string;
      /** Written by nobody else. */
      readonly value: string;
      readonly startedMs: number;
      readonly endedMs: number;
      /** What the server answered; null when nobody knows what became of it. */
      readonly done: { readonly zxid: bigint; readonly version: number } | null;
    }
  | {
      readonly kind: 'read';
      readonly session: string;
      readonly path: string;
      readonly value: string;
      readonly startedMs: number;
      readonly endedMs: number;
      /** The zxid of the reply: how far the server had come. */
      readonly zxid: bigint;
      readonly mzxid: bigint;
      readonly version: number;
    };

type Write = Extract<Seen, { kind: 'write' }>;
type DoneWrite = Write & { readonly done: NonNullable<Write['done']> };
type Read = Extract<Seen, { kind: 'read' }>;

/** What each znode was made with, before anything was seen. */
export interface Beginning {
  readonly value: string;
  readonly mzxid: bigint;
}

/** Returns what cannot be, a sentence each; nothing when the history may have happened. */
export function checkHistory(history: readonly Seen[], beginning: Beginning): string[] {
  const writes = history.filter((seen): seen is Write => seen.kind === 'write');
  const done = writes.filter((write): write is DoneWrite => write.done !== null);
  const byZxid = [...done].sort((a, b) => compare(a.done.zxid, b.done.zxid));
  return [
    ...checkUnique(byZxid),
    ...checkRealTime(done),
    ...checkVersions(byZxid, writes),
    ...checkValues(history, writes, beginning),
    ...checkReads(history, byZxid),
    ...checkSessions(history),
  ];
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

function nameOf(write: DoneWrite): string {
  return `"${write.value}" to ${write.path} at ${formatZxid(write.done.zxid)}`;
}

function checkUnique(byZxid: readonly DoneWrite[]): string[] {
  const problems: string[] = [];
  byZxid.forEach((write, i) => {
    const before = byZxid[i - 1];
    if (before?.done.zxid === write.done.zxid) {
      problems.push(`two writes have one zxid: ${nameOf(before)}, ${nameOf(write)}`);
    }
  });
  return problems;
}

/** One pass over starts and ends: the highest zxid answered so far is below that of what begins. */
function checkRealTime(done: readonly DoneWrite[]): string[] {
  const problems: string[] = [];
  const byEnd = [...done].sort((a, b) => a.endedMs - b.endedMs);
  let ended = 0;
  let highest: DoneWrite | undefined;
  for (const write of [...done].sort((a, b) => a.startedMs - b.startedMs)) {
    for (let next = byEnd[ended]; next !== undefined; next = byEnd[ended]) {
      if (next.endedMs >= write.startedMs) break;
      if (highest === undefined || next.done.zxid > highest.done.zxid) highest = next;
      ended++;
    }
    if (highest !== undefined && highest.done.zxid >= write.done.zxid) {
      problems.push(`${nameOf(write)} began after ${nameOf(highest)} was answered`);
    }
  }
  return problems;
}

/** Between two acknowledged writes of a znode lie only writes whose outcome nobody knows. */
function checkVersions(byZxid: readonly DoneWrite[], writes: readonly Write[]): string[] {
  const problems: string[] = [];
  const unknown = new Map<string, number>();
  for (const { path, done } of writes) {
    if (done === null) unknown.set(path, (unknown.get(path) ?? 0) + 1);
  }
  const last = new Map<string, DoneWrite>();
  for (const write of byZxid) {
    const before = last.get(write.path)?.done.version ?? 0;
    const skipped = write.done.version - before - 1;
    const left = unknown.get(write.path) ?? 0;
    if (skipped < 0 || skipped > left) {
      problems.push(`${nameOf(write)} made version ${write.done.version} of ${before}`);
    } else {
      unknown.set(write.path, left - skipped);
    }
    last.set(write.path, write);
  }
  return problems;
}

function checkValues(
  history: readonly Seen[],
  writes: readonly Write[],
  beginning: Beginning,
): string[] {
  const problems: string[] = [];
  const written = new Map(writes.map((write) => [write.value, write]));
  for (const read of history) {
    if (read.kind !== 'read') continue;
    if (read.value === beginning.value) {
      if (read.mzxid !== beginning.mzxid && read.version !== 0) {
        problems.push(`${read.path} shows its beginning at version ${read.version}`);
      }
      continue;
    }
    const write = written.get(read.value);
    if (write === undefined || write.path !== read.path) {
      problems.push(`${read.path} shows "${read.value}", which nobody wrote there`);
    } else if (write.done !== null && write.done.zxid !== read.mzxid) {
      problems.push(
        `${nameOf(write as DoneWrite)} is shown as written at ${formatZxid(read.mzxid)}`,
      );
    } else if (write.startedMs > read.endedMs) {
      problems.push(`${read.path} showed "${read.value}" before it was written`);
    }
  }
  return problems;
}

/** At the zxid of its reply the newest write of the znode is what a read must show. */
function checkReads(history: readonly Seen[], byZxid: readonly DoneWrite[]): string[] {
  const problems: string[] = [];
  const ofPath = new Map<string, DoneWrite[]>();
  for (const write of byZxid) {
    const list = ofPath.get(write.path);
    if (list === undefined) ofPath.set(write.path, [write]);
    else list.push(write);
  }
  for (const read of history) {
    if (read.kind !== 'read') continue;
    const due = newestUpTo(ofPath.get(read.path) ?? [], read.zxid);
    if (due !== undefined && due.done.zxid > read.mzxid) {
      problems.push(
        `a read of ${read.session} at ${formatZxid(read.zxid)} shows "${read.value}" and not ${nameOf(due)}`,
      );
    }
    if (read.mzxid > read.zxid) {
      problems.push(`a read at ${formatZxid(read.zxid)} shows a later write of ${read.path}`);
    }
  }
  return problems;
}

function newestUpTo(writes: readonly DoneWrite[], zxid: bigint): DoneWrite | undefined {
  let low = 0;
  let high = writes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((writes[middle] as DoneWrite).done.zxid <= zxid) low = middle + 1;
    else high = middle;
  }
  return writes[low - 1];
}

function checkSessions(history: readonly Seen[]): string[] {
  const problems: string[] = [];
  const reached = new Map<string, bigint>();
  for (const seen of history) {
    const zxid = seen.kind === 'read' ? seen.zxid : seen.done?.zxid;
    if (zxid === undefined) continue;
    const before = reached.get(seen.session) ?? 0n;
    if (zxid < before) {
      problems.push(`${seen.session} went from ${formatZxid(before)} back to ${formatZxid(zxid)}`);
    } else {
      reached.set(seen.session, zxid);
    }
  }
  return problems;
}

/** How a history ends: each znode as it is found when all is calm again. */
export function checkEnd(history: readonly Seen[], found: ReadonlyMap<string, Read>): string[] {
  const problems: string[] = [];
  for (const seen of history) {
    if (seen.kind !== 'write' || seen.done === null) continue;
    const now = found.get(seen.path);
    if (now === undefined) problems.push(`${seen.path} is gone`);
    else if (now.mzxid < seen.done.zxid || now.version < seen.done.version) {
      problems.push(`${nameOf(seen as DoneWrite)} was acknowledged and is lost`);
    }
  }
  return problems;
}
