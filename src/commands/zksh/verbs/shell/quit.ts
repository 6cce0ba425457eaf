import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const quit = defineCommand({
  name: 'quit',
  aliases: ['exit'],
  group: 'shell',
  summary: 'Close the session and exit',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'quit', summary: 'Exit, as with Ctrl-D on an empty line' }],
  async run(): Promise<Result> {
    return { kind: 'exit' };
  },
});
