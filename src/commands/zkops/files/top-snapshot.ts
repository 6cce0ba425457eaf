import { basename } from 'node:path';
import { Largest } from '../../data-files/largest.js';
import { oneSnapshot } from '../../data-files/one-snapshot.js';
import { readSnapshot } from '../../data-files/read-snapshot.js';
import { type Subtree, SubtreeWalk } from '../../data-files/snapshot-tree.js';
import { snapshotProblems } from '../../data-files/snapshot-verdict.js';
import { shortBytes, shortCount } from '../../ensemble/format.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import { COUNT } from '../../machine/declaration.js';
import { counted } from '../../program/counted.js';
import { finishedReport, type Report } from '../../results/result.js';
import { SNAPSHOT } from '../calls/arguments.js';
import { limitOptions } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { MAX_ENTRY_OPTION, maxEntryOf } from './max-entry.js';

const MEASURES = {
  bytes: ({ bytes }: Subtree) => bytes,
  znodes: ({ znodes }: Subtree) => znodes,
  children: ({ children }: Subtree) => children,
  data: ({ ownBytes }: Subtree) => ownBytes,
} as const;

const DEFAULT_LIMIT = 20;

async function top(call: TaskCall): Promise<Report> {
  const file = await oneSnapshot(call.args[0] ?? '.');
  const name = Object.keys(MEASURES).find((key) => key === call.text('by')) ?? 'bytes';
  const measure = MEASURES[name as keyof typeof MEASURES];
  const depthLimit = call.number('depth') ?? Number.POSITIVE_INFINITY;
  const largest = new Largest<Subtree>(call.number('limit') ?? DEFAULT_LIMIT, measure);
  const walk = new SubtreeWalk((subtree, depth) => {
    if (depth <= depthLimit) largest.add(subtree);
  });
  const reader = readSnapshot(
    file.path,
    {
      node: (node) => {
        walk.take(node.path, node.data?.length ?? 0);
        return undefined;
      },
    },
    {
      maxEntry: maxEntryOf(call),
      signal: call.signal,
      onBytes: (bytes) => call.progress(basename(file.path), bytes, file.size),
    },
  );
  let step = await reader.next();
  while (step.done !== true) step = await reader.next();
  walk.end();
  const outcome = step.value;
  const rows = largest
    .values()
    .map(({ path, znodes, children, bytes, ownBytes }) => [
      bytes,
      znodes,
      children,
      ownBytes,
      path,
    ]);
  const { nodes, dataBytes, sessions } = outcome;
  const summary = `${file.path}: ${counted(nodes, 'znode')}, ${shortBytes(dataBytes)} of paths and data, ${counted(sessions, 'session')}`;
  const problems = snapshotProblems(file.path, outcome);
  return {
    ...finishedReport(COLUMNS, rows, {
      verdict: concludeFrom(problems, summary),
      totals: { snapshot: file.path, znodes: nodes, bytes: dataBytes, sessions },
    }),
  };
}

const COLUMNS = [
  { key: 'bytes', show: shortBytes },
  { key: 'znodes', show: shortCount },
  { key: 'children', show: shortCount },
  { title: 'OWN', key: 'own_bytes', show: shortBytes },
  { key: 'path' },
];

export const topSnapshot: Task = {
  name: 'top',
  summary: 'Find the largest subtrees by bytes, znodes, children, or own data',
  args: SNAPSHOT,
  options: {
    by: {
      kind: 'text',
      choices: Object.keys(MEASURES),
      valueName: 'MEASURE',
      summary: 'measure to sort by',
    },
    ...limitOptions('number of subtrees', DEFAULT_LIMIT),
    depth: { ...COUNT, valueName: 'N', summary: 'maximum depth of a path' },
    ...MAX_ENTRY_OPTION,
  },
  hasMembers: false,
  changesEnsemble: false,
  isListing: true,
  run: top,
};
