import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const getAcl = defineCommand({
  name: 'getAcl',
  group: 'acl',
  summary: 'Print the ACL of a znode',
  options: { stat: { letter: 's', summary: 'also print the Stat' } },
  args: {
    path: {
      kind: 'path',
      glob: 'parallel',
      isOptional: true,
      summary: 'the znode, or a pattern; default: the working path',
    },
  },
  examples: [{ line: 'getAcl /app', summary: 'Print the ACL of /app' }],
  async run(context, { options, args }): Promise<Result> {
    const path = args.path ?? context.session.cwd;
    const { acl, stat } = await context.client.getACL(path);
    return { kind: 'acl', path, acl, ...(options.stat ? { stat } : {}) };
  },
});
