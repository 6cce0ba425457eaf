import { CommandError, ExitCode } from '../../../program/command-error.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Token } from '../../language/parse-line.js';
import type { Result } from '../../results/result.js';

export const addauth = defineCommand({
  name: 'addauth',
  group: 'acl',
  summary: 'authenticate this session',
  description:
    'For digest, auth is user:password; with the user alone the password is asked for, and not shown. It is sent again after a reconnect and forgotten with the session; no history keeps it.',
  options: {},
  args: {
    scheme: { kind: 'text', summary: 'the scheme: digest, or another that the server has' },
    auth: { kind: 'secret', isOptional: true, summary: 'what the scheme asks for' },
  },
  examples: [
    { line: 'addauth digest ann', summary: 'be ann, and be asked for her password' },
    { line: 'addauth digest ann:secret', summary: 'the same, in a script' },
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

/** Will these words make it ask, so that what is typed next must not be shown? */
export function asksForPassword([name, scheme, auth, ...rest]: readonly Token[]): boolean {
  if (name?.text !== addauth.name || auth === undefined || rest.length > 0) return false;
  return lacksPassword(scheme?.text ?? '', auth.text);
}

async function passwordOf(user: string, { askSecret }: CommandContext): Promise<string> {
  if (askSecret !== undefined) return askSecret(`password of ${user}: `);
  throw new CommandError(`there is no terminal to ask for the password of ${user}`, {
    code: 'USAGE',
    exitCode: ExitCode.usage,
    hint: 'addauth digest user:password, or ZKSH_AUTH in the environment',
  });
}
