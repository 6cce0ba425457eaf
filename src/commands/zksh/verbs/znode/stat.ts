import { ZooKeeperError } from '../../../../client/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { defineCommand } from '../../engine/command.js';
import { watchOption } from '../../engine/watch-option.js';
import type { Result } from '../../results/result.js';

export const stat = defineCommand({
  name: 'stat',
  group: 'znode',
  summary: 'show the Stat of a znode',
  description:
    'With -w on a znode that does not exist, the watch tells when it is created; the exit code is 4 all the same.',
  options: { watch: { letter: 'w', summary: 'tell once when it is created, changed or deleted' } },
  args: {
    path: {
      kind: 'path',
      glob: 'parallel',
      isOptional: true,
      summary: 'the znode, or a pattern; default: the working path',
    },
  },
  surplusHint: 'a watch is asked for with -w',
  examples: [{ line: 'stat /app', summary: 'its eleven fields' }],
  async run(context, { options, args }): Promise<Result> {
    const path = args.path ?? context.session.cwd;
    const found = await context.client.exists(path, watchOption(context, options.watch));
    if (found === null) throw new ZooKeeperError(ErrorCode.NONODE, path);
    return { kind: 'stat', path, stat: found };
  },
});
