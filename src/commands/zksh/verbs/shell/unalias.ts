import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const unalias = defineCommand({
  name: 'unalias',
  group: 'shell',
  summary: 'Remove an alias',
  options: {},
  args: { name: { kind: 'text', summary: 'the name of the alias' } },
  isLocal: true,
  examples: [{ line: 'unalias ll', summary: 'Remove the alias ll' }],
  async run({ session }, { args: { name }, tokens }): Promise<Result> {
    if (!session.aliases.delete(name)) {
      throw usageError(`unknown alias: ${name}`, tokens.name, {
        hint: 'run alias to list the aliases',
      });
    }
    return { kind: 'end' };
  },
});
