import { usageError } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const unalias = defineCommand({
  name: 'unalias',
  group: 'shell',
  summary: 'forget a short name',
  options: {},
  args: { name: { kind: 'text', summary: 'as alias lists it' } },
  isLocal: true,
  examples: [{ line: 'unalias ll', summary: 'll is unknown again' }],
  async run({ session }, { args: { name }, tokens }): Promise<Result> {
    if (!session.aliases.delete(name)) {
      throw usageError(`there is no alias ${name}`, tokens.name, 'alias lists them');
    }
    return { kind: 'end' };
  },
});
