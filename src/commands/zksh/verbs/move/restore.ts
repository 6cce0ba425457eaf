import { CommandError, ExitCode, usageError } from '../../../program/command-error.js';
import type { CommandContext } from '../../engine/command.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { compareRecords } from './compare-records.js';
import { amount, checkSink } from './copy-report.js';
import { type DumpOptions, DumpSource } from './dump-file.js';
import { DUMP_FORMATS, FORMAT_OPTION } from './dump-format.js';
import { existingRoot } from './existing-root.js';
import { TreeSink } from './tree-sink.js';
import { TreeSource } from './tree-source.js';
import type { ZnodeRecord } from './znode-record.js';

export const restore = defineCommand({
  name: 'restore',
  group: 'move',
  summary: 'make the znodes of a dump',
  description:
    'Parents first; each ACL is set when all below its znode is there. What is there already is refused, unless --resume finds it to be the same, or --overwrite makes it so; nothing is ever deleted. Versions and times start anew, and so do the numbers of sequential names. An interrupted restore goes on with --resume. What could not be written is named, and makes the exit code 9.',
  options: {
    overwrite: { summary: 'replace data and ACL of znodes that are there' },
    resume: { summary: 'pass over znodes that are there and the same' },
    'dry-run': { letter: 'n', summary: 'only read the dump, and say what is in it' },
    verify: { summary: 'compare the tree with the dump afterwards' },
    ephemerals: { letter: 'e', summary: 'make persistent znodes of the ephemerals in the dump' },
    'no-acl': { summary: 'without ACLs: everybody may do everything' },
    ...FORMAT_OPTION,
    partial: { summary: 'take a dump that was interrupted, as far as it goes' },
  },
  args: {
    file: { kind: 'file', summary: 'the dump, a file or a folder, or - for standard input' },
    path: { kind: 'path', isOptional: true, summary: 'where; default: where it was dumped' },
  },
  isMutating: true,
  examples: [
    { line: 'restore app.dump', summary: 'where it came from' },
    { line: 'restore --verify app.dump /copy', summary: 'elsewhere, and compare' },
    { line: 'restore -n app.dump', summary: 'look first' },
  ],
  check({ options, tokens }) {
    if (options.overwrite && options.resume) {
      throw usageError('either --overwrite or --resume', tokens.resume);
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
    const already = kept > 0 ? `, ${kept} there already` : '';
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
    throw new CommandError(`${file} is not complete: the dump was interrupted`, {
      code: 'BADDUMP',
      exitCode: ExitCode.usage,
      hint: 'dump --resume ends it; restore --partial takes what is there',
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
    text: `${amount(znodes, bytes)} would be restored to ${root}; ${existing} are there already`,
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
    // What is there besides was there before, or came since.
    if (left !== undefined) different.push(path === '' ? '/' : path);
  }
  if (different.length === 0) return;
  throw new CommandError(
    `${different.length} znodes are not as the dump has them: ${different.slice(0, 3).join(', ')}`,
    { code: 'DIFFERENT', exitCode: ExitCode.partial, hint: 'diff shows what differs' },
  );
}
