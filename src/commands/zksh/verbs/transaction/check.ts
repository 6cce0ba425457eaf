import { ZooKeeperError } from '../../../../client/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { defineCommand } from '../../engine/command.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import type { Result } from '../../results/result.js';

export const check = defineCommand({
  name: 'check',
  group: 'znode',
  summary: 'see that a znode is there, and has a version',
  description: 'The exit code tells: 0, 4 when it is not there, 7 when it has another version.',
  options: {},
  args: {
    path: { kind: 'path', summary: 'the znode' },
    version: {
      kind: 'integer',
      ...VERSION_RANGE,
      isOptional: true,
      summary: 'the version of its data; default: any',
    },
  },
  examples: [{ line: 'check /app 3', summary: 'is it still version 3?' }],
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
