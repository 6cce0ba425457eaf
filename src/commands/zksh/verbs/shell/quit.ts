import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const quit = defineCommand({
  name: 'quit',
  aliases: ['exit'],
  group: 'shell',
  summary: 'close the session and leave',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'quit', summary: 'as Ctrl-D on an empty line' }],
  async run(): Promise<Result> {
    return { kind: 'exit' };
  },
});
