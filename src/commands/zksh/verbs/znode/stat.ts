import { ZooKeeperError } from '../../../../client/base/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { watchOption } from '../../engine/watch-option.js';

export const stat = defineCommand({
  name: 'stat',
  aliases: ['exists'],
  group: 'znode',
  summary: 'Show the Stat of a znode',
  description:
    'With -w on a missing znode, the watch reports its creation. The exit status is still 4.',
  options: { watch: { letter: 'w', summary: 'report the next creation, change, or deletion' } },
  args: {
    path: {
      kind: 'path',
      glob: 'parallel',
      isOptional: true,
      summary: 'the znode, or a pattern; default: the working path',
    },
  },
  surplusHint: 'use -w to set a watch',
  examples: [{ line: 'stat /app', summary: 'Show version, times, and size of /app' }],
  async run(context, { options, args }): Promise<Result> {
    const path = args.path ?? context.session.cwd;
    const found = await context.client.exists(path, watchOption(context, options.watch));
    if (found === null) throw new ZooKeeperError(ErrorCode.NONODE, path);
    return { kind: 'stat', path, stat: found };
  },
});
