import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const pager = defineCommand({
  name: 'pager',
  group: 'shell',
  summary: 'show long results in a pager, or not',
  description:
    'At the prompt a result that is longer than the screen is shown by $PAGER, or by less where there is one; what comes slowly is shown as it comes, and so is what a change tells. Leaving the pager ends a command that has more to tell. "pager" in the configuration file is a command for it, or false for none. Without a word it says whether it is on.',
  options: {},
  args: {
    switch: { kind: 'text', choices: ['on', 'off'], isOptional: true, summary: 'on or off' },
  },
  isLocal: true,
  examples: [{ line: 'pager off', summary: 'let long results scroll by' }],
  async run({ session }, { args }): Promise<Result> {
    if (args.switch !== undefined) {
      session.isPaging = args.switch === 'on';
      return { kind: 'done', done: 'pager' };
    }
    const state = session.isPaging ? 'on' : 'off';
    return { kind: 'message', text: `pager is ${state}`, fields: { pager: state } };
  },
});
