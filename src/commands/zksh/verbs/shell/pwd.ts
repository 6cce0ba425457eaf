import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const pwd = defineCommand({
  name: 'pwd',
  group: 'shell',
  summary: 'Print the working path',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'pwd', summary: 'Print the working path' }],
  async run({ session }): Promise<Result> {
    return { kind: 'message', text: session.cwd, fields: { path: session.cwd } };
  },
});
