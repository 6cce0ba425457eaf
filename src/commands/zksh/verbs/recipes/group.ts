import { hostname } from 'node:os';
import { Group } from '../../../../recipes/group.js';
import { usageError } from '../../../program/command-error.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { commandArgument } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const group = defineCommand({
  name: 'group',
  group: 'recipes',
  summary: 'be a member of a group, or tell who is',
  description:
    'join is a member for as long as the command runs, whose exit code is that of zksh; without a command, until it is interrupted. ls prints the ids of the members, and with --follow again after each change.',
  options: {
    id: { kind: 'text', valueName: 'X', summary: 'of the member; default: host name:process id' },
    data: { letter: 'd', kind: 'text', summary: 'what the member tells of itself' },
    follow: { letter: 'f', summary: 'of ls: go on until it is interrupted' },
  },
  args: {
    action: { kind: 'text', choices: ['join', 'ls'], summary: 'what to do' },
    path: { kind: 'path', summary: 'the znode whose children are the members' },
    command: { ...commandArgument, isOptional: true },
  },
  examples: [
    { line: 'group join /web --id web1 -d host:80 -- ./server', summary: 'while the server runs' },
    { line: 'group ls /web', summary: 'who is there' },
  ],
  isMutating: true,
  isGraceful: true,
  isReading: ({ args }) => args.action === 'ls',
  check({ args, options, tokens }) {
    if (args.action === 'join') {
      if (options.follow) throw usageError('--follow is for ls, not for join', tokens.follow);
    } else if (args.command.length > 0) {
      throw usageError('ls runs no command', tokens.command);
    }
  },
  run(context, { args: { action, path, command }, options }): Promise<Result> {
    const members = new Group(context.client, path);
    return inRecipe(context, async () => {
      if (action === 'join') {
        const id = options.id ?? `${hostname()}:${process.pid}`;
        return join(context, members, { path, id, data: options.data ?? '', words: command });
      }
      if (!options.follow) return { kind: 'children', path, children: await members.ids() };
      for await (const ids of members.changes(context.signal)) {
        await context.emit({ kind: 'children', path, children: ids });
      }
      return { kind: 'end' };
    });
  },
});

interface Joining {
  readonly path: string;
  readonly id: string;
  readonly data: string;
  readonly words: readonly string[];
}

async function join(
  context: CommandContext,
  members: Group,
  { path, id, data, words }: Joining,
): Promise<Result> {
  const membership = await members.join(id, Buffer.from(data), context.signal);
  const holding = { signal: membership.signal, release: () => membership.leave() };
  if (words.length > 0) return runWhileHeld(context, { path, words }, holding);
  const over = AbortSignal.any([membership.signal, context.signal]);
  try {
    if (!over.aborted) {
      await new Promise<void>((resolve) => over.addEventListener('abort', () => resolve()));
    }
    throw over.reason;
  } finally {
    await membership.leave();
  }
}
