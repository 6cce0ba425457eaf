import type { ZooKeeperClient } from '../../../../client/base/client.js';
import { isCode } from '../../../../client/base/errors.js';
import { walkTree } from '../../../../client/znodes/walk.js';
import { isWithin } from '../../../../protocol/path.js';
import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { partialError } from '../../../znodes/partial-error.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { confirmMany } from '../../paths/confirm-many.js';

const DEFAULT_BATCH = 1000;

export const deleteall = defineCommand({
  name: 'deleteall',
  group: 'znode',
  summary: 'Delete a znode and all its descendants',
  description:
    'Shows the number of znodes and a sample, then asks for confirmation. A script must pass --yes. A single znode without children needs neither, as with delete. Children are deleted before their parents. Znodes that cannot be deleted are reported, with exit status 9. The root and /zookeeper are never deleted.',
  options: {
    yes: { letter: 'y', summary: 'skip the confirmation' },
    'dry-run': { letter: 'n', summary: 'list the znodes without deleting them' },
    batch: {
      letter: 'b',
      kind: 'integer',
      valueName: 'SIZE',
      min: 1,
      max: 1_000_000,
      summary: 'maximum number of deletes in flight; default 1000',
    },
  },
  args: {
    path: { kind: 'path', glob: 'serial', summary: 'the root of the subtree, or a pattern' },
  },
  isMutating: true,
  examples: [
    { line: 'deleteall -n /app', summary: 'Preview a delete' },
    { line: 'deleteall /app', summary: 'Delete a subtree' },
    { line: 'deleteall /jobs/done-*', summary: 'Delete every subtree that matches a pattern' },
  ],
  check({ args, tokens }) {
    if (args.path === '/' || isWithin(args.path, '/zookeeper')) {
      throw new CommandError(`deleteall: refuses to delete a system path: ${args.path}`, {
        code: 'GUARDED',
        exitCode: ExitCode.usage,
        path: args.path,
        place: tokens.path,
        hint: "it contains the server's own znodes; delete other znodes by their paths",
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

/** @param path as typed */
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
  const isLikeDelete = paths.length === 1 && path === paths[0];
  if (!options.yes && !context.session.isDryRun && !isLikeDelete) {
    await confirmMany(context, { verb: 'Delete', command: 'deleteall', paths });
  }
  paths.reverse();
  const count = await deleteInOrder(context, paths, options.batch ?? DEFAULT_BATCH);
  const only = count === 1 ? roots[0] : undefined;
  return { kind: 'deleted', path: only ?? path, count, isDryRun: false };
}

/** Lists each znode once, because a pattern may match a znode and its descendants. */
async function collect(context: CommandContext, roots: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  let last: string | undefined;
  for (const root of roots) {
    if (last !== undefined && isWithin(root, last)) continue;
    last = root;
    for await (const { path } of walkTree(context.client, root, { signal: context.signal }))
      paths.push(path);
  }
  return paths;
}

/** Sends deletes without waiting: a server processes the requests of one session in order. */
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
  // A parent fails only because its child failed, so report the child.
  const causes = failures.filter(({ error }) => !isCode(error, 'NOTEMPTY'));
  if (failures.length > 0) {
    throw partialError(
      `deleteall: deleted only ${count} of ${paths.length} znodes`,
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

/** Whether the error concerns only this znode, so that the others can still be deleted. */
function isRefusal(error: unknown): boolean {
  return isCode(error, 'NOTEMPTY') || isCode(error, 'NOAUTH');
}
