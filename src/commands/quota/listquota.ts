import { defineCommand } from '../command.js';
import { CommandError, ExitCode } from '../command-error.js';
import type { Result } from '../result.js';
import { quotaRows, refuseChroot } from './limits.js';
import { readQuota } from './quota-nodes.js';

export const listquota = defineCommand({
  name: 'listquota',
  group: 'acl',
  summary: 'show the quota of a znode, and how much of it is used',
  options: {},
  args: { path: { kind: 'path', isOptional: true, summary: 'default: the working path' } },
  examples: [{ line: 'listquota /app', summary: 'used, soft and hard limits' }],
  async run(context, { args }): Promise<Result> {
    refuseChroot(context);
    const path = args.path ?? context.session.cwd;
    const quota = await readQuota(context.client, path);
    if (quota === undefined) throw noQuota(path);
    return quotaRows(path, quota);
  },
});

export function noQuota(path: string): CommandError {
  return new CommandError(`${path} has no quota`, {
    code: 'NOQUOTA',
    exitCode: ExitCode.noNode,
    path,
    hint: 'setquota gives it one',
  });
}
