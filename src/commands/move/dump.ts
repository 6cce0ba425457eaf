import { type FileHandle, open } from 'node:fs/promises';
import { type CommandContext, defineCommand } from '../command.js';
import { CommandError, ExitCode, usageError } from '../command-error.js';
import type { Result } from '../result.js';
import { amount, checkSource, leftOut } from './copy-report.js';
import { DumpSource, readEnd } from './dump-file.js';
import { TreeSource } from './tree-source.js';
import { endFields, headFields, type LineFields, recordFields } from './znode-record.js';

const WRITE_LENGTH = 256 * 1024;

export const dump = defineCommand({
  name: 'dump',
  group: 'move',
  summary: 'write a subtree as lines of JSON',
  description:
    'A line a znode, parents first, by name: data (text, or base64 for other bytes), ACL, version and time. Ephemerals are left out unless asked for, and /zookeeper in a dump of the root. A server tells no client which znodes are containers or have a TTL: they are dumped as persistent ones. The tree is not stopped meanwhile: what changes while it is read is read before or after. No more than some znodes are in memory at a time. What may not be read makes the exit code 9.',
  options: {
    to: {
      kind: 'file',
      valueName: 'FILE',
      summary: 'write there, not on standard output; mode 0600',
    },
    resume: { summary: 'go on with a dump to FILE that was interrupted' },
    ephemerals: { letter: 'e', summary: 'ephemerals too; restore makes persistent znodes of them' },
    'no-acl': { summary: 'without ACLs' },
  },
  args: { path: { kind: 'path', isOptional: true, summary: 'default: the working path' } },
  examples: [
    { line: 'dump --to app.dump /app', summary: 'a backup of /app' },
    { line: 'dump --to app.dump --resume /app', summary: 'the rest of it' },
  ],
  check({ options, tokens }) {
    if (options.resume && options.to === undefined) {
      throw usageError('--resume goes with --to FILE', tokens.resume);
    }
  },
  async run(context, { options, args }): Promise<Result> {
    const root = args.path ?? context.session.cwd;
    const { to } = options;
    const begun = options.resume && to !== undefined ? await readBegun(to, root) : undefined;
    const source = new TreeSource(context.client, root, {
      signal: context.signal,
      hasAcls: !options['no-acl'],
      hasEphemerals: options.ephemerals,
      ...(begun?.last === undefined ? {} : { after: pathOf(root, begun.last) }),
    });
    if (to === undefined) return dumpToOutput(context, source, !options['no-acl']);
    return dumpToFile(context, source, { file: to, hasAcls: !options['no-acl'], begun });
  },
});

function pathOf(root: string, below: string): string {
  return root === '/' && below !== '' ? below : `${root}${below}`;
}

async function dumpToOutput(
  context: CommandContext,
  source: TreeSource,
  hasAcls: boolean,
): Promise<Result> {
  const emit = (fields: LineFields) =>
    context.emit({ kind: 'message', text: JSON.stringify(fields), fields });
  let znodes = 0;
  let isBegun = false;
  for await (const record of source.records()) {
    // Not before the root was read: an error stands alone.
    if (!isBegun) await emit(headOf(context, source, hasAcls));
    isBegun = true;
    znodes++;
    await emit(recordFields(record));
  }
  if (!isBegun) await emit(headOf(context, source, hasAcls));
  const { ephemeralsLeftOut, unread } = source;
  await emit(endFields({ znodes, ephemeralsLeftOut, unread }));
  checkSource(source);
  return { kind: 'end' };
}

function headOf({ session }: CommandContext, source: TreeSource, hasAcls: boolean): LineFields {
  return headFields(
    { root: source.root, server: session.target, hasAcls },
    new Date().toISOString(),
  );
}

interface Begun {
  /** Of the last whole line; undefined when no znode was written. */
  readonly last: string | undefined;
  readonly znodes: number;
  /** Bytes of whole lines. */
  readonly length: number;
}

