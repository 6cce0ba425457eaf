import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const getAllChildrenNumber = defineCommand({
  name: 'getAllChildrenNumber',
  group: 'znode',
  summary: 'Count all descendants of a znode',
  options: {},
  args: {
    path: { kind: 'path', isOptional: true, summary: 'the znode; default: the working path' },
  },
  examples: [{ line: 'getAllChildrenNumber /', summary: 'Count all znodes of the tree' }],
  async run(context, { args }): Promise<Result> {
    const path = args.path ?? context.session.cwd;
    return { kind: 'count', path, count: await context.client.getAllChildrenNumber(path) };
  },
});
