import { ZooKeeperError } from '../../../../client/base/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { VERSION_RANGE } from '../../engine/versions.js';

export const check = defineCommand({
  name: 'check',
  group: 'znode',
  summary: 'Check that a znode exists and has a given version',
  description:
    'The exit status is 0 on success, 4 if the znode does not exist, and 7 if its version differs.',
  options: {},
  args: {
    path: { kind: 'path', summary: 'the znode' },
    version: {
      kind: 'integer',
      ...VERSION_RANGE,
      isOptional: true,
      summary: 'the data version; default: any',
    },
  },
  examples: [{ line: 'check /app 3', summary: 'Check that /app is still at version 3' }],
  async toOp(_, { args: { path, version } }) {
    return { op: 'check', path, version: version ?? -1 };
  },
  async run({ client }, { args: { path, version } }): Promise<Result> {
    const stat = await client.exists(path);
    if (stat === null) throw new ZooKeeperError(ErrorCode.NONODE, path);
    if (version !== undefined && version !== -1 && stat.version !== version) {
      throw new ZooKeeperError(ErrorCode.BADVERSION, path);
    }
    return { kind: 'done', done: 'check', path };
  },
});
