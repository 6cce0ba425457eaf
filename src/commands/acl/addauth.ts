import { defineCommand } from '../command.js';
import type { Result } from '../result.js';

export const addauth = defineCommand({
  name: 'addauth',
  group: 'acl',
  summary: 'authenticate this session',
  description:
    'For digest, auth is user:password. It is sent again after a reconnect and forgotten with the session; no history keeps it.',
  options: {},
  args: {
    scheme: { kind: 'text', summary: 'the scheme: digest, or another that the server has' },
    auth: { kind: 'secret', isOptional: true, summary: 'what the scheme asks for' },
  },
  examples: [{ line: 'addauth digest ann:secret', summary: 'be ann' }],
  async run(context, { args }): Promise<Result> {
    await context.client.addAuth(args.scheme, args.auth ?? '');
    return { kind: 'done', done: 'addauth' };
  },
});
