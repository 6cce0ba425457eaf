import { defineCommand } from '../../engine/command.js';
import { MANY_OPTIONS } from '../../paths/many-options.js';
import type { Result } from '../../results/result.js';

export const touch = defineCommand({
  name: 'touch',
  group: 'znode',
  summary: 'set the data of a znode to what it is, which makes a new version',
  description:
    'Those who watch it are told, and its mtime is now. If somebody changes the data meanwhile, nothing is set, with exit code 7. A pattern asks first; a script says --yes, or is refused.',
  options: {
    stat: { letter: 's', summary: 'show the new stat' },
    ...MANY_OPTIONS,
  },
  args: {
    path: {
      kind: 'path',
      glob: 'parallel',
      summary: 'the znode, which has to exist, or a pattern',
    },
  },
  isMutating: true,
  isDryRunTold: true,
  examples: [{ line: 'touch /app/config', summary: 'have everybody read it again' }],
  async run({ client }, { args: { path }, options }): Promise<Result> {
    const { data, stat } = await client.getData(path);
    const changed = await client.setData(path, data, stat.version);
    return { kind: 'changed', path, stat: changed, isStatShown: options.stat };
  },
});
