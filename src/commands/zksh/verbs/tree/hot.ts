import { namedColumns, type Result, type Row } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { CommandWalk, WALK_OPTIONS } from '../../paths/walk-command.js';
import { SubtreeSums } from './subtree-sums.js';

const { depth: _, ...FLAGS } = WALK_OPTIONS;
const DEFAULT_COUNT = 5;

export const hot = defineCommand({
  name: 'hot',
  group: 'tree',
  summary: 'Find the largest, widest, and most often changed znodes',
  description:
    'Prints four lists: the largest values, the most children, the most descendants, and the highest versions. Znodes that cannot be read are reported at the end, with exit status 9.',
  options: {
    limit: {
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 1000,
      summary: 'the length of each list; default 5',
    },
    ...FLAGS,
  },
  args: {
    path: {
      kind: 'path',
      isOptional: true,
      summary: 'the root of the subtree; default: the working path',
    },
  },
  examples: [{ line: 'hot --limit 10 /', summary: 'Show the top ten of each list' }],
  async run(context, { options, args }): Promise<Result> {
    const root = args.path ?? context.session.cwd;
    const count = options.limit ?? DEFAULT_COUNT;
    const lists = {
      bytes: new TopList<string>(count),
      children: new TopList<string>(count),
      'znodes below': new TopList<string>(count),
      version: new TopList<string>(count),
    };
    const sums = new SubtreeSums(({ path, znodes }) => {
      if (path !== root && znodes > 1) lists['znodes below'].add(znodes - 1, path);
    });
    const walk = new CommandWalk(context);
    const { 'in-flight': inFlight, rate } = options;
    const flags = { 'in-flight': inFlight, rate };
    for await (const { path, depth, stat } of walk.visits(root, flags)) {
      sums.add(path, depth, 0);
      if (stat === undefined) continue;
      if (stat.dataLength > 0) lists.bytes.add(stat.dataLength, path);
      if (stat.numChildren > 0) lists.children.add(stat.numChildren, path);
      if (stat.version > 0) lists.version.add(stat.version, path);
    }
    sums.end();
    const rows: Row[] = Object.entries(lists).flatMap(([most, list]) =>
      list.entries.map(({ figure, item }) => [most, figure, item]),
    );
    await context.emit({
      kind: 'rows',
      columns: namedColumns('most', 'figure', 'path'),
      rows,
    });
    walk.finish();
    return { kind: 'end' };
  },
});

/** Largest first. Of equal items the earlier one comes first. */
export class TopList<T> {
  private readonly limit: number;
  private readonly sorted: { readonly figure: number; readonly item: T }[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  get entries(): readonly { readonly figure: number; readonly item: T }[] {
    return this.sorted;
  }

  add(figure: number, item: T): void {
    const entries = this.sorted;
    const last = entries.at(-1);
    const isFull = entries.length >= this.limit;
    if (isFull && (last === undefined || figure <= last.figure)) return;
    if (isFull) entries.pop();
    let at = entries.length;
    while (at > 0 && (entries[at - 1]?.figure ?? 0) < figure) at--;
    entries.splice(at, 0, { figure, item });
  }
}
