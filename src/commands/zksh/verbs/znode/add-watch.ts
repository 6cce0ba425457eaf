import { AddWatchMode } from '../../../../protocol/watch-event.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const addWatch = defineCommand({
  name: 'addWatch',
  group: 'znode',
  summary: 'Add a persistent watch',
  description:
    'Events appear while other commands run. removewatches removes the watch. After a reconnect, the client adds the watch again, but changes in between are not reported.',
  options: {
    mode: {
      letter: 'm',
      kind: 'text',
      choices: ['PERSISTENT', 'PERSISTENT_RECURSIVE'],
      summary: 'PERSISTENT, or PERSISTENT_RECURSIVE (default) to include all descendants',
    },
  },
  args: { path: { kind: 'path', summary: 'the znode; it does not have to exist' } },
  examples: [
    { line: 'addWatch -m PERSISTENT /app', summary: 'Watch /app without its descendants' },
  ],
  async run(context, { options, args: { path } }): Promise<Result> {
    const mode =
      options.mode === 'PERSISTENT' ? AddWatchMode.PERSISTENT : AddWatchMode.PERSISTENT_RECURSIVE;
    await context.client.addWatch(path, mode, (event) => context.notify({ kind: 'event', event }));
    return { kind: 'done', done: 'addWatch', path };
  },
});
