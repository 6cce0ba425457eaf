import type { Result } from '../../../results/result.js';
import { removeQuota } from '../../../znodes/quota-nodes.js';
import { defineCommand } from '../../engine/command.js';
import { LIMIT_NAMES, LIMITS, noQuota, refuseChroot } from './limits.js';

export const delquota = defineCommand({
  name: 'delquota',
  group: 'acl',
  summary: 'Remove the quota of a znode, or some of its limits',
  options: {
    count: { letter: 'n', summary: 'remove the soft limit on znodes' },
    bytes: { letter: 'b', summary: 'remove the soft limit on bytes' },
    'hard-count': { letter: 'N', summary: 'remove the hard limit on znodes' },
    'hard-bytes': { letter: 'B', summary: 'remove the hard limit on bytes' },
  },
  args: { path: { kind: 'path', summary: 'the znode' } },
  isMutating: true,
  examples: [{ line: 'delquota /app', summary: 'Remove all limits of /app' }],
  async run(context, { options, args: { path } }): Promise<Result> {
    refuseChroot(context);
    const limits = LIMIT_NAMES.filter((name) => options[name]).map((name) => LIMITS[name]);
    if (!(await removeQuota(context.client, path, limits))) throw noQuota(path);
    return { kind: 'done', done: 'delquota', path };
  },
});
