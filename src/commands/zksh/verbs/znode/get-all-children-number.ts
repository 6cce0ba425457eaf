import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const getAllChildrenNumber = defineCommand({
  name: 'getAllChildrenNumber',
  group: 'znode',
  summary: 'count every znode below one',
  options: {},
  args: { path: { kind: 'path', isOptional: true, summary: 'default: the working path' } },
  examples: [{ line: 'getAllChildrenNumber /', summary: 'the size of the tree' }],
  async run(context, { args }): Promise<Result> {
    const path = args.path ?? context.session.cwd;
    return { kind: 'count', path, count: await context.client.getAllChildrenNumber(path) };
  },
});
