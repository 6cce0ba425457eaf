import type { Visit } from '../../../../client/znodes/walk.js';
import { baseName } from '../../../../protocol/path.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { znodeType } from '../../paths/long-listing.js';
import { CommandWalk, WALK_OPTIONS, WALK_ROOT } from '../../paths/walk-command.js';

export const tree = defineCommand({
  name: 'tree',
  group: 'tree',
  summary: 'Draw a subtree',
  description:
    'Prints lines while reading, so a large tree starts to appear at once. Znodes that cannot be read are marked, with exit status 9.',
  options: {
    ...WALK_OPTIONS,
    long: { letter: 'l', summary: 'also print type, size, and version' },
    limit: {
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'stop after N znodes',
    },
  },
  args: {
    path: WALK_ROOT,
  },
  examples: [
    { line: 'tree /app', summary: 'Draw the whole subtree' },
    { line: 'tree -l -d 2 /', summary: 'Draw two levels with sizes' },
  ],
  async run(context, { options, args }): Promise<Result> {
    const root = args.path ?? context.session.cwd;
    const walk = new CommandWalk(context);
    /** By depth: whether the ancestor is the last sibling. */
    const lasts: boolean[] = [];
    for await (const visit of walk.visits(root, options, { areFaultsGiven: true })) {
      lasts[visit.depth] = visit.isLast;
      await context.emit(branch(visit, lasts, options.long));
      if (walk.count >= (options.limit ?? Number.POSITIVE_INFINITY)) break;
    }
    walk.finish();
    return { kind: 'end' };
  },
});

function branch(visit: Visit, lasts: readonly boolean[], isLong: boolean): Result {
  const { path, depth, isLast, stat, error } = visit;
  const lead = lasts.slice(1, depth).map((isDone) => (isDone ? '    ' : '│   '));
  const fork = depth === 0 ? '' : isLast ? '└── ' : '├── ';
  const name = depth === 0 ? path : baseName(path);
  const text = `${lead.join('')}${fork}${name}`;
  if (stat === undefined) {
    const code = error?.code ?? '';
    const fields = { path, depth, error: code };
    return { kind: 'message', text: `${text}  (${code})`, raw: path, fields, isDrawn: true };
  }
  const { dataLength, version, numChildren } = stat;
  return {
    kind: 'message',
    text: isLong ? `${text}  ${znodeType(stat)} ${dataLength} B v${version}` : text,
    raw: path,
    isDrawn: true,
    fields: { path, depth, numChildren, dataLength, version },
  };
}
