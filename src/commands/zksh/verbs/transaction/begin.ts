import { CommandError, ExitCode } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const begin = defineCommand({
  name: 'begin',
  group: 'znode',
  summary: 'gather what follows for a transaction',
  description:
    'From here on, create, set, delete and check are kept, until commit sends them as one or abort forgets them. What reads is done at once, and sees nothing of them. Other changes are refused meanwhile. A script that ends before commit has done nothing, and says so.',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'begin; check /app 3; set /app new; commit', summary: 'all or none' }],
  async run({ session }): Promise<Result> {
    if (session.transaction !== undefined) {
      throw new CommandError('a transaction is begun already', {
        code: 'TRANSACTION',
        exitCode: ExitCode.usage,
        hint: 'commit sends it, abort forgets it',
      });
    }
    session.transaction = [];
    return { kind: 'done', done: 'begin' };
  },
});
