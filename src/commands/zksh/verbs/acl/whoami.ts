import type { ClientInfo } from '../../../../protocol/data.js';
import { compareNames } from '../../../znodes/walk.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const whoami = defineCommand({
  name: 'whoami',
  group: 'acl',
  summary: 'show who the server takes this session for',
  options: {},
  args: {},
  examples: [{ line: 'whoami', summary: 'every scheme and user' }],
  async run(context): Promise<Result> {
    const identities = [...(await context.client.whoAmI())];
    // A server gives them in any order.
    identities.sort((a, b) => compareNames(text(a), text(b)));
    return { kind: 'identities', identities };
  },
});

function text({ authScheme, user }: ClientInfo): string {
  return `${authScheme}:${user}`;
}
