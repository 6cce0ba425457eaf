import type { ZooKeeperClient } from '../../../../client/client.js';
import { isWithin } from '../../../../protocol/path.js';
import { CommandError, ExitCode } from '../../../program/command-error.js';
import { isCode } from '../../../znodes/is-code.js';
import { partialError, walk } from '../../../znodes/walk.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { confirmMany } from '../../paths/confirm-many.js';
import type { Result } from '../../results/result.js';

const DEFAULT_BATCH = 1000;

export const deleteall = defineCommand({
  name: 'deleteall',
  group: 'znode',
  summary: 'delete a znode and everything below it',
  description:
    'It says how many there are, with a sample, and asks; a script says --yes, or is refused. Children go before their parents. What cannot be deleted is named, and makes the exit code 9. The root and /zookeeper are refused.',
  options: {
    yes: { letter: 'y', summary: 'do not ask' },
    'dry-run': { letter: 'n', summary: 'list what would be deleted' },
    batch: {
      letter: 'b',
      kind: 'integer',
      valueName: 'SIZE',
      min: 1,
      max: 1_000_000,
      summary: 'deletes in flight at a time, default 1000',
    },
  },
  args: {
    path: { kind: 'path', glob: 'serial', summary: 'the highest znode to go, or a pattern' },
  },
  isMutating: true,
  examples: [
    { line: 'deleteall -n /app', summary: 'look first' },
    { line: 'deleteall /app', summary: 'then do it' },
    { line: 'deleteall /jobs/done-*', summary: 'each that fits, with all below' },
  ],
  check({ args, tokens }) {
    if (args.path === '/' || isWithin(args.path, '/zookeeper')) {
      throw new CommandError(`deleteall never deletes ${args.path}`, {
        code: 'GUARDED',
        exitCode: ExitCode.usage,
        path: args.path,
        place: tokens.path,
        hint: "it holds the server's own znodes; name those to delete one by one",
      });
    }
  },
  run: (context, { options, args: { path } }) => deleteBelow(context, path, [path], options),
  runMany: (context, { options, tokens }, paths) =>
    deleteBelow(context, tokens.path?.text ?? '', paths, options),
});

interface Flags {
  readonly yes: boolean;
  readonly 'dry-run': boolean;
  readonly batch: number | undefined;
}

/** @param path what was typed */
async function deleteBelow(
  context: CommandContext,
  path: string,
  roots: readonly string[],
  options: Flags,
): Promise<Result> {
  const paths = await collect(context, roots);
  if (options['dry-run']) {
    for (const found of paths) await context.emit({ kind: 'path', path: found });
    return { kind: 'deleted', path, count: paths.length, isDryRun: true };
  }
  if (!options.yes && !context.session.isDryRun) {
    await confirmMany(context, { verb: 'delete', done: 'deleted', command: 'deleteall', paths });
  }
  paths.reverse();
  const count = await deleteInOrder(context, paths, options.batch ?? DEFAULT_BATCH);
  return { kind: 'deleted', path, count, isDryRun: false };
}

/** Each once: a pattern may fit what is below another znode that it fits. */
async function collect(context: CommandContext, roots: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  let last: string | undefined;
  for (const root of roots) {
    if (last !== undefined && isWithin(root, last)) continue;
    last = root;
    for await (const { path } of walk(context.client, root, context.signal)) paths.push(path);
  }
  return paths;
}

/**
 * A server does what one session asks in the order asked, so children can be sent right before
 * their parents without waiting for the answers.
 */
async function deleteInOrder(
  context: CommandContext,
  paths: readonly string[],
  batch: number,
): Promise<number> {
  const failures: { path: string; error: unknown }[] = [];
  let count = 0;
  for (let at = 0; at < paths.length && !context.signal.aborted; at += batch) {
    const slice = paths.slice(at, at + batch);
    const outcomes = await Promise.all(slice.map((path) => deleteOne(context.client, path)));
    for (const [index, error] of outcomes.entries()) {
      if (error === undefined) count++;
      else if (!isCode(error, 'NONODE')) failures.push({ path: slice[index] ?? '', error });
    }
    const fatal = failures.find(({ error }) => !isRefusal(error));
    if (fatal !== undefined) throw fatal.error;
  }
  // A parent fails only because its child did; the child is what to name.
  const causes = failures.filter(({ error }) => !isCode(error, 'NOTEMPTY'));
  if (failures.length > 0) {
    throw partialError(
      `deleted ${count} of ${paths.length} znodes, not all`,
      causes.length > 0 ? causes : failures,
    );
  }
  return count;
}

async function deleteOne(client: ZooKeeperClient, path: string): Promise<unknown> {
  try {
    await client.delete(path, -1);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Is the error about this one znode, so that the others are worth trying? */
function isRefusal(error: unknown): boolean {
  return isCode(error, 'NOTEMPTY') || isCode(error, 'NOAUTH');
}
