import { hostname } from 'node:os';
import { LeaderElection, type Leadership } from '../../../../recipes/leader-election.js';
import { usageError } from '../../../program/command-error.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { commandArgument, recipePath } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const elect = defineCommand({
  name: 'elect',
  group: 'recipes',
  summary: 'run a command while leading, or tell who leads',
  description:
    "Stands for election, and runs the command once elected; the exit code is the command's own. When the leadership is lost, the command is ended as by lock. With --listen it prints the id of each leader until it is interrupted; an empty line says that nobody leads.",
  options: {
    id: {
      kind: 'text',
      valueName: 'X',
      summary: 'what others are told; default: host name:process id',
    },
    listen: { summary: 'tell who leads, now and after each change' },
  },
  args: { path: recipePath, command: { ...commandArgument, isOptional: true } },
  examples: [
    { line: 'elect /leaders/cron --id web1 -- ./cron', summary: 'on one machine of many' },
    { line: 'elect /leaders/cron --listen', summary: 'who it is' },
  ],
  isMutating: true,
  isGraceful: true,
  isReading: ({ options }) => options.listen,
  check({ args, options, tokens }) {
    const hasCommand = args.command.length > 0;
    if (options.listen && hasCommand) throw usageError('--listen runs no command', tokens.command);
    if (!options.listen && !hasCommand) {
      const hint = 'elect PATH -- COMMAND, or elect PATH --listen';
      throw usageError('elect needs a command', tokens.path, hint);
    }
  },
  run(context, { args: { path, command }, options }): Promise<Result> {
    const id = options.id ?? `${hostname()}:${process.pid}`;
    const election = new LeaderElection(context.client, path, { id });
    return inRecipe(context, () =>
      options.listen ? listen(context, election) : lead(context, election, path, command),
    );
  },
});

async function lead(
  context: CommandContext,
  election: LeaderElection,
  path: string,
  words: readonly string[],
): Promise<Result> {
  const onElected = async (leadership: Leadership): Promise<Result> => {
    await leadership.acknowledge();
    // lead() resigns when this is over.
    const release = async (): Promise<void> => undefined;
    return runWhileHeld(context, { path, words }, { ...leadership, release });
  };
  return election.lead({ signal: context.signal, onElected });
}

async function listen(context: CommandContext, election: LeaderElection): Promise<Result> {
  for await (const id of election.changes(context.signal)) {
    await context.emit({ kind: 'message', text: id ?? '', fields: { leader: id ?? null } });
  }
  return { kind: 'end' };
}
