import { writeFile } from 'node:fs/promises';
import { CommandError, usageError } from '../../../program/command-error.js';
import type { DataForm, Result } from '../../../results/result.js';
import { decompress } from '../../../znodes/decompress.js';
import { defineCommand } from '../../engine/command.js';
import { watchOption } from '../../engine/watch-option.js';

export const get = defineCommand({
  name: 'get',
  aliases: ['cat'],
  group: 'znode',
  summary: 'Print the data of a znode',
  description:
    'Prints the bytes unchanged and adds a newline; --raw omits the newline. A terminal shows binary data as a hex dump. A znode without data prints (null).',
  options: {
    stat: { letter: 's', summary: 'also print the Stat' },
    watch: { letter: 'w', summary: 'report the next change of the data' },
    base64: { letter: 'b', summary: 'print base64' },
    hex: { letter: 'x', summary: 'print a hex dump' },
    decompress: {
      letter: 'z',
      summary: 'decompress the data: gzip, zlib, snappy, or zstd (Node.js 22.15 or later)',
    },
    raw: { summary: 'print the bytes without a newline' },
    to: { kind: 'file', valueName: 'FILE', summary: 'write the bytes to FILE (mode 0600)' },
  },
  args: { path: { kind: 'path', glob: 'parallel', summary: 'the znode, or a pattern' } },
  surplusHint: 'use -w to set a watch',
  examples: [
    { line: 'get /app/config', summary: 'Print a configuration' },
    { line: 'get /app/*/state', summary: 'Compare the state of every application' },
    { line: 'get --raw /app/blob', summary: 'Pass exact bytes to a file or pipe' },
  ],
  check({ options, tokens }) {
    const views = [options.base64, options.hex, options.raw].filter(Boolean);
    if (views.length > 1) {
      throw usageError('get: expected only one of -b, -x, and --raw', tokens.raw ?? tokens.hex);
    }
    if (options.to !== undefined && views.length > 0) {
      throw usageError('get: cannot combine --to with -b, -x, or --raw', tokens.to);
    }
    if (options.to !== undefined && tokens.path?.pattern !== undefined) {
      throw usageError('get: --to takes one path, not a pattern', tokens.path, {
        hint: 'quote a name that contains a pattern character',
      });
    }
    if (options.raw && options.stat)
      throw usageError('get: cannot combine --raw with -s', tokens.stat);
  },
  async run(context, { options, args: { path } }): Promise<Result> {
    const found = await context.client.getData(path, watchOption(context, options.watch));
    const { stat } = found;
    const data = options.decompress ? plainData(path, found.data) : found.data;
    if (options.to !== undefined) return writeTo(options.to, path, data);
    const view: DataForm = options.raw
      ? 'raw'
      : options.base64
        ? 'base64'
        : options.hex
          ? 'hexdump'
          : 'text';
    return { kind: 'data', path, data, view, ...(options.stat ? { stat } : {}) };
  },
});

/** @throws CommandError for data in no known format */
function plainData(path: string, data: Buffer | null): Buffer | null {
  const plain = data === null ? undefined : decompress(data);
  if (data === null || plain !== undefined) return plain?.data ?? null;
  throw new CommandError(
    `${path}: data is not compressed, or is damaged (expected gzip, zlib, snappy, or zstd)`,
    {
      code: 'NOTCOMPRESSED',
      path,
      hint: 'run get without --decompress',
    },
  );
}

async function writeTo(file: string, path: string, data: Buffer | null): Promise<Result> {
  const bytes = data ?? Buffer.alloc(0);
  try {
    await writeFile(file, bytes, { mode: 0o600 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`${file}: cannot write: ${reason}`, { code: 'NOFILE', cause });
  }
  return { kind: 'done', done: 'written', path };
}
