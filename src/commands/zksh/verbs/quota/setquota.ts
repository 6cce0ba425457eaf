import { ZooKeeperError } from '../../../../client/base/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { isWithin } from '../../../../protocol/path.js';
import { NO_QUOTA } from '../../../../protocol/quota.js';
import { CommandError, usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { QuotaConflict, quotaWarnings, writeQuota } from '../../../znodes/quota-nodes.js';
import { defineCommand } from '../../engine/command.js';
import { LIMIT_NAMES, LIMITS, quotaRows, refuseChroot } from './limits.js';

const COUNT = { kind: 'integer', valueName: 'N', min: 1, max: 0x7fff_ffff } as const;
const BYTES = { kind: 'integer', valueName: 'BYTES', max: Number.MAX_SAFE_INTEGER } as const;

export const setquota = defineCommand({
  name: 'setquota',
  group: 'acl',
  summary: 'Limit the number of znodes or bytes of a subtree',
  description:
    'Exceeding a soft limit logs a warning on the server. Exceeding a hard limit fails, if the server enforces quotas. Other limits stay unchanged. Ancestors and descendants must not have a quota.',
  options: {
    count: { letter: 'n', ...COUNT, summary: 'soft limit on znodes' },
    bytes: { letter: 'b', ...BYTES, summary: 'soft limit on bytes' },
    'hard-count': { letter: 'N', ...COUNT, summary: 'hard limit on znodes' },
    'hard-bytes': { letter: 'B', ...BYTES, summary: 'hard limit on bytes' },
  },
  args: { path: { kind: 'path', summary: 'the znode' } },
  isMutating: true,
  examples: [
    {
      line: 'setquota -N 1000 -b 1000000 /app',
      summary: 'Limit /app to 1000 znodes and warn at 1 MB',
    },
  ],
  check({ options, args, tokens }) {
    if (LIMIT_NAMES.every((name) => options[name] === undefined)) {
      throw usageError('setquota: missing limit (expected -n, -b, -N, or -B)', tokens.path);
    }
    if (args.path === '/' || isWithin(args.path, '/zookeeper')) {
      throw usageError(`${args.path}: cannot have a quota`, tokens.path);
    }
  },
  async run(context, { options, args: { path } }): Promise<Result> {
    refuseChroot(context);
    const { client } = context;
    if ((await client.exists(path)) === null) throw new ZooKeeperError(ErrorCode.NONODE, path);
    const change = { ...NO_QUOTA };
    for (const name of LIMIT_NAMES) change[LIMITS[name]] = options[name] ?? -1;
    try {
      const quota = await writeQuota(client, path, change);
      for (const text of quotaWarnings(quota)) {
        await context.emit({ kind: 'message', text, fields: { path, warning: text } });
      }
      return quotaRows(path, quota);
    } catch (error) {
      if (!(error instanceof QuotaConflict)) throw error;
      throw new CommandError(error.message, {
        code: 'QUOTACONFLICT',
        path,
        hint: 'remove the existing quota with delquota',
        cause: error,
      });
    }
  },
});
