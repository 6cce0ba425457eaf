import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const pager = defineCommand({
  name: 'pager',
  group: 'shell',
  summary: 'Turn the pager for long results on or off',
  description:
    'At the prompt, $PAGER or less shows results that are longer than the screen. Slow results and the results of changes are not paged. Quitting the pager ends the running command. "pager" in the configuration file sets another command, or false to disable paging. Without an argument, pager prints the current setting.',
  options: {},
  args: {
    switch: { kind: 'text', choices: ['on', 'off'], isOptional: true, summary: 'on or off' },
  },
  isLocal: true,
  examples: [{ line: 'pager off', summary: 'Disable paging' }],
  async run({ session }, { args }): Promise<Result> {
    if (args.switch !== undefined) {
      session.isPaging = args.switch === 'on';
      return { kind: 'done', done: 'pager' };
    }
    const state = session.isPaging ? 'on' : 'off';
    return { kind: 'message', text: `pager is ${state}`, fields: { pager: state } };
  },
});
