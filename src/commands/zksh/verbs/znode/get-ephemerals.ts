import { compareNames } from '../../../../protocol/path.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const getEphemerals = defineCommand({
  name: 'getEphemerals',
  group: 'znode',
  summary: 'List the ephemerals of this session',
  options: {},
  args: { path: { kind: 'path', isOptional: true, summary: 'a path prefix; default: all' } },
  examples: [
    { line: 'getEphemerals /app', summary: 'List the ephemerals whose path starts with /app' },
  ],
  async run(context, { args }): Promise<Result> {
    const paths = await context.client.getEphemerals(args.path ?? '/');
    return { kind: 'paths', paths: [...paths].sort(compareNames) };
  },
});
