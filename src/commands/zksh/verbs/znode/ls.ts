import { usageError } from '../../../program/command-error.js';
import { compareNames } from '../../../znodes/walk.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { watchOption } from '../../engine/watch-option.js';
import { longListing, SORT_KEYS, type SortKey } from '../../paths/long-listing.js';
import { CommandWalk, WALK_OPTIONS, type WalkFlags } from '../../paths/walk-command.js';
import type { Result } from '../../results/result.js';

export const ls = defineCommand({
  name: 'ls',
  group: 'znode',
  summary: 'list the children of a znode',
  description:
    'Names are sorted. With -R every znode from the path down is listed, one path a line; what may not be read is skipped, named at the end, and makes the exit code 9.',
  options: {
    stat: { letter: 's', summary: 'show the Stat too' },
    watch: { letter: 'w', summary: 'tell once when the children change' },
    recursive: { letter: 'R', summary: 'everything below, too' },
    long: {
      letter: 'l',
      summary: 'a row for each child: type, children, size, version, times, owner',
    },
    sort: {
      kind: 'text',
      choices: SORT_KEYS,
      summary: 'with -l: by name (default), size, children, version or mtime',
    },
    reverse: { letter: 'r', summary: 'with -l: the other way round' },
    ...WALK_OPTIONS,
  },
  args: {
    path: {
      kind: 'path',
      glob: 'serial',
      isOptional: true,
      summary: 'the znode, or a pattern; default: the working path',
    },
  },
  surplusHint: 'a watch is asked for with -w',
  examples: [
    { line: 'ls /', summary: 'the children of the root' },
    { line: 'ls -R /app', summary: 'every path below /app' },
    { line: 'ls /app/{red,blue}*', summary: 'the children of each that fits' },
    { line: 'ls -l --sort size /app', summary: 'the largest value first' },
  ],
  check({ options, tokens }) {
    const long = tokens.sort ?? tokens.reverse;
    if (long !== undefined && !options.long) throw usageError('this goes with -l', long);
    const deep = tokens.depth ?? tokens['in-flight'] ?? tokens.rate;
    if (deep !== undefined && !options.recursive) throw usageError('this goes with -R', deep);
    if (options.long && (options.recursive || options.stat)) {
      throw usageError('-l goes neither with -R nor with -s; find -l lists all below', tokens.long);
    }
  },
  async run(context, { options, args }): Promise<Result> {
    const path = args.path ?? context.session.cwd;
    const watch = watchOption(context, options.watch);
    if (options.recursive) {
      if (options.watch) await context.client.getChildren(path, watch);
      return listBelow(context, path, options.stat, options);
    }
    const { children, stat } = await context.client.getChildren(path, watch);
    if (options.long) {
      const sort = (options.sort ?? 'name') as SortKey;
      return longListing(context.client, path, children, sort, options.reverse);
    }
    const sorted = [...children].sort(compareNames);
    return { kind: 'children', path, children: sorted, ...(options.stat ? { stat } : {}) };
  },
});

async function listBelow(
  context: CommandContext,
  root: string,
  isStatShown: boolean,
  flags: WalkFlags,
): Promise<Result> {
  const walk = new CommandWalk(context);
  for await (const { path, stat } of walk.visits(root, flags, { areFaultsGiven: true })) {
    await context.emit({
      kind: 'path',
      path,
      ...(isStatShown && stat !== undefined ? { stat } : {}),
    });
  }
  walk.finish();
  return { kind: 'end' };
}
