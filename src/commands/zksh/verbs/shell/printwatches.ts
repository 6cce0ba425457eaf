import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const printwatches = defineCommand({
  name: 'printwatches',
  group: 'shell',
  summary: 'Turn the display of watch events on or off',
  description: 'Without an argument, prints the current setting. Watches stay armed in both cases.',
  options: {},
  args: {
    switch: { kind: 'text', choices: ['on', 'off'], isOptional: true, summary: 'on or off' },
  },
  isLocal: true,
  examples: [{ line: 'printwatches off', summary: 'Hide watch events' }],
  async run({ session }, { args }): Promise<Result> {
    if (args.switch !== undefined) {
      session.isPrintingWatches = args.switch === 'on';
      return { kind: 'done', done: 'printwatches' };
    }
    const state = session.isPrintingWatches ? 'on' : 'off';
    return { kind: 'message', text: `printwatches is ${state}`, fields: { printwatches: state } };
  },
});
