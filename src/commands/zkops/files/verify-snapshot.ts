import { basename } from 'node:path';
import { filesOf, type NamedFile } from '../../data-files/find-files.js';
import type { OpenFile } from '../../data-files/open-file.js';
import { readSnapshot, type SnapshotOutcome } from '../../data-files/read-snapshot.js';
import { SubtreeWalk } from '../../data-files/snapshot-tree.js';
import {
  digestOf,
  digestText,
  snapshotProblems,
  zxidOfName,
} from '../../data-files/snapshot-verdict.js';
import { shortBytes } from '../../ensemble/format.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { counted } from '../../program/counted.js';
import { namedColumns, type Report, type Row } from '../../results/result.js';
import { SNAPSHOTS } from '../calls/arguments.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';

export interface CheckedSnapshot {
  readonly outcome: SnapshotOutcome;
  readonly problems: readonly Problem[];
}

export async function checkSnapshot(
  call: TaskCall,
  path: string,
  onBytes: (done: number) => void,
  open?: OpenFile,
): Promise<CheckedSnapshot> {
  const walk = new SubtreeWalk(() => undefined);
  const reader = readSnapshot(
    path,
    {
      node: (node) => {
        walk.take(node.path, node.data?.length ?? 0);
        return undefined;
      },
    },
    { maxEntry: maxEntryOf(call), signal: call.signal, onBytes, open },
  );
  let step = await reader.next();
  while (step.done !== true) step = await reader.next();
  const outcome = step.value;
  const problems = snapshotProblems(path, outcome);
  if (walk.orphans > 0 && outcome.fault === undefined) {
    const text = `${path}: ${counted(walk.orphans, 'znode')} without a parent before (first: ${walk.firstOrphan}): no server can load it`;
    problems.push({ level: 'critical', code: 'orphans', text });
  }
  return { outcome, problems };
}

function rowOf({ path, size }: NamedFile, { outcome, problems }: CheckedSnapshot): Row {
  const { sessions, nodes, dataBytes, compression, digest } = outcome;
  const isWhole = problems.length === 0;
  return [
    path,
    isWhole ? 'whole' : 'damaged',
    size,
    compression,
    zxidOfName(path),
    sessions,
    nodes,
    dataBytes,
    digestOf(path, outcome),
    isWhole ? digestText(digest) : undefined,
  ];
}

async function verify(call: TaskCall): Promise<Report> {
  const files = await filesOf(call.args, 'snapshot');
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const problems: Problem[] = [];
  const wholeIn = new Set<string | undefined>();
  async function* rows(): AsyncGenerator<Row[], void, undefined> {
    let done = 0;
    for (const file of files) {
      const checked = await checkSnapshot(call, file.path, (bytes) =>
        call.progress(basename(file.path), done + bytes, total),
      );
      done += file.size;
      if (checked.problems.length === 0) wholeIn.add(file.folder);
      problems.push(...checked.problems);
      yield [rowOf(file, checked)];
    }
  }
  return {
    columns: COLUMNS,
    rows: rows(),
    finish: () => {
      // A server starts from another snapshot of the folder if it is whole.
      const isSaved = files.every(({ folder }) => folder !== undefined && wholeIn.has(folder));
      const judged = isSaved ? problems.map(asWarning) : problems;
      const what = counted(files.length, 'snapshot');
      const state = problems.length === 0 ? 'whole' : isSaved ? 'not all whole' : 'none usable';
      return {
        verdict: concludeFrom(judged, `${what}: ${state}`),
        totals: { files: files.length, bytes: total },
      };
    },
  };
}

function asWarning({ code, text }: Problem): Problem {
  return { level: 'warning', code, text: `${text}; a server falls back to a whole one` };
}

const COLUMNS = [
  ...namedColumns('snapshot', 'state'),
  { key: 'size', show: shortBytes },
  { title: 'PACKED', key: 'compression' },
  ...namedColumns('zxid', 'sessions', 'znodes'),
  { title: 'DATA', key: 'data_bytes', show: shortBytes },
  { title: 'DIGEST', key: 'digest_state' },
  { title: 'VALUE', key: 'digest' },
];

export const verifySnapshot: Task = {
  name: 'verify',
  summary: 'Check snapshots: seals, digest, and that every znode has a parent',
  args: SNAPSHOTS,
  options: { ...MAX_ENTRY_OPTION },
  hasMembers: false,
  changesEnsemble: false,
  run: verify,
};
