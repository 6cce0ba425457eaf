import { WatcherType } from '../../../../protocol/watch-event.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

const TYPES = {
  children: WatcherType.Children,
  data: WatcherType.Data,
  any: WatcherType.Any,
  persistent: WatcherType.Persistent,
  recursive: WatcherType.PersistentRecursive,
} as const;

export const removewatches = defineCommand({
  name: 'removewatches',
  group: 'znode',
  summary: 'Remove the watches of this session from a znode',
  options: {
    children: { letter: 'c', summary: 'remove child watches' },
    data: { letter: 'd', summary: 'remove data watches' },
    any: { letter: 'a', summary: 'remove all kinds of watches (default)' },
    persistent: { letter: 'p', summary: 'remove persistent watches' },
    recursive: { letter: 'r', summary: 'remove persistent recursive watches' },
    local: { letter: 'l', summary: 'without a connection, remove them from the client only' },
  },
  args: { path: { kind: 'path', summary: 'the znode' } },
  examples: [{ line: 'removewatches /app', summary: 'Remove all watches on /app' }],
  check({ options, tokens }) {
    const given = Object.entries(options).filter(([name, isGiven]) => isGiven && name !== 'local');
    if (given.length > 1) {
      throw usageError(
        'removewatches: expected only one of -c, -d, -a, -p, and -r',
        tokens[given[1]?.[0] as keyof typeof options],
      );
    }
  },
  async run(context, { options, args: { path } }): Promise<Result> {
    const kind = Object.entries(TYPES).find(([name]) => options[name as keyof typeof TYPES]);
    await context.client.removeWatches(path, kind?.[1] ?? WatcherType.Any, options.local);
    return { kind: 'done', done: 'removewatches', path };
  },
});
