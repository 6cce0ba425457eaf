import { writeFile } from 'node:fs/promises';
import { CommandError, usageError } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import { watchOption } from '../../engine/watch-option.js';
import type { DataForm, Result } from '../../results/result.js';

export const get = defineCommand({
  name: 'get',
  group: 'znode',
  summary: 'show the data of a znode',
  description:
    'The bytes come out as they are, with a line end behind them; --raw leaves that out. On a terminal, bytes that are no text are shown as a dump. A znode without data shows (null).',
  options: {
    stat: { letter: 's', summary: 'show the Stat too' },
    watch: { letter: 'w', summary: 'tell once when the data changes' },
    base64: { letter: 'b', summary: 'as base64' },
    hex: { letter: 'x', summary: 'as a dump in hex' },
    raw: { summary: 'the bytes and nothing else' },
    to: { kind: 'file', valueName: 'FILE', summary: 'write the bytes there, mode 0600' },
  },
  args: { path: { kind: 'path', glob: 'parallel', summary: 'the znode, or a pattern' } },
  surplusHint: 'a watch is asked for with -w',
  examples: [
    { line: 'get /app/config', summary: 'the data and a line end' },
    { line: 'get /app/*/state', summary: 'of each, under its path' },
    { line: 'get --raw /app/blob', summary: 'exactly the bytes, for a file or a pipe' },
  ],
  check({ options, tokens }) {
    const views = [options.base64, options.hex, options.raw].filter(Boolean);
    if (views.length > 1) {
      throw usageError('only one of -b, -x and --raw', tokens.raw ?? tokens.hex);
    }
    if (options.to !== undefined && views.length > 0) {
      throw usageError('--to writes the bytes as they are', tokens.to);
    }
    if (options.to !== undefined && tokens.path?.pattern !== undefined) {
      throw usageError(
        '--to is for one path',
        tokens.path,
        'a name with such a sign goes in quotes',
      );
    }
    if (options.raw && options.stat) throw usageError('--raw shows no Stat', tokens.stat);
  },
  async run(context, { options, args: { path } }): Promise<Result> {
    const { data, stat } = await context.client.getData(path, watchOption(context, options.watch));
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

async function writeTo(file: string, path: string, data: Buffer | null): Promise<Result> {
  const bytes = data ?? Buffer.alloc(0);
  try {
    await writeFile(file, bytes, { mode: 0o600 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`cannot write ${file}: ${reason}`, { code: 'NOFILE', cause });
  }
  return { kind: 'done', done: 'written', path };
}
