import { hostname } from 'node:os';
import { LeaderElection, type Leadership } from '../../../../recipes/locks/leader-election.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { commandArgument, recipePath } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const elect = defineCommand({
  name: 'elect',
  group: 'recipes',
  summary: 'Run a command as the elected leader, or show the leader',
  description:
    "Joins the election and runs the command once elected. The exit status is the command's. If the leadership is lost, the command is terminated as with lock. --listen prints the id of each new leader until it is interrupted; an empty line means no leader.",
  options: {
    id: {
      kind: 'text',
      valueName: 'X',
      summary: 'the id that other participants see; default: host name:process id',
    },
    listen: { summary: 'print the leader, now and after each change' },
  },
  args: { path: recipePath, command: { ...commandArgument, isOptional: true } },
  examples: [
    {
      line: 'elect /leaders/cron --id web1 -- ./cron',
      summary: 'Run a service on one machine of many',
    },
    { line: 'elect /leaders/cron --listen', summary: 'Follow the leader' },
  ],
  isMutating: true,
  isGraceful: true,
  isReading: ({ options }) => options.listen,
  check({ args, options, tokens }) {
    const hasCommand = args.command.length > 0;
    if (options.listen && hasCommand)
      throw usageError('elect: cannot combine --listen with a command', tokens.command);
    if (!options.listen && !hasCommand) {
      const hint = 'usage: elect PATH -- COMMAND, or elect PATH --listen';
      throw usageError('elect: missing command', tokens.path, { hint });
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
    // lead() resigns afterwards.
    const release = async (): Promise<void> => undefined;
    return runWhileHeld(context, { path, words }, { ...leadership, release });
  };
  return election.lead({ signal: context.signal, onElected });
}

async function listen(context: CommandContext, election: LeaderElection): Promise<Result> {
  for await (const id of election.changes({ signal: context.signal })) {
    await context.emit({ kind: 'message', text: id ?? '', fields: { leader: id ?? null } });
  }
  return { kind: 'end' };
}
