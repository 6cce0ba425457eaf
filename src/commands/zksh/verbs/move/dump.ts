import { CommandError, usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { amount, checkSource, leftOut } from '../../../trees/copy-report.js';
import { DumpSource } from '../../../trees/dump-file.js';
import { DUMP_FORMATS, type DumpFormat } from '../../../trees/dump-format.js';
import { dumpParts } from '../../../trees/dump-parts.js';
import { DumpWriter, type InterruptedDump } from '../../../trees/dump-writer.js';
import { TreeSource } from '../../../trees/tree-source.js';
import { endFields, headFields, type LineFields } from '../../../trees/znode-record.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';

export const dump = defineCommand({
  name: 'dump',
  group: 'move',
  summary: 'Write a subtree to a file or folder',
  description:
    'Writes data, ACL, version, and mtime of each znode, parents first. Binary data is stored as base64. The formats are: ndjson, one JSON line per znode; json, one document; yaml, one document per znode, for editing; dir, a folder with one data file per znode and all other fields in znodes.ndjson. Ephemerals are skipped by default; a dump of the root skips /zookeeper. Containers and TTL nodes are dumped as persistent, because servers do not report their type. A dump is not a snapshot: concurrent changes may or may not be included. If znodes cannot be read, the exit status is 9.',
  options: {
    to: {
      kind: 'file',
      valueName: 'FILE',
      summary: 'write to FILE (mode 0600) instead of standard output',
    },
    format: {
      kind: 'text',
      choices: DUMP_FORMATS,
      valueName: 'FORMAT',
      summary: 'ndjson (default), json, yaml, or dir (requires --to)',
    },
    resume: { summary: 'continue an interrupted dump to FILE' },
    ephemerals: { letter: 'e', summary: 'include ephemerals' },
    'no-acl': { summary: 'omit ACLs' },
  },
  args: {
    path: {
      kind: 'path',
      isOptional: true,
      summary: 'the root of the subtree; default: the working path',
    },
  },
  examples: [
    { line: 'dump --to app.dump /app', summary: 'Back up /app before a migration' },
    { line: 'dump --to app.dump --resume /app', summary: 'Continue an interrupted backup' },
    { line: 'dump --format yaml --to app.yaml /app', summary: 'Export a subtree for editing' },
  ],
  check({ options, tokens }) {
    if (options.resume && options.to === undefined) {
      throw usageError('dump: --resume requires --to FILE', tokens.resume);
    }
    if (options.format === 'dir' && options.to === undefined) {
      throw usageError('dump: --format dir requires --to FOLDER', tokens.format);
    }
  },
  async run(context, { options, args }): Promise<Result> {
    const root = args.path ?? context.session.cwd;
    const { to } = options;
    const hasAcls = !options['no-acl'];
    const chosen = DUMP_FORMATS.find((name) => name === options.format);
    const interrupted =
      options.resume && to !== undefined ? await readInterrupted(to, root, chosen) : undefined;
    const format = interrupted?.format ?? chosen ?? 'ndjson';
    const source = new TreeSource(context.client, root, {
      signal: context.signal,
      hasAcls,
      hasEphemerals: options.ephemerals,
      ...(interrupted?.last === undefined ? {} : { after: pathOf(root, interrupted.last) }),
    });
    if (to === undefined) return dumpToOutput(context, source, { hasAcls, format });
    return dumpToFile(context, source, { file: to, hasAcls, interrupted, format });
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
  const parts = dumpParts(source, {
    format: format === 'dir' ? 'ndjson' : format,
    server: context.session.target,
    hasAcls,
  });
  for await (const part of parts) await context.emit({ kind: 'message', ...part });
  checkSource(source);
  return { kind: 'end' };
}

function headOf({ session }: CommandContext, source: TreeSource, hasAcls: boolean): LineFields {
  return headFields(
    { root: source.root, server: session.target, hasAcls },
    new Date().toISOString(),
  );
}

/** @throws CommandError if the file is not an interrupted dump of `root` */
async function readInterrupted(
  file: string,
  root: string,
  chosen: DumpFormat | undefined,
): Promise<InterruptedDump> {
  const source = await DumpSource.ofFile(file, { format: chosen });
  const head = await source.readHead();
  if (head.root !== root) {
    throw usageError(`${file}: dump of another path: ${head.root} (expected ${root})`);
  }
  if ((await source.readEnd()) !== undefined) {
    throw usageError(`${file}: dump is already complete`);
  }
  let last: string | undefined;
  let znodes = 0;
  try {
    for await (const { path } of source.records()) {
      last = path;
      znodes++;
    }
  } catch (error) {
    // The last part was cut off. All parts before it are complete.
    if (!(error instanceof CommandError) || error.code !== 'BADDUMP') throw error;
  }
  return { last, znodes, length: source.consumed, format: source.format };
}

interface FileDump {
  readonly file: string;
  readonly hasAcls: boolean;
  readonly interrupted: InterruptedDump | undefined;
  readonly format: DumpFormat;
}

async function dumpToFile(
  context: CommandContext,
  source: TreeSource,
  { file, hasAcls, interrupted, format }: FileDump,
): Promise<Result> {
  const writer = await DumpWriter.open(file, format, interrupted, context.signal);
  const total = await source.count();
  let znodes = interrupted?.znodes ?? 0;
  let bytes = 0;
  try {
    if (interrupted === undefined) await writer.head(headOf(context, source, hasAcls));
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
