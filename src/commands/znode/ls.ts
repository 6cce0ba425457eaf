import { type CommandContext, defineCommand } from '../command.js';
import type { Result } from '../result.js';
import { compareNames, partialError, type Visit, walk } from '../walk.js';
import { watchOption } from '../watch-option.js';

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
  },
  args: { path: { kind: 'path', isOptional: true, summary: 'default: the working path' } },
  surplusHint: 'a watch is asked for with -w',
  examples: [
    { line: 'ls /', summary: 'the children of the root' },
    { line: 'ls -R /app', summary: 'every path below /app' },
  ],
  async run(context, { options, args }): Promise<Result> {
    const path = args.path ?? context.session.cwd;
    const watch = watchOption(context, options.watch);
    if (options.recursive) {
      if (options.watch) await context.client.getChildren(path, watch);
      return listBelow(context, path, options.stat);
    }
    const { children, stat } = await context.client.getChildren(path, watch);
    const sorted = [...children].sort(compareNames);
    return { kind: 'children', path, children: sorted, ...(options.stat ? { stat } : {}) };
  },
});

async function listBelow(
  context: CommandContext,
  root: string,
  isStatShown: boolean,
): Promise<Result> {
  const unread: Required<Pick<Visit, 'path' | 'error'>>[] = [];
  for await (const { path, stat, error } of walk(context.client, root, context.signal)) {
    if (error !== undefined) unread.push({ path, error });
    await context.emit({
      kind: 'path',
      path,
      ...(isStatShown && stat !== undefined ? { stat } : {}),
    });
  }
  if (unread.length > 0) throw partialError('not all could be read', unread);
  return { kind: 'end' };
}
