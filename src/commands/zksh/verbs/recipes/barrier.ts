import { Barrier } from '../../../../recipes/barrier.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { waitOption } from './options.js';
import { inRecipe } from './while-held.js';

export const barrier = defineCommand({
  name: 'barrier',
  group: 'recipes',
  summary: 'hold others back, let them go, or wait with them',
  options: { wait: waitOption },
  args: {
    action: {
      kind: 'text',
      choices: ['raise', 'remove', 'wait'],
      summary: 'raise puts it up, remove takes it away, wait ends when there is none',
    },
    path: { kind: 'path', summary: 'the znode that is the barrier' },
  },
  examples: [
    { line: 'barrier raise /maintenance', summary: 'whoever waits, waits' },
    { line: 'barrier wait /maintenance --wait 60000', summary: 'a minute at most' },
    { line: 'barrier remove /maintenance', summary: 'all go on' },
  ],
  isMutating: true,
  isGraceful: true,
  isReading: ({ args }) => args.action === 'wait',
  run(context, { args: { action, path }, options }): Promise<Result> {
    const { client, signal } = context;
    const at = new Barrier(client, path);
    return inRecipe(context, async () => {
      if (action === 'raise') await at.raise();
      else if (action === 'remove') await at.remove();
      else await at.wait({ signal, timeoutMs: options.wait });
      return { kind: 'done', done: `barrier ${action}`, path };
    });
  },
});
