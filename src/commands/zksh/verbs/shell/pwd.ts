import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const pwd = defineCommand({
  name: 'pwd',
  group: 'shell',
  summary: 'show the working path',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'pwd', summary: '/ at the start' }],
  async run({ session }): Promise<Result> {
    return { kind: 'message', text: session.cwd, fields: { path: session.cwd } };
  },
});
