import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const clear = defineCommand({
  name: 'clear',
  group: 'shell',
  summary: 'Clear the screen',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'clear', summary: 'Clear the screen, as with Ctrl-L' }],
  async run({ clearScreen }): Promise<Result> {
    clearScreen?.();
    return { kind: 'end' };
  },
});
