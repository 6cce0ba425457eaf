import { Semaphore } from '../../../../recipes/semaphore.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { commandArgument, recipePath, waitOption } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const semaphore = defineCommand({
  name: 'semaphore',
  group: 'recipes',
  summary: 'Run a command while holding one of N permits',
  description:
    "The exit status is the command's. If the permit is lost, the command is terminated as with lock. All clients of a path must pass the same number of permits.",
  options: {
    permits: {
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'the number of permits; default 1',
    },
    wait: waitOption,
  },
  args: { path: recipePath, command: commandArgument },
  examples: [
    { line: 'semaphore /jobs --permits 4 -- ./job', summary: 'Run at most four jobs at a time' },
  ],
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
