import { isWithin } from '../../../../protocol/path.js';
import { usageError } from '../../../program/command-error.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { amount, checkSink, checkSource, leftOut } from './copy-report.js';
import { existingRoot } from './existing-root.js';
import {
  AUTH_OPTION,
  destinationPath,
  isFile,
  isRemote,
  openTree,
  type TreePlace,
} from './place.js';
import { TreeSink } from './tree-sink.js';
import { TreeSource } from './tree-source.js';

export const cp = defineCommand({
  name: 'cp',
  group: 'move',
  summary: 'copy a znode, or a subtree, here or to another cluster',
  description:
    'Data and ACLs are copied; each ACL is set when all below its znode is there. Ephemerals are left out unless asked for. What is there already is refused, unless --resume finds it to be the same, or --overwrite makes it so. A destination that ends in / is where the copy goes under its own name. Containers and TTL nodes become persistent ones, since a server does not tell of them.',
  options: {
    recursive: { letter: 'R', summary: 'everything below, too' },
    overwrite: { summary: 'replace data and ACL of znodes that are there' },
    resume: { summary: 'pass over znodes that are there and the same' },
    'dry-run': { letter: 'n', summary: 'list what would be copied' },
    ephemerals: { letter: 'e', summary: 'make persistent znodes of ephemerals' },
    'no-acl': { summary: 'without ACLs: everybody may do everything' },
    ...AUTH_OPTION,
  },
  args: {
    from: { kind: 'place', summary: 'a path, or zk://host[:port][,...]/path' },
    to: { kind: 'place', summary: 'the same; its parent must exist' },
  },
  isMutating: true,
  examples: [
    { line: 'cp /app/config /app/config.old', summary: 'one znode' },
    { line: 'cp -R /app zk://other:2181/app', summary: 'a subtree to another cluster' },
  ],
  check({ args, options, tokens }) {
    for (const name of ['from', 'to'] as const) {
      if (isFile(args[name])) {
        throw usageError('dump writes files, and restore reads them', tokens[name]);
      }
    }
    if (options.overwrite && options.resume) {
      throw usageError('either --overwrite or --resume', tokens.resume);
    }
  },
  async run(context, { options, args, tokens }): Promise<Result> {
    const from = await openTree(context, args.from, options['send-auth']);
    const to = await openTree(context, args.to, options['send-auth']).catch(
      async (error: unknown) => {
        await from.close();
        throw error;
      },
    );
    try {
      const root = destinationPath(to.path, tokens.to?.text, from.path);
      if (from.isHere && to.isHere) refuseInside(from.path, root);
      return await copy(context, from, { ...to, path: root }, options);
    } finally {
      await Promise.all([from.close(), to.close()]);
    }
  },
});

export interface CopyOptions {
  readonly recursive: boolean;
  readonly overwrite: boolean;
  readonly resume: boolean;
  readonly 'dry-run': boolean;
  readonly ephemerals: boolean;
  readonly 'no-acl': boolean;
}

/** @throws CommandError USAGE for a copy into what is copied */
export function refuseInside(from: string, to: string): void {
  if (isWithin(to, from)) throw usageError(`${to} is ${from} itself, or below it`, undefined);
}

async function copy(
  context: CommandContext,
  from: TreePlace,
  to: TreePlace,
  options: CopyOptions,
): Promise<Result> {
  const source = new TreeSource(from.client, from.path, {
    signal: context.signal,
    hasAcls: !options['no-acl'],
    hasEphemerals: options.ephemerals,
    ...(options.recursive ? {} : { maxDepth: 0 }),
  });
  if (options['dry-run']) return listOnly(context, source, to);
  const onExisting = options.overwrite ? 'overwrite' : options.resume ? 'resume' : 'refuse';
  if (onExisting === 'refuse') await existingRoot(to.client, to.path);
  const total = options.recursive ? await source.count() : 1;
  const sink = new TreeSink(to.client, to.path, {
    signal: context.signal,
    onExisting,
    hasAcls: !options['no-acl'],
    progress: (count) =>
      context.progress?.({ done: 'copied', count, ...(total === undefined ? {} : { total }) }),
  });
  try {
    await sink.writeAll(source.records());
  } finally {
    context.progress?.(undefined);
  }
  checkSink(sink);
  checkSource(source);
  const { written, kept, bytes } = sink;
  const already = kept > 0 ? `, ${kept} there already` : '';
  const place = isRemote(to.name) ? to.name : to.path;
  return {
    kind: 'message',
    text: `Copied ${amount(written, bytes)} to ${place}${already}${leftOut(source)}`,
    fields: { copied: from.name, to: place, znodes: written, kept, bytes },
  };
}

async function listOnly(
  context: CommandContext,
  source: TreeSource,
  to: TreePlace,
): Promise<Result> {
  let [znodes, bytes] = [0, 0];
  for await (const { path, data } of source.records()) {
    znodes++;
    bytes += data?.length ?? 0;
    await context.emit({ kind: 'path', path: to.path === '/' ? path || '/' : `${to.path}${path}` });
  }
  checkSource(source);
  return {
    kind: 'message',
    text: `${amount(znodes, bytes)} would be copied${leftOut(source)}`,
    fields: { path: to.path, znodes, bytes, isDryRun: true },
  };
}
