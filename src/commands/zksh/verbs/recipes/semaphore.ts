import { Semaphore } from '../../../../recipes/semaphore.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { commandArgument, recipePath, waitOption } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const semaphore = defineCommand({
  name: 'semaphore',
  group: 'recipes',
  summary: 'run a command with one of some permits',
  description:
    "The exit code is the command's own. When the permit is lost, the command is ended as by lock. All who use one path must say the same number.",
  options: {
    permits: {
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'how many at once; default 1',
    },
    wait: waitOption,
  },
  args: { path: recipePath, command: commandArgument },
  examples: [{ line: 'semaphore /jobs --permits 4 -- ./job', summary: 'four at a time' }],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path, command }, options }): Promise<Result> {
    const { client, signal } = context;
    const permits = new Semaphore(client, path, { permits: options.permits ?? 1 });
    return inRecipe(context, async () => {
      const held = await permits.acquire({ signal, timeoutMs: options.wait });
      return runWhileHeld(context, { path, words: command }, held);
    });
  },
});
