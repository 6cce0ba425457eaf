import { CommandError, ExitCode } from '../../../program/command-error.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Token } from '../../language/parse-line.js';
import type { Result } from '../../results/result.js';

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

function lacksPassword(scheme: string, auth: string): boolean {
  return scheme === 'digest' && auth !== '' && !auth.includes(':');
}

/** Whether these words cause a password prompt, which hides its input. */
export function asksForPassword([name, scheme, auth, ...rest]: readonly Token[]): boolean {
  if (name?.text !== addauth.name || auth === undefined || rest.length > 0) return false;
  return lacksPassword(scheme?.text ?? '', auth.text);
}

async function passwordOf(user: string, { askSecret }: CommandContext): Promise<string> {
  if (askSecret !== undefined) return askSecret(`Password of ${user}: `);
  throw new CommandError(`addauth: no terminal for the password prompt of ${user}`, {
    code: 'USAGE',
    exitCode: ExitCode.usage,
    hint: 'pass user:password, or set ZKSH_AUTH in the environment',
  });
}
