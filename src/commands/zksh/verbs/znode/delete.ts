import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import { MANY_OPTIONS } from '../../paths/many-options.js';

export const deleteCommand = defineCommand({
  name: 'delete',
  aliases: ['rm'],
  group: 'znode',
  summary: 'Delete a znode without children',
  description:
    'A pattern asks for confirmation and shows the number of znodes and a sample. A script must pass --yes. Children are deleted before their parents.',
  options: {
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'require this data version',
    },
    ...MANY_OPTIONS,
  },
  args: { path: { kind: 'path', glob: 'deepest-first', summary: 'the znode, or a pattern' } },
  surplusHint: 'use -v for a version: delete -v VERSION path',
  isMutating: true,
  hasGenericDryRun: true,
  examples: [
    { line: 'delete /app/old', summary: 'Delete a znode; fails if it has children' },
    {
      line: "delete '/app/odd*name'",
      summary: 'Delete a znode whose name contains a pattern character',
    },
    { line: 'delete -n /app/tmp-*', summary: 'Preview the znodes that a pattern would delete' },
  ],
  async toOp(_, { options, args: { path } }) {
    return { op: 'delete', path, version: options.version ?? -1 };
  },
  async run(context, { options, args: { path } }): Promise<Result> {
    await context.client.delete(path, options.version ?? -1);
    return { kind: 'deleted', path, count: 1, isDryRun: false };
  },
});
