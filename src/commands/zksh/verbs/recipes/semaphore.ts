import { Semaphore } from '../../../../recipes/synchronizers/semaphore.js';
import { SharedCount } from '../../../../recipes/values/shared-count.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { commandArgument, recipePath, waitOption } from './options.js';
import { inRecipe, runWhileHeld } from './while-held.js';

export const semaphore = defineCommand({
  name: 'semaphore',
  group: 'recipes',
  summary: 'Run a command while holding one of N permits',
  description:
    "The exit status is the command's. If the permit is lost, the command is terminated as with lock. All clients of a path must pass the same number of permits. With --permits-path, the number is four bytes in a znode, which may change at any time, as with Curator's SharedCount. --permits then is the number for a znode that does not exist.",
  options: {
    permits: {
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'the number of permits; default 1',
    },
    'permits-path': {
      kind: 'path',
      valueName: 'PATH',
      summary: 'the znode that has the number of permits',
    },
    wait: waitOption,
  },
  args: { path: recipePath, command: commandArgument },
  examples: [
    { line: 'semaphore /jobs --permits 4 -- ./job', summary: 'Run at most four jobs at a time' },
    {
      line: 'semaphore /jobs --permits-path /max-jobs --permits 4 -- ./job',
      summary: 'Keep the number of permits in a znode',
    },
    {
      line: 'set --base64 /max-jobs AAAACA==',
      summary: 'Change that number to 8',
    },
  ],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path, command }, options }): Promise<Result> {
    const { client, signal } = context;
    const { permits, 'permits-path': permitsPath } = options;
    return inRecipe(context, async () => {
      if (permitsPath !== undefined && permits !== undefined) {
        await new SharedCount(client, permitsPath).create(permits);
      }
      const line = new Semaphore(
        client,
        path,
        permitsPath === undefined ? { permits: permits ?? 1 } : { permitsPath },
      );
      const held = await line.acquire({ signal, timeoutMs: options.wait });
      return runWhileHeld(context, { path, words: command }, held);
    });
  },
});
