import { once } from 'node:events';
import { hostname } from 'node:os';
import { Group } from '../../../../recipes/groups/group.js';
import { defineFamily } from '../../../machine/subcommands.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { commandArgument } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

const groupPath = { kind: 'path', summary: 'the znode whose children are the members' } as const;

const join = defineCommand({
  name: 'group join',
  group: 'recipes',
  summary: 'Join a group',
  description:
    'The membership ends with the command, whose exit status becomes the exit status of zksh. Without a command, the membership lasts until interrupted.',
  options: {
    id: {
      kind: 'text',
      valueName: 'X',
      summary: 'the id of the member; default: host name:process id',
    },
    data: { letter: 'd', kind: 'text', summary: 'data to publish for the member' },
  },
  args: { path: groupPath, command: { ...commandArgument, isOptional: true } },
  examples: [
    {
      line: 'group join /web --id web1 -d host:80 -- ./server',
      summary: 'Register a server while it runs',
    },
  ],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path, command }, options }): Promise<Result> {
    const { client, signal } = context;
    const { id = `${hostname()}:${process.pid}`, data = '' } = options;
    return inRecipe(context, async () => {
      const membership = await new Group(client, path).join(id, Buffer.from(data), { signal });
      const holding = { signal: membership.signal, release: () => membership.leave() };
      if (command.length > 0) return runWhileHeld(context, { path, words: command }, holding);
      const over = AbortSignal.any([membership.signal, signal]);
      try {
        if (!over.aborted) await once(over, 'abort');
        throw over.reason;
      } finally {
        await membership.leave();
      }
    });
  },
});

const ls = defineCommand({
  name: 'group ls',
  group: 'recipes',
  summary: 'Print the ids of the members of a group',
  options: {
    follow: { letter: 'f', summary: 'print again after each change, until interrupted' },
  },
  args: { path: groupPath },
  examples: [{ line: 'group ls /web', summary: 'List the registered servers' }],
  isGraceful: true,
  run(context, { args: { path }, options }): Promise<Result> {
    const members = new Group(context.client, path);
    return inRecipe(context, async () => {
      if (!options.follow) return { kind: 'children', path, children: await members.ids() };
      for await (const ids of members.changes({ signal: context.signal })) {
        await context.emit({ kind: 'children', path, children: ids });
      }
      return { kind: 'end' };
    });
  },
});

export const group = defineFamily({
  name: 'group',
  group: 'recipes',
  summary: 'Join a group or list its members',
  subcommands: [join, ls],
});
