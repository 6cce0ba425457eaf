import { DoubleBarrier } from '../../../../recipes/synchronizers/double-barrier.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { commandArgument, recipePath, waitOption } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const doubleBarrier = defineCommand({
  name: 'double-barrier',
  group: 'recipes',
  summary: 'Run a command together with other participants',
  description:
    "Waits until N participants have arrived, runs the command, and returns when all participants have finished. The exit status is the command's. --wait limits only the wait for arrivals.",
  options: {
    count: {
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'the number of participants; default 2',
    },
    wait: waitOption,
  },
  args: { path: recipePath, command: commandArgument },
  examples: [
    {
      line: 'double-barrier /jobs/42 --count 3 -- ./part',
      summary: 'Start three parts of a job together',
    },
  ],
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
