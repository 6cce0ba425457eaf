import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const sync = defineCommand({
  name: 'sync',
  group: 'znode',
  summary: 'Wait until the server has caught up with the leader',
  description: 'Later reads are at least as new as the start of this command.',
  options: {},
  args: {
    path: { kind: 'path', isOptional: true, summary: 'the znode; default: the working path' },
  },
  examples: [{ line: 'sync /', summary: 'Catch up before a read that must be current' }],
  async run(context, { args }): Promise<Result> {
    const path = args.path ?? context.session.cwd;
    await context.client.sync(path);
    return { kind: 'message', text: 'Sync is OK', fields: { synced: path } };
  },
});
