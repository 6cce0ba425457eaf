import { defineCommand } from '../../engine/command.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import { MANY_OPTIONS } from '../../paths/many-options.js';
import type { Result } from '../../results/result.js';

export const deleteCommand = defineCommand({
  name: 'delete',
  group: 'znode',
  summary: 'delete a znode that has no children',
  description:
    'A pattern asks first, with the number of znodes and a sample; a script says --yes, or is refused. Of what it fits, children go before their parents.',
  options: {
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'only if this is still its version',
    },
    ...MANY_OPTIONS,
  },
  args: { path: { kind: 'path', glob: 'deepest-first', summary: 'the znode, or a pattern' } },
  surplusHint: 'a version is given with -v: delete -v VERSION path',
  isMutating: true,
  isDryRunTold: true,
  examples: [
    { line: 'delete /app/old', summary: 'refused while it has children' },
    { line: "delete '/app/odd*name'", summary: 'this one name, which is no pattern in quotes' },
    { line: 'delete -n /app/tmp-*', summary: 'look what a pattern would delete' },
  ],
  async toOp(_, { options, args: { path } }) {
    return { op: 'delete', path, version: options.version ?? -1 };
  },
  async run(context, { options, args: { path } }): Promise<Result> {
    await context.client.delete(path, options.version ?? -1);
    return { kind: 'deleted', path, count: 1, isDryRun: false };
  },
});
