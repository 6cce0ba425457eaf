import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const begin = defineCommand({
  name: 'begin',
  group: 'znode',
  summary: 'Start a transaction',
  description:
    'Queues create, set, delete, and check until commit sends them as one transaction, or abort discards them. Reads run at once and do not see queued operations. Other changes are rejected meanwhile. A script that ends before commit discards the transaction and reports an error.',
  options: {},
  args: {},
  isLocal: true,
  examples: [
    {
      line: 'begin; check /app 3; set /app new; commit',
      summary: 'Update /app only if its version is 3',
    },
  ],
  async run({ session }): Promise<Result> {
    if (session.transaction !== undefined) {
      throw new CommandError('begin: transaction already open', {
        code: 'TRANSACTION',
        exitCode: ExitCode.usage,
        hint: 'run commit to send it, or abort to discard it',
      });
    }
    session.transaction = [];
    return { kind: 'done', done: 'begin' };
  },
});
