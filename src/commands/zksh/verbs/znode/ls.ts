import { compareNames } from '../../../../protocol/path.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { watchOption } from '../../engine/watch-option.js';
import { longListing, SORT_KEYS, type SortKey } from '../../paths/long-listing.js';
import { CommandWalk, WALK_OPTIONS, type WalkFlags } from '../../paths/walk-command.js';

export const ls = defineCommand({
  name: 'ls',
  group: 'znode',
  summary: 'List the children of a znode',
  description:
    'Names are sorted. With -R, ls prints the path of the znode and of every descendant, one per line. Znodes that cannot be read are skipped and reported at the end, with exit status 9.',
  options: {
    stat: { letter: 's', summary: 'also print the Stat' },
    watch: { letter: 'w', summary: 'report the next change of the children' },
    recursive: { letter: 'R', summary: 'list all descendants' },
    long: {
      letter: 'l',
      summary: 'print type, children, size, version, time, and owner of each child',
    },
    sort: {
      kind: 'text',
      choices: SORT_KEYS,
      summary: 'with -l: sort by name (default), size, children, version, or mtime',
    },
    reverse: { letter: 'r', summary: 'with -l: reverse the order' },
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
  surplusHint: 'use -w to set a watch',
  examples: [
    { line: 'ls /', summary: 'List the children of the root' },
    { line: 'ls -R /app', summary: 'List the subtree of /app' },
    { line: 'ls /app/{red,blue}*', summary: 'List the children of every match' },
    { line: 'ls -l --sort size /app', summary: 'Find the largest values' },
  ],
  check({ options, tokens }) {
    const long = tokens.sort ?? tokens.reverse;
    if (long !== undefined && !options.long)
      throw usageError('ls: --sort and --reverse require -l', long);
    const deep = tokens.depth ?? tokens['in-flight'] ?? tokens.rate;
    if (deep !== undefined && !options.recursive)
      throw usageError('ls: --depth, --in-flight, and --rate require -R', deep);
    if (options.long && (options.recursive || options.stat)) {
      throw usageError('ls: cannot combine -l with -R or -s', tokens.long, {
        hint: 'use find -l for a subtree',
      });
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
