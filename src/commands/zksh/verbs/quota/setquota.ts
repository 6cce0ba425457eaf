import { ZooKeeperError } from '../../../../client/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { isWithin } from '../../../../protocol/path.js';
import { CommandError, usageError } from '../../../program/command-error.js';
import { NO_QUOTA, QuotaConflict, quotaWarnings, writeQuota } from '../../../znodes/quota-nodes.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { LIMIT_NAMES, LIMITS, quotaRows, refuseChroot } from './limits.js';

const COUNT = { kind: 'integer', valueName: 'N', min: 1, max: 0x7fff_ffff } as const;
const BYTES = { kind: 'integer', valueName: 'BYTES', max: Number.MAX_SAFE_INTEGER } as const;

export const setquota = defineCommand({
  name: 'setquota',
  group: 'acl',
  summary: 'limit the znodes or bytes at and below a znode',
  description:
    'A soft limit is only warned about in the log of the server; a hard one refuses what would go over it, where the server enforces quotas. Limits that are not named stay. A znode above or below must have no quota.',
  options: {
    count: { letter: 'n', ...COUNT, summary: 'soft limit of znodes' },
    bytes: { letter: 'b', ...BYTES, summary: 'soft limit of bytes' },
    'hard-count': { letter: 'N', ...COUNT, summary: 'hard limit of znodes' },
    'hard-bytes': { letter: 'B', ...BYTES, summary: 'hard limit of bytes' },
  },
  args: { path: { kind: 'path', summary: 'the znode' } },
  isMutating: true,
  examples: [{ line: 'setquota -N 1000 -b 1000000 /app', summary: 'two limits' }],
  check({ options, args, tokens }) {
    if (LIMIT_NAMES.every((name) => options[name] === undefined)) {
      throw usageError('setquota needs a limit: -n, -b, -N or -B', tokens.path);
    }
    if (args.path === '/' || isWithin(args.path, '/zookeeper')) {
      throw usageError(`${args.path} takes no quota`, tokens.path);
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
        hint: 'delquota takes that one away',
        cause: error,
      });
    }
  },
});
