import { ZooKeeperError } from '../../../../client/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { CommandError, ExitCode } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const browse = defineCommand({
  name: 'browse',
  group: 'znode',
  summary: 'look through the tree on the full screen',
  description:
    'The tree on one side, the value of the selected znode on the other: as text, JSON or hex. Arrows move, open and close; Tab goes to the value and back; / finds a name; q leaves. What is shown is kept as it is on the server. Only at the prompt.',
  options: {},
  args: { path: { kind: 'path', isOptional: true, summary: 'where to begin; default: here' } },
  examples: [{ line: 'browse /app', summary: 'look at what is below /app' }],
  async run(context, { args }): Promise<Result> {
    if (context.browse === undefined) {
      throw new CommandError('browse needs the interactive shell', {
        code: 'USAGE',
        exitCode: ExitCode.usage,
        hint: 'start zksh without -c and -f, on a terminal; ls -R lists a tree',
      });
    }
    const path = args.path ?? context.session.cwd;
    const stat = await context.client.exists(path);
    if (stat === null) throw new ZooKeeperError(ErrorCode.NONODE, path);
    await context.browse(path);
    return { kind: 'done', done: 'browse', path };
  },
});
