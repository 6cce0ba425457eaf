import { isCode } from '../../../../client/base/errors.js';
import type { Stat } from '../../../../protocol/data.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { checkValue, readValue } from '../../engine/read-value.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import { MANY_OPTIONS } from '../../paths/many-options.js';

export const set = defineCommand({
  name: 'set',
  group: 'znode',
  summary: 'Set the data of a znode',
  description:
    'The arguments @FILE and - read the data from a file or standard input, byte for byte. Quote them to store the text itself. A pattern asks for confirmation; a script must pass --yes.',
  options: {
    stat: { letter: 's', summary: 'print the new Stat' },
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'require this data version',
    },
    base64: { letter: 'b', summary: 'decode the data from base64' },
    create: { summary: 'create the znode if it does not exist' },
    ...MANY_OPTIONS,
  },
  args: {
    path: { kind: 'path', glob: 'parallel', summary: 'the znode, or a pattern' },
    data: { kind: 'data', summary: 'the data, @FILE, or -' },
  },
  surplusHint: "quote data that contains spaces: 'two words'",
  isMutating: true,
  hasGenericDryRun: true,
  examples: [
    { line: "set /app 'hello world'", summary: 'Store text' },
    { line: 'set -v 3 /app x', summary: 'Update a znode unless another client changed it' },
    { line: 'set /blob @picture.png', summary: 'Store a file' },
  ],
  check({ options, args, tokens }) {
    if (options.create && options.version !== undefined) {
      throw usageError('set: cannot combine --create with --version', tokens.version);
    }
    checkValue(args.data, options.base64, tokens.data);
  },
  async toOp(context, { options, args: { path, data }, tokens }) {
    if (options.create) {
      throw usageError('set: --create cannot be part of a transaction', tokens.create);
    }
    const value = await readValue(context, data, options.base64, tokens.data);
    return { op: 'set', path, data: value, version: options.version ?? -1 };
  },
  async run(context, { options, args: { path, data }, tokens }): Promise<Result> {
    const value = await readValue(context, data, options.base64, tokens.data);
    let stat: Stat;
    try {
      stat = await context.client.setData(path, value, options.version ?? -1);
    } catch (error) {
      if (!options.create || !isCode(error, 'NONODE')) throw error;
      const made = await context.client.create(path, value);
      return { kind: 'created', path: made.path, stat: made.stat };
    }
    return { kind: 'changed', path, stat, isStatShown: options.stat };
  },
});
