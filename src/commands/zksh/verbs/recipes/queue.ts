import { childPath } from '../../../../protocol/path.js';
import { PriorityQueue, Queue, type QueueItem } from '../../../../recipes/queue.js';
import { CommandError, ExitCode, usageError } from '../../../program/command-error.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { readValue } from '../../engine/read-value.js';
import type { Result } from '../../results/result.js';
import { waitOption } from './options.js';
import { inRecipe } from './while-held.js';

export const queue = defineCommand({
  name: 'queue',
  group: 'recipes',
  summary: 'put items into a queue, and take them out',
  description:
    'take waits for an item and prints its data; each item goes to one taker. peek leaves it where it is; exit code 4 says that there is none. ls prints the names of the items, the next one first. Items of a lower --priority come first, and those without one have 0.',
  options: {
    priority: {
      letter: 'p',
      kind: 'integer',
      valueName: 'N',
      min: 0,
      max: 0x7fff_ffff,
      summary: 'of the item that is put; 0 is the first',
    },
    wait: waitOption,
  },
  args: {
    action: { kind: 'text', choices: ['put', 'take', 'peek', 'ls'], summary: 'what to do' },
    path: { kind: 'path', summary: 'the znode that holds the items' },
    data: { kind: 'data', isOptional: true, summary: 'of the item that is put; default: none' },
  },
  examples: [
    { line: "queue put /jobs 'build 42'", summary: 'at the end' },
    { line: 'queue put -p 1 /jobs urgent', summary: 'before those of a higher number' },
    { line: 'queue take /jobs --wait 1000', summary: 'the next one, within a second' },
  ],
  isMutating: true,
  isGraceful: true,
  isReading: ({ args }) => args.action === 'peek' || args.action === 'ls',
  check({ args, options, tokens }) {
    if (args.action === 'put') return;
    if (args.data !== undefined) throw usageError(`${args.action} takes no data`, tokens.data);
    if (options.priority !== undefined) {
      throw usageError(`--priority is for put, not for ${args.action}`, tokens.priority);
    }
  },
  run(context, { args: { action, path, data }, options, tokens }): Promise<Result> {
    const { client, signal } = context;
    const items = new Queue(client, path);
    return inRecipe(context, async () => {
      switch (action) {
        case 'put': {
          const bytes = await readValue(context, data, false, tokens.data);
          await put(context, path, bytes ?? Buffer.alloc(0), options.priority);
          return { kind: 'done', done: 'queue put', path };
        }
        case 'take':
          return shown(path, await items.take({ signal, timeoutMs: options.wait }));
        case 'peek': {
          const item = await items.peek();
          if (item !== undefined) return shown(path, item);
          throw new CommandError(`${path} has no items`, {
            code: 'EMPTY',
            exitCode: ExitCode.noNode,
            path,
          });
        }
        default:
          return {
            kind: 'children',
            path,
            children: (await items.items()).map(({ name }) => name),
          };
      }
    });
  },
});

function put(
  { client }: CommandContext,
  path: string,
  data: Buffer,
  priority: number | undefined,
): Promise<void> {
  return priority === undefined
    ? new Queue(client, path).put(data)
    : new PriorityQueue(client, path).put(data, priority);
}

function shown(path: string, { name, data }: QueueItem): Result {
  return { kind: 'data', path: childPath(path, name), data, view: 'text' };
}
