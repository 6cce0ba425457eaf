import { childPath } from '../../../../protocol/path.js';
import { PriorityQueue, Queue, type QueueItem } from '../../../../recipes/queues/queue.js';
import { defineFamily } from '../../../machine/subcommands.js';
import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { readValue } from '../../engine/read-value.js';
import { waitOption } from './options.js';
import { inRecipe } from './while-held.js';

const queuePath = { kind: 'path', summary: 'the znode of the queue' } as const;

const put = defineCommand({
  name: 'queue put',
  group: 'recipes',
  summary: 'Add an item to a queue',
  description: 'Items with a lower --priority are taken first. The default priority is 0.',
  options: {
    priority: {
      letter: 'p',
      kind: 'integer',
      valueName: 'N',
      min: 0,
      max: 0x7fff_ffff,
      summary: 'the priority of the item; 0 is the highest',
    },
  },
  args: {
    path: queuePath,
    data: { kind: 'data', isOptional: true, summary: 'the data of the item; default: no data' },
  },
  examples: [
    { line: "queue put /jobs 'build 42'", summary: 'Queue a job' },
    { line: 'queue put -p 1 /jobs urgent', summary: 'Queue a job with a priority' },
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
  summary: 'Wait for an item, remove it, and print its data',
  description: 'Each item is delivered to exactly one client.',
  options: { wait: waitOption },
  args: { path: queuePath },
  examples: [
    { line: 'queue take /jobs --wait 1000', summary: 'Take the next job, waiting up to a second' },
  ],
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
  summary: 'Print the data of the next item without removing it',
  description: 'If the queue is empty, the exit status is 4.',
  options: {},
  args: { path: queuePath },
  examples: [{ line: 'queue peek /jobs', summary: 'Preview the next job' }],
  run(context, { args: { path } }): Promise<Result> {
    return inRecipe(context, async () => {
      const item = await new Queue(context.client, path).peek();
      if (item !== undefined) return shown(path, item);
      const exitCode = ExitCode.noNode;
      throw new CommandError(`${path}: queue is empty`, { code: 'EMPTY', exitCode, path });
    });
  },
});

const ls = defineCommand({
  name: 'queue ls',
  group: 'recipes',
  summary: 'Print the names of the items, next item first',
  options: {},
  args: { path: queuePath },
  examples: [{ line: 'queue ls /jobs', summary: 'List the waiting jobs' }],
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
  summary: 'Add items to a queue and take them out',
  subcommands: [put, take, peek, ls],
});

function shown(path: string, { name, data }: QueueItem): Result {
  return { kind: 'data', path: childPath(path, name), data, view: 'text' };
}
