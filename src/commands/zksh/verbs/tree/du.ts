import { namedColumns, type Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { CommandWalk, WALK_OPTIONS, WALK_ROOT } from '../../paths/walk-command.js';
import { type SubtreeSum, SubtreeSums } from './subtree-sums.js';

const { depth: _, ...FLAGS } = WALK_OPTIONS;

export const du = defineCommand({
  name: 'du',
  group: 'tree',
  summary: 'Show the size of subtrees',
  description:
    'Prints bytes of data and number of znodes for the znode and for each child, largest first. The totals include all descendants, at any depth. Znodes that cannot be read are reported at the end, with exit status 9.',
  options: {
    depth: {
      letter: 'd',
      kind: 'integer',
      valueName: 'N',
      max: 1000,
      summary: 'show rows for N levels; default 1',
    },
    ...FLAGS,
    sort: {
      kind: 'text',
      choices: ['bytes', 'znodes', 'path'],
      summary: 'sort by bytes (default), znodes, or path',
    },
  },
  args: {
    path: WALK_ROOT,
  },
  examples: [
    { line: 'du /', summary: 'Find the largest part of the tree' },
    { line: 'du --rate 500 /', summary: 'Limit the load on a busy ensemble' },
    { line: 'du -d 2 --sort znodes /app', summary: 'Show two levels by number of znodes' },
  ],
  async run(context, { options, args }): Promise<Result> {
    const root = args.path ?? context.session.cwd;
    const shown = options.depth ?? 1;
    const rows: SubtreeSum[] = [];
    const sums = new SubtreeSums((sum) => {
      if (sum.depth <= shown) rows.push(sum);
    });
    const walk = new CommandWalk(context);
    const { 'in-flight': inFlight, rate } = options;
    const flags = { 'in-flight': inFlight, rate };
    for await (const { path, depth, stat } of walk.visits(root, flags)) {
      sums.add(path, depth, stat?.dataLength ?? 0);
    }
    sums.end();
    rows.reverse();
    const key = options.sort ?? 'bytes';
    if (key !== 'path')
      rows.sort((a, b) => (key === 'znodes' ? b.znodes - a.znodes : b.bytes - a.bytes));
    else rows.sort((a, b) => (a.path < b.path ? -1 : 1));
    await context.emit({
      kind: 'rows',
      columns: namedColumns('bytes', 'znodes', 'path'),
      rows: rows.map(({ path, bytes, znodes }) => [bytes, znodes, path]),
    });
    walk.finish();
    return { kind: 'end' };
  },
});
