import { defineCommand } from '../command.js';
import type { Result } from '../result.js';

export const whoami = defineCommand({
  name: 'whoami',
  group: 'acl',
  summary: 'show who the server takes this session for',
  options: {},
  args: {},
  examples: [{ line: 'whoami', summary: 'every scheme and user' }],
  async run(context): Promise<Result> {
    return { kind: 'identities', identities: await context.client.whoAmI() };
  },
});
