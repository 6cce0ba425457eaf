import { CommandError, usageError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { compareRecords } from '../../../trees/compare-records.js';
import { amount, checkSink } from '../../../trees/copy-report.js';
import { type DumpOptions, DumpSource } from '../../../trees/dump-file.js';
import { DUMP_FORMATS, FORMAT_OPTION } from '../../../trees/dump-format.js';
import { existingRoot } from '../../../trees/existing-root.js';
import { TreeSink } from '../../../trees/tree-sink.js';
import { TreeSource } from '../../../trees/tree-source.js';
import type { ZnodeRecord } from '../../../trees/znode-record.js';
import type { CommandContext } from '../../engine/command.js';
import { defineCommand } from '../../engine/command.js';

export const restore = defineCommand({
  name: 'restore',
  group: 'move',
  summary: 'Restore znodes from a dump',
  description:
    'Creates parents first; a parent gets its ACL after all its descendants are restored. If a znode already exists, restore fails, unless --resume finds equal data or --overwrite replaces it. Nothing is ever deleted. Versions, times, and sequence numbers start over. Use --resume to continue an interrupted restore. Znodes that could not be written are reported, with exit status 9.',
  options: {
    overwrite: { summary: 'replace data and ACLs of existing znodes' },
    resume: { summary: 'skip existing znodes with equal data' },
    'dry-run': { letter: 'n', summary: 'read the dump and print its totals without restoring it' },
    verify: { summary: 'compare the tree with the dump after the restore' },
    ephemerals: { letter: 'e', summary: 'restore ephemerals as persistent znodes' },
    'no-acl': { summary: 'omit ACLs: all clients get all permissions' },
    ...FORMAT_OPTION,
    partial: { summary: 'accept an incomplete dump' },
  },
  args: {
    file: { kind: 'file', summary: 'the dump file or folder, or - for standard input' },
    path: {
      kind: 'path',
      isOptional: true,
      summary: 'the destination; default: the path that was dumped',
    },
  },
  isMutating: true,
  examples: [
    { line: 'restore app.dump', summary: 'Restore a dump to its original path' },
    {
      line: 'restore --verify app.dump /copy',
      summary: 'Restore to another path and verify the result',
    },
    { line: 'restore -n app.dump', summary: 'Check a dump before a restore' },
  ],
  check({ options, tokens }) {
    if (options.overwrite && options.resume) {
      throw usageError('restore: expected only one of --overwrite and --resume', tokens.resume);
    }
  },
  async run(context, { options, args }): Promise<Result> {
    const { source, total } = await openDump(context, args.file, {
      format: DUMP_FORMATS.find((name) => name === options.format),
      isPartial: options.partial,
    });
    const root = args.path ?? (await source.readHead()).root;
    if (options['dry-run']) return dryRun(context, source, root, options.ephemerals);
    const onExisting = options.overwrite ? 'overwrite' : options.resume ? 'resume' : 'refuse';
    if (onExisting === 'refuse') await existingRoot(context.client, root);
    const sink = new TreeSink(context.client, root, {
      signal: context.signal,
      onExisting,
      hasAcls: !options['no-acl'],
      progress: (count) =>
        context.progress?.({
          done: 'restored',
          count,
          ...(total === undefined ? {} : { total }),
        }),
    });
    try {
      await sink.writeAll(chosen(source.records(), options.ephemerals));
    } finally {
      context.progress?.(undefined);
    }
    checkSink(sink);
    if (options.verify) await verify(context, source, root, options);
    const { written, kept, bytes } = sink;
    const already = kept > 0 ? `, ${kept} unchanged` : '';
    return {
      kind: 'message',
      text: `Restored ${amount(written, bytes)} to ${root}${already}${options.verify ? ', verified' : ''}`,
      fields: { restored: root, znodes: written, kept, bytes, isVerified: options.verify },
    };
  },
});

async function openDump(
  context: CommandContext,
  file: string,
  options: DumpOptions,
): Promise<{ readonly source: DumpSource; readonly total: number | undefined }> {
  if (file === '-') {
    const source = await DumpSource.ofBytes(await context.readInput(), options);
    return { source, total: undefined };
  }
  const source = await DumpSource.ofFile(file, options);
  await source.readHead();
  const end = await source.readEnd();
  if (options.isPartial !== true && end === undefined) {
    throw new CommandError(`${file}: incomplete dump`, {
      code: 'BADDUMP',
      exitCode: ExitCode.usage,
      hint: 'complete it with dump --resume, or restore it with --partial',
    });
  }
  return { source, total: end?.znodes || undefined };
}

async function* chosen(
  records: AsyncGenerator<ZnodeRecord>,
  hasEphemerals: boolean,
): AsyncGenerator<ZnodeRecord> {
  for await (const record of records) {
    if (record.mode !== 'ephemeral') yield record;
    else if (hasEphemerals) yield { ...record, mode: 'persistent' };
  }
}

async function dryRun(
  context: CommandContext,
  source: DumpSource,
  root: string,
  hasEphemerals: boolean,
): Promise<Result> {
  let [znodes, bytes, existing] = [0, 0, 0];
  for await (const { path, data } of chosen(source.records(), hasEphemerals)) {
    if (context.signal.aborted) break;
    znodes++;
    bytes += data?.length ?? 0;
    const place = root === '/' ? path || '/' : `${root}${path}`;
    if ((await context.client.exists(place)) !== null) existing++;
  }
  return {
    kind: 'message',
    text: `${amount(znodes, bytes)} would be restored to ${root}; ${existing} already exist`,
    fields: { path: root, znodes, bytes, existing, isDryRun: true },
  };
}

async function verify(
  context: CommandContext,
  dump: DumpSource,
  root: string,
  options: { readonly ephemerals: boolean; readonly 'no-acl': boolean },
): Promise<void> {
  const hasAcls = !options['no-acl'];
  const tree = new TreeSource(context.client, root, {
    signal: context.signal,
    hasAcls,
    hasEphemerals: false,
  });
  const different: string[] = [];
  for await (const { path, left } of compareRecords(
    chosen(dump.records(), options.ephemerals),
    tree.records(),
  )) {
    // Ignore znodes that exist only in the tree.
    if (left !== undefined) different.push(path === '' ? '/' : path);
  }
  if (different.length === 0) return;
  throw new CommandError(
    `${different.length} znodes differ from the dump: ${different.slice(0, 3).join(', ')}`,
    { code: 'DIFFERENT', exitCode: ExitCode.partial, hint: 'run diff to show the differences' },
  );
}
