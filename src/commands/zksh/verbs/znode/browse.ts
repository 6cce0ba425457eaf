import { ZooKeeperError } from '../../../../client/base/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const browse = defineCommand({
  name: 'browse',
  group: 'znode',
  summary: 'Browse the tree in full screen',
  description:
    'One pane shows the tree, the other the selected value as text, JSON, or hex. The arrow keys move, expand, and collapse. Tab switches panes, / searches for a name, and q quits. The view follows changes on the server. Works only at the interactive prompt.',
  options: {},
  args: {
    path: { kind: 'path', isOptional: true, summary: 'where to start; default: the working path' },
  },
  examples: [{ line: 'browse /app', summary: 'Browse the subtree of /app' }],
  async run(context, { args }): Promise<Result> {
    if (context.browse === undefined) {
      throw new CommandError('browse: available only at the interactive prompt', {
        code: 'USAGE',
        exitCode: ExitCode.usage,
        hint: 'start zksh on a terminal without -c and -f; in a script, use ls -R',
      });
    }
    const path = args.path ?? context.session.cwd;
    const stat = await context.client.exists(path);
    if (stat === null) throw new ZooKeeperError(ErrorCode.NONODE, path);
    await context.browse(path);
    return { kind: 'done', done: 'browse', path };
  },
});
