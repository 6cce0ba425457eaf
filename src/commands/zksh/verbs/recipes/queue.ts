import { childPath } from '../../../../protocol/path.js';
import { PriorityQueue, Queue, type QueueItem } from '../../../../recipes/queue.js';
import { CommandError, ExitCode } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import { readValue } from '../../engine/read-value.js';
import { defineFamily } from '../../engine/subcommands.js';
import type { Result } from '../../results/result.js';
import { waitOption } from './options.js';
import { inRecipe } from './while-held.js';

const queuePath = { kind: 'path', summary: 'the znode that holds the items' } as const;

const put = defineCommand({
  name: 'queue put',
  group: 'recipes',
  summary: 'put an item into a queue',
  description: 'Items of a lower --priority come first. Those without one have 0.',
  options: {
    priority: {
      letter: 'p',
      kind: 'integer',
      valueName: 'N',
      min: 0,
      max: 0x7fff_ffff,
      summary: 'of the item; 0 is the first',
    },
  },
  args: {
    path: queuePath,
    data: { kind: 'data', isOptional: true, summary: 'of the item; default: none' },
  },
  examples: [
    { line: "queue put /jobs 'build 42'", summary: 'at the end' },
    { line: 'queue put -p 1 /jobs urgent', summary: 'before those of a higher number' },
  ],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path, data }, options: { priority }, tokens }): Promise<Result> {
    const { client } = context;
    return inRecipe(context, async () => {
      const bytes = (await readValue(context, data, false, tokens.data)) ?? Buffer.alloc(0);
      if (priority === undefined) await new Queue(client, path).put(bytes);
      else await new PriorityQueue(client, path).put(bytes, priority);
      return { kind: 'done', done: 'queue put', path };
    });
  },
});

const take = defineCommand({
  name: 'queue take',
  group: 'recipes',
  summary: 'wait for an item, take it out and print its data',
  description: 'Each item goes to one taker.',
  options: { wait: waitOption },
  args: { path: queuePath },
  examples: [{ line: 'queue take /jobs --wait 1000', summary: 'the next one, within a second' }],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path }, options }): Promise<Result> {
    const { client, signal } = context;
    return inRecipe(context, async () =>
      shown(path, await new Queue(client, path).take({ signal, timeoutMs: options.wait })),
    );
  },
});

const peek = defineCommand({
  name: 'queue peek',
  group: 'recipes',
  summary: 'print the data of the next item, and leave it where it is',
  description: 'An empty queue makes the exit code 4.',
  options: {},
  args: { path: queuePath },
  examples: [{ line: 'queue peek /jobs', summary: 'what take would print' }],
  run(context, { args: { path } }): Promise<Result> {
    return inRecipe(context, async () => {
      const item = await new Queue(context.client, path).peek();
      if (item !== undefined) return shown(path, item);
      const exitCode = ExitCode.noNode;
      throw new CommandError(`${path} has no items`, { code: 'EMPTY', exitCode, path });
    });
  },
});

const ls = defineCommand({
  name: 'queue ls',
  group: 'recipes',
  summary: 'print the names of the items, the next one first',
  options: {},
  args: { path: queuePath },
  examples: [{ line: 'queue ls /jobs', summary: 'all that wait' }],
  run(context, { args: { path } }): Promise<Result> {
    return inRecipe(context, async () => {
      const items = await new Queue(context.client, path).items();
      return { kind: 'children', path, children: items.map(({ name }) => name) };
    });
  },
});

export const queue = defineFamily({
  name: 'queue',
  group: 'recipes',
  summary: 'put items into a queue, and take them out',
  subcommands: [put, take, peek, ls],
});

function shown(path: string, { name, data }: QueueItem): Result {
  return { kind: 'data', path: childPath(path, name), data, view: 'text' };
}
