import { ZooKeeperError } from '../../../../client/base/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const cd = defineCommand({
  name: 'cd',
  group: 'shell',
  summary: 'Change the working path',
  description:
    'Relative paths start at the working path. cd - returns to the previous path; cd alone goes to the root.',
  options: {},
  args: { path: { kind: 'path', isOptional: true, summary: 'a path, .., or -; default: /' } },
  examples: [
    { line: 'cd /app', summary: 'Work with paths relative to /app' },
    { line: 'cd -', summary: 'Return to the previous path' },
  ],
  async run(context, { args, tokens }): Promise<Result> {
    const { session } = context;
    const isBack = tokens.path?.text === '-' && !tokens.path.isQuoted;
    if (isBack && session.previousCwd === undefined) {
      throw usageError('cd: no previous path', tokens.path);
    }
    const path = isBack ? (session.previousCwd ?? '/') : (args.path ?? '/');
    if (path !== '/' && (await context.client.exists(path)) === null) {
      throw new ZooKeeperError(ErrorCode.NONODE, path);
    }
    session.changePath(path);
    return isBack
      ? { kind: 'message', text: path, fields: { path } }
      : { kind: 'done', done: 'cd', path };
  },
});
