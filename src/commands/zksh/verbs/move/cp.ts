import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { amount, checkSink, checkSource, leftOut } from '../../../trees/copy-report.js';
import { existingRoot } from '../../../trees/existing-root.js';
import { TreeSink } from '../../../trees/tree-sink.js';
import { TreeSource } from '../../../trees/tree-source.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import {
  AUTH_OPTION,
  destinationPath,
  isFile,
  isRemote,
  openTree,
  refuseInside,
  type TreePlace,
} from './place.js';

export const cp = defineCommand({
  name: 'cp',
  group: 'move',
  summary: 'Copy a znode or a subtree, within or between clusters',
  description:
    'Copies data and ACLs; a parent gets its ACL after all its descendants are copied. Ephemerals are skipped by default. If a znode exists at the destination, cp fails, unless --resume finds equal data or --overwrite replaces it. A destination that ends in / keeps the name of the source. Containers and TTL nodes become persistent, because servers do not report their type.',
  options: {
    recursive: { letter: 'R', summary: 'copy all descendants' },
    overwrite: { summary: 'replace data and ACLs of existing znodes' },
    resume: { summary: 'skip existing znodes with equal data' },
    'dry-run': { letter: 'n', summary: 'list the znodes without copying them' },
    ephemerals: { letter: 'e', summary: 'copy ephemerals as persistent znodes' },
    'no-acl': { summary: 'omit ACLs: all clients get all permissions' },
    ...AUTH_OPTION,
  },
  args: {
    from: { kind: 'place', summary: 'a path, or zk://host[:port][,...]/path' },
    to: { kind: 'place', summary: 'the destination, in the same form; its parent must exist' },
  },
  isMutating: true,
  examples: [
    { line: 'cp /app/config /app/config.old', summary: 'Keep the old configuration of /app' },
    { line: 'cp -R /app zk://other:2181/app', summary: 'Copy a subtree to another cluster' },
  ],
  check({ args, options, tokens }) {
    for (const name of ['from', 'to'] as const) {
      if (isFile(args[name])) {
        throw usageError('cp: cannot copy a file; use dump and restore', tokens[name]);
      }
    }
    if (options.overwrite && options.resume) {
      throw usageError('cp: expected only one of --overwrite and --resume', tokens.resume);
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
  const already = kept > 0 ? `, ${kept} unchanged` : '';
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
