import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { MANY_OPTIONS } from '../../paths/many-options.js';

export const touch = defineCommand({
  name: 'touch',
  group: 'znode',
  summary: 'Create a new version of a znode without changing its data',
  description:
    'Updates the mtime and triggers watches. If another client changes the data meanwhile, touch fails with exit status 7. A pattern asks for confirmation; a script must pass --yes.',
  options: {
    stat: { letter: 's', summary: 'print the new Stat' },
    ...MANY_OPTIONS,
  },
  args: {
    path: {
      kind: 'path',
      glob: 'parallel',
      summary: 'an existing znode, or a pattern',
    },
  },
  isMutating: true,
  hasGenericDryRun: true,
  examples: [
    { line: 'touch /app/config', summary: 'Make all watchers read a configuration again' },
  ],
  async run({ client }, { args: { path }, options }): Promise<Result> {
    const { data, stat } = await client.getData(path);
    const changed = await client.setData(path, data, stat.version);
    return { kind: 'changed', path, stat: changed, isStatShown: options.stat };
  },
});
