import { Barrier } from '../../../../recipes/synchronizers/barrier.js';
import { defineFamily } from '../../../machine/subcommands.js';
import type { Result } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { waitOption } from './options.js';
import { inRecipe } from './while-held.js';

const args = { path: { kind: 'path', summary: 'the znode of the barrier' } } as const;

const raise = defineCommand({
  name: 'barrier raise',
  group: 'recipes',
  summary: 'Raise a barrier',
  options: {},
  args,
  examples: [{ line: 'barrier raise /maintenance', summary: 'Block all waiting clients' }],
  isMutating: true,
  isGraceful: true,
  run: (context, { args: { path } }) => done(context, 'raise', path, (at) => at.raise()),
});

const remove = defineCommand({
  name: 'barrier remove',
  group: 'recipes',
  summary: 'Remove a barrier',
  options: {},
  args,
  examples: [{ line: 'barrier remove /maintenance', summary: 'Release all waiting clients' }],
  isMutating: true,
  isGraceful: true,
  run: (context, { args: { path } }) => done(context, 'remove', path, (at) => at.remove()),
});

const wait = defineCommand({
  name: 'barrier wait',
  group: 'recipes',
  summary: 'Wait until a barrier is removed',
  options: { wait: waitOption },
  args,
  examples: [
    {
      line: 'barrier wait /maintenance --wait 60000',
      summary: 'Wait up to a minute for the end of maintenance',
    },
  ],
  isGraceful: true,
  run: (context, { args: { path }, options }) =>
    done(context, 'wait', path, (at) =>
      at.wait({ signal: context.signal, timeoutMs: options.wait }),
    ),
});

function done(
  context: CommandContext,
  action: string,
  path: string,
  act: (at: Barrier) => Promise<unknown>,
): Promise<Result> {
  return inRecipe(context, async () => {
    await act(new Barrier(context.client, path));
    return { kind: 'done', done: `barrier ${action}`, path };
  });
}

export const barrier = defineFamily({
  name: 'barrier',
  group: 'recipes',
  summary: 'Block clients, release them, or wait for their release',
  subcommands: [raise, remove, wait],
});
