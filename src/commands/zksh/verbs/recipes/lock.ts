import { Lock } from '../../../../recipes/locks/lock.js';
import { SharedLock } from '../../../../recipes/locks/shared-lock.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { listPlaces } from './list-places.js';
import { commandArgument, recipePath, waitOption } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const lock = defineCommand({
  name: 'lock',
  group: 'recipes',
  summary: 'Run a command while holding a lock',
  description:
    "The exit status is the command's. If the lock is lost, the command gets SIGTERM, then SIGKILL before another client can hold the lock. The exit status is then 3. The command's environment has ZKSH_PATH and ZKSH_FENCING_TOKEN, a number that increases with every holder. Pass the token to the protected resource, which should reject smaller tokens than it has seen. --ls shows holders and waiters, with client addresses if the servers allow the word cons.",
  options: {
    shared: {
      summary: 'share the lock with other holders that use --shared',
    },
    wait: waitOption,
    ls: { summary: 'show the holders and waiters' },
  },
  args: { path: recipePath, command: { ...commandArgument, isOptional: true } },
  examples: [
    { line: 'lock /locks/deploy -- make deploy', summary: 'Allow one deployment at a time' },
    { line: 'lock /locks/data --shared -- ./report', summary: 'Read together with other readers' },
    {
      line: 'lock /locks/data --wait 5000 -- ./load',
      summary: 'Write alone, or give up after 5 seconds',
    },
    { line: 'lock --ls /locks/deploy', summary: 'Find the holder of a lock' },
  ],
  isMutating: true,
  isGraceful: true,
  isReading: ({ options }) => options.ls,
  check({ args, options, tokens }) {
    const hasCommand = args.command.length > 0;
    if (options.ls && hasCommand)
      throw usageError('lock: cannot combine --ls with a command', tokens.command);
    if (!options.ls && !hasCommand) {
      throw usageError('lock: missing command', tokens.path, {
        hint: 'usage: lock PATH -- COMMAND, or lock --ls PATH',
      });
    }
  },
  run(context, { args: { path, command }, options }): Promise<Result> {
    const { client, signal } = context;
    const limits = { signal, timeoutMs: options.wait };
    if (options.ls) return listPlaces(context, path);
    return inRecipe(context, async () => {
      const held = options.shared
        ? await new SharedLock(client, path).acquire('read', limits)
        : await new Lock(client, path).acquire(limits);
      return runWhileHeld(context, { path, words: command }, held);
    });
  },
});