/** @throws CommandError when there is nothing to go on with */
async function readBegun(file: string, root: string): Promise<Begun> {
  const source = DumpSource.ofFile(file);
  const head = await source.readHead();
  if (head.root !== root) {
    throw usageError(`${file} is a dump of ${head.root}, not of ${root}`, undefined);
  }
  if ((await readEnd(file)) !== undefined)
    throw usageError(`${file} is complete already`, undefined);
  let last: string | undefined;
  let znodes = 0;
  try {
    for await (const { path } of source.records()) {
      last = path;
      znodes++;
    }
  } catch (error) {
    // The line that the interruption cut; all before it is whole.
    if (!(error instanceof CommandError) || error.code !== 'BADDUMP') throw error;
  }
  return { last, znodes, length: source.consumed };
}

async function dumpToFile(
  context: CommandContext,
  source: TreeSource,
  how: { readonly file: string; readonly hasAcls: boolean; readonly begun: Begun | undefined },
): Promise<Result> {
  const { file, begun } = how;
  const handle = await openFile(file, begun);
  const total = await source.count();
  let znodes = begun?.znodes ?? 0;
  let bytes = 0;
  try {
    const lines = new LineWriter(handle, context.signal);
    if (begun === undefined) {
      await lines.add(headOf(context, source, how.hasAcls));
      // An interrupted dump is gone on with by its head.
      await lines.flush();
    }
    for await (const record of source.records()) {
      znodes++;
      bytes += record.data?.length ?? 0;
      await lines.add(recordFields(record));
      context.progress?.({
        done: 'dumped',
        count: znodes,
        ...(total === undefined ? {} : { total }),
      });
    }
    if (context.signal.aborted) return { kind: 'end' };
    const { ephemeralsLeftOut, unread } = source;
    await lines.add(endFields({ znodes, ephemeralsLeftOut, unread }));
    await lines.flush();
    await handle.sync();
  } finally {
    context.progress?.(undefined);
    await handle.close();
  }
  checkSource(source);
  const { ephemeralsLeftOut } = source;
  return {
    kind: 'message',
    text: `Dumped ${amount(znodes, bytes)} to ${file}${leftOut(source)}`,
    fields: { dumped: source.root, file, znodes, bytes, ephemeralsLeftOut },
  };
}

async function openFile(file: string, begun: Begun | undefined): Promise<FileHandle> {
  try {
    if (begun === undefined) return await open(file, 'wx', 0o600);
    const handle = await open(file, 'r+');
    await handle.truncate(begun.length);
    return handle;
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(
      isThere ? `${file} is there already` : `cannot write ${file}: ${reason}`,
      {
        code: isThere ? 'FILEEXISTS' : 'NOFILE',
        exitCode: ExitCode.usage,
        hint: isThere ? 'take another name, or go on with it: --resume' : undefined,
        cause,
      },
    );
  }
}

/** Appends lines to a file, many in one write. */
class LineWriter {
  readonly #handle: FileHandle;
  readonly #signal: AbortSignal;
  #lines: string[] = [];
  #length = 0;
  #at: number | undefined;

  /** @param signal nothing is written after it, when somebody may go on with the file already */
  constructor(handle: FileHandle, signal: AbortSignal) {
    this.#handle = handle;
    this.#signal = signal;
  }

  async add(fields: LineFields): Promise<void> {
    const line = JSON.stringify(fields);
    this.#lines.push(line, '\n');
    this.#length += line.length + 1;
    if (this.#length >= WRITE_LENGTH) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0 || this.#signal.aborted) return;
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#length = 0;
    this.#at ??= (await this.#handle.stat()).size;
    let written = 0;
    while (written < bytes.length) {
      const step = await this.#handle.write(
        bytes,
        written,
        bytes.length - written,
        this.#at + written,
      );
      written += step.bytesWritten;
    }
    this.#at += bytes.length;
  }
}
