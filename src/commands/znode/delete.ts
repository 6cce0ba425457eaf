import { defineCommand } from '../command.js';
import type { Result } from '../result.js';
import { VERSION_RANGE } from '../versions.js';

export const deleteCommand = defineCommand({
  name: 'delete',
  group: 'znode',
  summary: 'delete a znode that has no children',
  options: {
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'only if this is still its version',
    },
  },
  args: { path: { kind: 'path', summary: 'the znode' } },
  surplusHint: 'a version is given with -v: delete -v VERSION path',
  isMutating: true,
  examples: [{ line: 'delete /app/old', summary: 'refused while it has children' }],
  async toOp(_, { options, args: { path } }) {
    return { op: 'delete', path, version: options.version ?? -1 };
  },
  async run(context, { options, args: { path } }): Promise<Result> {
    await context.client.delete(path, options.version ?? -1);
    return { kind: 'deleted', path, count: 1, isDryRun: false };
  },
});
