import type { ClientInfo } from '../../../../protocol/data.js';
import { compareNames } from '../../../../protocol/path.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const whoami = defineCommand({
  name: 'whoami',
  group: 'acl',
  summary: 'Print the identities of this session',
  options: {},
  args: {},
  examples: [{ line: 'whoami', summary: 'Print scheme and user of each identity' }],
  async run(context): Promise<Result> {
    const identities = [...(await context.client.whoAmI())];
    // The order of the server varies.
    identities.sort((a, b) => compareNames(text(a), text(b)));
    return { kind: 'identities', identities };
  },
});

function text({ authScheme, user }: ClientInfo): string {
  return `${authScheme}:${user}`;
}
