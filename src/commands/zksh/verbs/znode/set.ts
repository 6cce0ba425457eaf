import type { Stat } from '../../../../protocol/data.js';
import { usageError } from '../../../program/command-error.js';
import { isCode } from '../../../znodes/is-code.js';
import { defineCommand } from '../../engine/command.js';
import { checkValue, readValue } from '../../engine/read-value.js';
import { VERSION_RANGE } from '../../engine/versions.js';
import { MANY_OPTIONS } from '../../paths/many-options.js';
import type { Result } from '../../results/result.js';

export const set = defineCommand({
  name: 'set',
  group: 'znode',
  summary: 'set the data of a znode',
  description:
    'Data given as @FILE or - is read from a file or from standard input, byte for byte; in quotes both stand for themselves. A pattern asks first; a script says --yes, or is refused.',
  options: {
    stat: { letter: 's', summary: 'show the Stat it has then' },
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'only if this is still its version',
    },
    base64: { letter: 'b', summary: 'the data is base64' },
    create: { summary: 'make the znode if it is not there' },
    ...MANY_OPTIONS,
  },
  args: {
    path: { kind: 'path', glob: 'parallel', summary: 'the znode, or a pattern' },
    data: { kind: 'data', summary: 'the data, @FILE or -' },
  },
  surplusHint: "data of several words goes in quotes: 'two words'",
  isMutating: true,
  isDryRunTold: true,
  examples: [
    { line: "set /app 'hello world'", summary: 'text' },
    { line: 'set -v 3 /app x', summary: 'only if nobody changed it since version 3' },
    { line: 'set /blob @picture.png', summary: 'the bytes of a file' },
  ],
  check({ options, args, tokens }) {
    if (options.create && options.version !== undefined) {
      throw usageError('--create asks for no version', tokens.version);
    }
    checkValue(args.data, options.base64, tokens.data);
  },
  async toOp(context, { options, args: { path, data }, tokens }) {
    if (options.create) {
      throw usageError('--create cannot be part of a transaction', tokens.create);
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
