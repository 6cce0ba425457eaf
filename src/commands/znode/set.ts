import { defineCommand } from '../command.js';
import { checkValue, readValue } from '../read-value.js';
import type { Result } from '../result.js';
import { VERSION_RANGE } from '../versions.js';

export const set = defineCommand({
  name: 'set',
  group: 'znode',
  summary: 'set the data of a znode',
  description:
    'Data given as @FILE or - is read from a file or from standard input, byte for byte; in quotes both stand for themselves.',
  options: {
    stat: { letter: 's', summary: 'show the Stat it has then' },
    version: {
      letter: 'v',
      kind: 'integer',
      ...VERSION_RANGE,
      summary: 'only if this is still its version',
    },
    base64: { letter: 'b', summary: 'the data is base64' },
  },
  args: {
    path: { kind: 'path', summary: 'the znode' },
    data: { kind: 'data', summary: 'the data, @FILE or -' },
  },
  surplusHint: "data of several words goes in quotes: 'two words'",
  isMutating: true,
  examples: [
    { line: "set /app 'hello world'", summary: 'text' },
    { line: 'set -v 3 /app x', summary: 'only if nobody changed it since version 3' },
    { line: 'set /blob @picture.png', summary: 'the bytes of a file' },
  ],
  check({ options, args, tokens }) {
    checkValue(args.data, options.base64, tokens.data);
  },
  async run(context, { options, args: { path, data }, tokens }): Promise<Result> {
    const value = await readValue(context, data, options.base64, tokens.data);
    const stat = await context.client.setData(path, value, options.version ?? -1);
    return { kind: 'changed', path, stat, isStatShown: options.stat };
  },
});
