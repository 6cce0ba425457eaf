import { Lock } from '../../../../recipes/lock.js';
import { SharedLock } from '../../../../recipes/shared-lock.js';
import { usageError } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { listPlaces } from './list-places.js';
import { commandArgument, recipePath, waitOption } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const lock = defineCommand({
  name: 'lock',
  group: 'recipes',
  summary: 'run a command while holding a lock',
  description:
    "The exit code is the command's own. When the lock is lost, the command gets SIGTERM and, if it does not end, SIGKILL before anybody else can hold the lock; the exit code is 3 then. In its environment are ZKSH_PATH and ZKSH_FENCING_TOKEN, a number that is greater for every later holder: give it to what the lock protects, which should refuse a smaller one than it has seen. --ls shows who holds and who waits, with the addresses of the clients where the servers tell them (the words cons or dump).",
  options: {
    shared: {
      summary: 'hold it together with others that say --shared; whoever does not holds it alone',
    },
    wait: waitOption,
    ls: { summary: 'show who holds it and who waits' },
  },
  args: { path: recipePath, command: { ...commandArgument, isOptional: true } },
  examples: [
    { line: 'lock /locks/deploy -- make deploy', summary: 'one deployment at a time' },
    { line: 'lock /locks/data --shared -- ./report', summary: 'with other readers' },
    { line: 'lock /locks/data --wait 5000 -- ./load', summary: 'alone, or not at all' },
    { line: 'lock --ls /locks/deploy', summary: 'who holds it, who waits' },
  ],
  isMutating: true,
  isGraceful: true,
  isReading: ({ options }) => options.ls,
  check({ args, options, tokens }) {
    const hasCommand = args.command.length > 0;
    if (options.ls && hasCommand) throw usageError('--ls runs no command', tokens.command);
    if (!options.ls && !hasCommand) {
      throw usageError(
        'lock needs a command',
        tokens.path,
        'lock PATH -- COMMAND, or lock --ls PATH',
      );
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
