import { Barrier } from '../../../../recipes/barrier.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { defineFamily } from '../../engine/subcommands.js';
import type { Result } from '../../results/result.js';
import { waitOption } from './options.js';
import { inRecipe } from './while-held.js';

const args = { path: { kind: 'path', summary: 'the znode that is the barrier' } } as const;

const raise = defineCommand({
  name: 'barrier raise',
  group: 'recipes',
  summary: 'put up a barrier',
  options: {},
  args,
  examples: [{ line: 'barrier raise /maintenance', summary: 'hold back all who wait' }],
  isMutating: true,
  isGraceful: true,
  run: (context, { args: { path } }) => done(context, 'raise', path, (at) => at.raise()),
});

const remove = defineCommand({
  name: 'barrier remove',
  group: 'recipes',
  summary: 'take a barrier away',
  options: {},
  args,
  examples: [{ line: 'barrier remove /maintenance', summary: 'let all go' }],
  isMutating: true,
  isGraceful: true,
  run: (context, { args: { path } }) => done(context, 'remove', path, (at) => at.remove()),
});

const wait = defineCommand({
  name: 'barrier wait',
  group: 'recipes',
  summary: 'wait until a barrier is removed',
  options: { wait: waitOption },
  args,
  examples: [{ line: 'barrier wait /maintenance --wait 60000', summary: 'a minute at most' }],
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
  summary: 'hold others back, let them go, or wait with them',
  subcommands: [raise, remove, wait],
});
