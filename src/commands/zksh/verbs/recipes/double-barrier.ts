import { DoubleBarrier } from '../../../../recipes/double-barrier.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { commandArgument, recipePath, waitOption } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const doubleBarrier = defineCommand({
  name: 'double-barrier',
  group: 'recipes',
  summary: 'run a command with others: begin together, end together',
  description:
    "Waits until so many have come, runs the command, and ends when all of them have; the exit code is the command's own. --wait is for the coming alone.",
  options: {
    count: {
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'how many; default 2',
    },
    wait: waitOption,
  },
  args: { path: recipePath, command: commandArgument },
  examples: [{ line: 'double-barrier /jobs/42 --count 3 -- ./part', summary: 'three at once' }],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path, command }, options }): Promise<Result> {
    const { client, signal } = context;
    const at = new DoubleBarrier(client, path, { count: options.count ?? 2 });
    return inRecipe(context, async () => {
      const entered = await at.enter({ signal, timeoutMs: options.wait });
      const holding = { signal: entered.signal, release: () => entered.leave({ signal }) };
      return runWhileHeld(context, { path, words: command }, holding);
    });
  },
});
