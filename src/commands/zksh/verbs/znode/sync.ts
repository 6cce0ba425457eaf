import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const sync = defineCommand({
  name: 'sync',
  group: 'znode',
  summary: 'wait until the server has caught up with the leader',
  description: 'What is read after it is at least as new as the moment it was asked for.',
  options: {},
  args: { path: { kind: 'path', isOptional: true, summary: 'default: the working path' } },
  examples: [{ line: 'sync /', summary: 'then read' }],
  async run(context, { args }): Promise<Result> {
    const path = args.path ?? context.session.cwd;
    await context.client.sync(path);
    return { kind: 'message', text: 'Sync is OK', fields: { synced: path } };
  },
});
