import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const close = defineCommand({
  name: 'close',
  group: 'session',
  summary: 'close the session, and stay in the shell',
  description: 'Its ephemerals go at once. connect opens a new one.',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'close', summary: 'let go of the servers' }],
  async run({ session }): Promise<Result> {
    await session.close();
    return { kind: 'done', done: 'close' };
  },
});
