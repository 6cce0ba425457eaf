import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { lacksPassword } from '../../engine/asks-for-password.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';

export const addauth = defineCommand({
  name: 'addauth',
  group: 'acl',
  summary: 'Authenticate this session',
  description:
    'For digest, auth is user:password. With only the user, addauth prompts for the password without showing it. The client sends the credentials again after a reconnect and drops them with the session. The history never records them.',
  options: {},
  args: {
    scheme: { kind: 'text', summary: 'digest, or another scheme of the server' },
    auth: { kind: 'secret', isOptional: true, summary: 'the credentials of the scheme' },
  },
  examples: [
    { line: 'addauth digest ann', summary: 'Authenticate as ann with a password prompt' },
    { line: 'addauth digest ann:secret', summary: 'Authenticate in a script' },
  ],
  async run(context, { args }): Promise<Result> {
    const { scheme, auth = '' } = args;
    const user = lacksPassword(scheme, auth) ? auth : undefined;
    const whole = user === undefined ? auth : `${user}:${await passwordOf(user, context)}`;
    await context.client.addAuth(scheme, whole);
    return { kind: 'done', done: 'addauth' };
  },
});

async function passwordOf(user: string, { askSecret }: CommandContext): Promise<string> {
  if (askSecret !== undefined) return askSecret(`Password of ${user}: `);
  throw new CommandError(`addauth: no terminal for the password prompt of ${user}`, {
    code: 'USAGE',
    exitCode: ExitCode.usage,
    hint: 'pass user:password, or set ZKSH_AUTH in the environment',
  });
}
