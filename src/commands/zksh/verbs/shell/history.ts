import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

const DEFAULT_COUNT = 11;

export const history = defineCommand({
  name: 'history',
  group: 'shell',
  summary: 'List the last lines with their numbers for redo',
  description: 'Lines with passwords are never recorded.',
  options: {
    limit: {
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'the number of lines; default 11',
    },
  },
  args: {},
  isLocal: true,
  examples: [{ line: 'history --limit 100', summary: 'List the last 100 lines' }],
  async run({ session, emit }, { options }): Promise<Result> {
    const { lines } = session;
    const first = Math.max(0, lines.length - (options.limit ?? DEFAULT_COUNT));
    for (const [at, line] of lines.entries()) {
      if (at < first) continue;
      await emit({ kind: 'message', text: `${at} - ${line}`, fields: { number: at, line } });
    }
    return { kind: 'end' };
  },
});
