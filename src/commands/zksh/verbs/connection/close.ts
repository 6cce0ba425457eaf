import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const close = defineCommand({
  name: 'close',
  group: 'session',
  summary: 'Close the session without leaving the shell',
  description: 'Its ephemerals are deleted at once. Use connect to open a new session.',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'close', summary: 'Disconnect from the servers' }],
  async run({ session }): Promise<Result> {
    await session.close();
    return { kind: 'done', done: 'close' };
  },
});
