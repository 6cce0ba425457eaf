import type { Result } from '../../../results/result.js';
import { readQuota } from '../../../znodes/quota-nodes.js';
import { defineCommand } from '../../engine/command.js';
import { noQuota, quotaRows, refuseChroot } from './limits.js';

export const listquota = defineCommand({
  name: 'listquota',
  group: 'acl',
  summary: 'Show the quota of a znode and its usage',
  options: {},
  args: {
    path: { kind: 'path', isOptional: true, summary: 'the znode; default: the working path' },
  },
  examples: [
    { line: 'listquota /app', summary: 'Show usage, soft limits, and hard limits of /app' },
  ],
  async run(context, { args }): Promise<Result> {
    refuseChroot(context);
    const path = args.path ?? context.session.cwd;
    const quota = await readQuota(context.client, path);
    if (quota === undefined) throw noQuota(path);
    return quotaRows(path, quota);
  },
});
