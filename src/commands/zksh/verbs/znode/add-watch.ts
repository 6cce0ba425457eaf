import { AddWatchMode } from '../../../../protocol/watch-event.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const addWatch = defineCommand({
  name: 'addWatch',
  group: 'znode',
  summary: 'arm a watch that stays, and go on',
  description:
    'Events are shown while other commands run. removewatches ends it. The watch is armed again after a reconnect; what happened in between is not told.',
  options: {
    mode: {
      letter: 'm',
      kind: 'text',
      choices: ['PERSISTENT', 'PERSISTENT_RECURSIVE'],
      summary: 'PERSISTENT, or PERSISTENT_RECURSIVE (default) for everything below, too',
    },
  },
  args: { path: { kind: 'path', summary: 'the znode, which need not exist' } },
  examples: [{ line: 'addWatch -m PERSISTENT /app', summary: 'only /app itself' }],
  async run(context, { options, args: { path } }): Promise<Result> {
    const mode =
      options.mode === 'PERSISTENT' ? AddWatchMode.PERSISTENT : AddWatchMode.PERSISTENT_RECURSIVE;
    await context.client.addWatch(path, mode, (event) => context.notify({ kind: 'event', event }));
    return { kind: 'done', done: 'addWatch', path };
  },
});
