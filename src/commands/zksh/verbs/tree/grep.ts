import { isUtf8 } from 'node:buffer';
import { counted } from '../../../program/counted.js';
import type { Result } from '../../../results/result.js';
import { escapeRegExp } from '../../../znodes/path-glob.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Token } from '../../language/parse-line.js';
import { CommandWalk, WALK_OPTIONS, WALK_ROOT } from '../../paths/walk-command.js';
import { regExpOf } from './name-pattern.js';

export const grep = defineCommand({
  name: 'grep',
  group: 'tree',
  summary: 'Search the data of a subtree',
  description:
    'Prints path:line for each matching line. Binary data is searched as bytes, and only the match is reported. Znodes that cannot be read are reported at the end, with exit status 9.',
  options: {
    'ignore-case': { letter: 'i', summary: 'ignore case' },
    fixed: { letter: 'F', summary: 'treat the pattern as text, not as a regular expression' },
    invert: { letter: 'v', summary: 'print lines that do not match' },
    'paths-only': { letter: 'l', summary: 'print only the paths of matching znodes' },
    count: { letter: 'c', summary: 'print only the number of matching lines' },
    ...WALK_OPTIONS,
  },
  args: {
    pattern: { kind: 'text', summary: 'a JavaScript regular expression' },
    path: WALK_ROOT,
  },
  examples: [
    { line: 'grep -i timeout /app', summary: 'Find all settings of timeouts' },
    { line: 'grep -l \'"state": *"down"\' /clusters', summary: 'List the clusters that are down' },
  ],
  check({ args, options, tokens }) {
    patternOf(args.pattern, options, tokens.pattern);
  },
  async run(context, { options, args, tokens }): Promise<Result> {
    const pattern = patternOf(args.pattern, options, tokens.pattern);
    const walk = new CommandWalk(context);
    const root = args.path ?? context.session.cwd;
    let count = 0;
    const read = async (path: string) => (await context.client.getData(path)).data;
    for await (const { path, extra } of walk.visits(root, options, { read })) {
      if (extra === undefined || extra === null) continue;
      count += await show(context, path, linesThatFit(extra, pattern, options.invert), options);
    }
    if (options.count) await context.emit({ kind: 'count', path: root, count });
    walk.finish();
    return { kind: 'end' };
  },
});

interface Flags {
  readonly 'ignore-case': boolean;
  readonly fixed: boolean;
  readonly 'paths-only': boolean;
  readonly count: boolean;
}

interface Match {
  /** Starts at 1; 0 for binary data. */
  readonly line: number;
  readonly text: string;
}

function patternOf(pattern: string, flags: Flags, token: Token | undefined): RegExp {
  const source = flags.fixed ? escapeRegExp(pattern) : pattern;
  return regExpOf(source, flags['ignore-case'] ? 'i' : '', token);
}

function linesThatFit(data: Buffer, pattern: RegExp, isInverted: boolean): Match[] {
  if (!isUtf8(data)) {
    const fits = pattern.test(data.toString('latin1')) !== isInverted;
    return fits ? [{ line: 0, text: `${counted(data.length, 'byte')} of binary data match` }] : [];
  }
  const lines = data.toString().replace(/\n$/, '').split('\n');
  return lines
    .map((text, at) => ({ line: at + 1, text }))
    .filter(({ text }) => pattern.test(text) !== isInverted);
}

/** @returns the number of matching lines */
async function show(
  context: CommandContext,
  path: string,
  matches: readonly Match[],
  flags: Flags,
): Promise<number> {
  if (flags.count || matches.length === 0) return matches.length;
  if (flags['paths-only']) await context.emit({ kind: 'path', path });
  else {
    for (const { line, text } of matches) {
      await context.emit({
        kind: 'message',
        text: `${path}:${text}`,
        fields: { path, line, text },
      });
    }
  }
  return matches.length;
}
