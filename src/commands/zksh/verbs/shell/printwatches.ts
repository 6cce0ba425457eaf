import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const printwatches = defineCommand({
  name: 'printwatches',
  group: 'shell',
  summary: 'show events of watches, or not',
  description: 'Without a word it says which. Watches stay armed either way.',
  options: {},
  args: {
    switch: { kind: 'text', choices: ['on', 'off'], isOptional: true, summary: 'on or off' },
  },
  isLocal: true,
  examples: [{ line: 'printwatches off', summary: 'be quiet' }],
  async run({ session }, { args }): Promise<Result> {
    if (args.switch !== undefined) {
      session.isPrintingWatches = args.switch === 'on';
      return { kind: 'done', done: 'printwatches' };
    }
    const state = session.isPrintingWatches ? 'on' : 'off';
    return { kind: 'message', text: `printwatches is ${state}`, fields: { printwatches: state } };
  },
});
