import { compareNames } from '../../../znodes/walk.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const getEphemerals = defineCommand({
  name: 'getEphemerals',
  group: 'znode',
  summary: 'list the ephemerals of this session',
  options: {},
  args: { path: { kind: 'path', isOptional: true, summary: 'only those below; default: all' } },
  examples: [{ line: 'getEphemerals /app', summary: 'those whose path begins with /app' }],
  async run(context, { args }): Promise<Result> {
    const paths = await context.client.getEphemerals(args.path ?? '/');
    return { kind: 'paths', paths: [...paths].sort(compareNames) };
  },
});
