import { CommandError, usageError } from '../../../program/command-error.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { amount, checkSource, leftOut } from './copy-report.js';
import { DumpSource } from './dump-file.js';
import { DUMP_FORMATS, type DumpFormat, formatParts } from './dump-format.js';
import { type Begun, DumpWriter } from './dump-writer.js';
import { TreeSource } from './tree-source.js';
import { endFields, headFields, type LineFields, recordFields } from './znode-record.js';

export const dump = defineCommand({
  name: 'dump',
  group: 'move',
  summary: 'write a subtree to a file, or a folder',
  description:
    'Parents first, by name: data (text, or base64 for other bytes), ACL, version and time of each znode. The format ndjson is a line of JSON a znode; json one document; yaml a document a znode, which is well edited by hand; dir a folder with the data of each znode in a file of its own, and everything else in znodes.ndjson. Ephemerals are left out unless asked for, and /zookeeper in a dump of the root. A server tells no client which znodes are containers or have a TTL: they are dumped as persistent ones. The tree is not stopped meanwhile: what changes while it is read is read before or after. No more than some znodes are in memory at a time. What may not be read makes the exit code 9.',
  options: {
    to: {
      kind: 'file',
      valueName: 'FILE',
      summary: 'write there, not on standard output; mode 0600',
    },
    format: {
      kind: 'text',
      choices: DUMP_FORMATS,
      valueName: 'FORMAT',
      summary: 'ndjson (default), json, yaml, or dir, which needs --to',
    },
    resume: { summary: 'go on with a dump to FILE that was interrupted' },
    ephemerals: { letter: 'e', summary: 'ephemerals too; restore makes persistent znodes of them' },
    'no-acl': { summary: 'without ACLs' },
  },
  args: { path: { kind: 'path', isOptional: true, summary: 'default: the working path' } },
  examples: [
    { line: 'dump --to app.dump /app', summary: 'a backup of /app' },
    { line: 'dump --to app.dump --resume /app', summary: 'the rest of it' },
    { line: 'dump --format yaml --to app.yaml /app', summary: 'to be read, and edited' },
  ],
  check({ options, tokens }) {
    if (options.resume && options.to === undefined) {
      throw usageError('--resume goes with --to FILE', tokens.resume);
    }
    if (options.format === 'dir' && options.to === undefined) {
      throw usageError('--format dir goes with --to FOLDER', tokens.format);
    }
  },
  async run(context, { options, args }): Promise<Result> {
    const root = args.path ?? context.session.cwd;
    const { to } = options;
    const hasAcls = !options['no-acl'];
    const chosen = DUMP_FORMATS.find((name) => name === options.format);
    const begun =
      options.resume && to !== undefined ? await readBegun(to, root, chosen) : undefined;
    const format = begun?.format ?? chosen ?? 'ndjson';
    const source = new TreeSource(context.client, root, {
      signal: context.signal,
      hasAcls,
      hasEphemerals: options.ephemerals,
      ...(begun?.last === undefined ? {} : { after: pathOf(root, begun.last) }),
    });
    if (to === undefined) return dumpToOutput(context, source, { hasAcls, format });
    return dumpToFile(context, source, { file: to, hasAcls, begun, format });
  },
});

function pathOf(root: string, below: string): string {
  return root === '/' && below !== '' ? below : `${root}${below}`;
}

async function dumpToOutput(
  context: CommandContext,
  source: TreeSource,
  { hasAcls, format }: { readonly hasAcls: boolean; readonly format: DumpFormat },
): Promise<Result> {
  const { text } = await formatParts(format === 'dir' ? 'ndjson' : format);
  const emit = (part: string, fields: LineFields) =>
    context.emit({ kind: 'message', text: part, fields });
  const emitHead = () => {
    const fields = headOf(context, source, hasAcls);
    return emit(text.head(fields), fields);
  };
  let znodes = 0;
  for await (const record of source.records()) {
    // Not before the root was read: an error stands alone.
    if (znodes === 0) await emitHead();
    const fields = recordFields(record);
    await emit(text.record(fields, znodes === 0), fields);
    znodes++;
  }
  if (znodes === 0) await emitHead();
  const { ephemeralsLeftOut, unread } = source;
  const fields = endFields({ znodes, ephemeralsLeftOut, unread });
  await emit(text.end(fields), fields);
  checkSource(source);
  return { kind: 'end' };
}

function headOf({ session }: CommandContext, source: TreeSource, hasAcls: boolean): LineFields {
  return headFields(
    { root: source.root, server: session.target, hasAcls },
    new Date().toISOString(),
  );
}

/** @throws CommandError when there is nothing to go on with */
async function readBegun(
  file: string,
  root: string,
  chosen: DumpFormat | undefined,
): Promise<Begun> {
  const source = await DumpSource.ofFile(file, { format: chosen });
  const head = await source.readHead();
  if (head.root !== root) {
    throw usageError(`${file} is a dump of ${head.root}, not of ${root}`, undefined);
  }
  if ((await source.readEnd()) !== undefined) {
    throw usageError(`${file} is complete already`, undefined);
  }
  let last: string | undefined;
  let znodes = 0;
  try {
    for await (const { path } of source.records()) {
      last = path;
      znodes++;
    }
  } catch (error) {
    // The part that the interruption cut; all before it is whole.
    if (!(error instanceof CommandError) || error.code !== 'BADDUMP') throw error;
  }
  return { last, znodes, length: source.consumed, format: source.format };
}

interface FileDump {
  readonly file: string;
  readonly hasAcls: boolean;
  readonly begun: Begun | undefined;
  readonly format: DumpFormat;
}

async function dumpToFile(
  context: CommandContext,
  source: TreeSource,
  { file, hasAcls, begun, format }: FileDump,
): Promise<Result> {
  const writer = await DumpWriter.open(file, format, begun, context.signal);
  const total = await source.count();
  let znodes = begun?.znodes ?? 0;
  let bytes = 0;
  try {
    if (begun === undefined) await writer.head(headOf(context, source, hasAcls));
    for await (const record of source.records()) {
      znodes++;
      bytes += record.data?.length ?? 0;
      await writer.record(record);
      context.progress?.({
        done: 'dumped',
        count: znodes,
        ...(total === undefined ? {} : { total }),
      });
    }
    if (context.signal.aborted) return { kind: 'end' };
    const { ephemeralsLeftOut, unread } = source;
    await writer.end(endFields({ znodes, ephemeralsLeftOut, unread }));
  } finally {
    context.progress?.(undefined);
    await writer.close();
  }
  checkSource(source);
  const { ephemeralsLeftOut } = source;
  return {
    kind: 'message',
    text: `Dumped ${amount(znodes, bytes)} to ${file}${leftOut(source)}`,
    fields: { dumped: source.root, file, format, znodes, bytes, ephemeralsLeftOut },
  };
}
