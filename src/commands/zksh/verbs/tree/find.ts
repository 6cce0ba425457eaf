import type { Stat } from '../../../../protocol/data.js';
import { baseName } from '../../../../protocol/path.js';
import { plainLine } from '../../../../protocol/sanitize.js';
import { formatSessionId } from '../../../../protocol/session-id.js';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { rowObject } from '../../../results/rows.js';
import { type NameTest, parseNameGlob } from '../../../znodes/path-glob.js';
import { isEphemeral } from '../../../znodes/stat-lines.js';
import { defineCommand } from '../../engine/command.js';
import type { Token } from '../../language/parse-line.js';
import { LONG_COLUMNS, longRow } from '../../paths/long-listing.js';
import { CommandWalk, WALK_OPTIONS, WALK_ROOT } from '../../paths/walk-command.js';
import { checkExec, Exec } from './exec.js';
import { durationOf, regExpOf } from './name-pattern.js';

const SIZE = { kind: 'integer', valueName: 'BYTES', max: 0x7fff_ffff } as const;
const COUNT = { kind: 'integer', valueName: 'N', max: 0x7fff_ffff } as const;
const AGE = { kind: 'text', valueName: 'AGE' } as const;

const OPTIONS = {
  name: { kind: 'text', valueName: 'GLOB', summary: 'match the name: *, ?, [a-z], {a,b}' },
  regex: {
    kind: 'text',
    valueName: 'RE',
    summary: 'match a regular expression anywhere in the path',
  },
  type: {
    letter: 't',
    kind: 'text',
    choices: ['persistent', 'ephemeral'],
    summary: 'persistent or ephemeral; containers and TTL nodes count as persistent',
  },
  owner: {
    kind: 'text',
    valueName: 'SESSION',
    summary: 'match ephemerals of this session: 0x1000…',
  },
  'min-size': { ...SIZE, summary: 'match at least BYTES bytes of data' },
  'max-size': { ...SIZE, summary: 'match at most BYTES bytes of data' },
  'min-children': { ...COUNT, summary: 'match at least N children' },
  'max-children': { ...COUNT, summary: 'match at most N children' },
  newer: { ...AGE, summary: 'match znodes changed within AGE: 10m, 2h, 7d' },
  older: { ...AGE, summary: 'match znodes unchanged for AGE' },
  ...WALK_OPTIONS,
  limit: { ...COUNT, min: 1, summary: 'stop after N matches' },
  long: { letter: 'l', summary: 'print type, children, size, version, time, and owner' },
  count: { letter: 'c', summary: 'print only the number of matches' },
  exec: {
    kind: 'text',
    valueName: 'COMMAND',
    summary: 'run a zksh command for each match; {} stands for its path',
  },
  yes: { letter: 'y', summary: 'with --exec: skip the confirmation of changes' },
  'dry-run': { letter: 'n', summary: 'with --exec: print the commands without running them' },
  'keep-going': { letter: 'k', summary: 'with --exec: continue after an error' },
} as const;

export const find = defineCommand({
  name: 'find',
  group: 'tree',
  summary: 'Find znodes by name, type, size, or age',
  description:
    'A znode must match all given conditions. Znodes that cannot be read are reported at the end, with exit status 9. The command of --exec is parsed once: {} stands for the path as a part of one word, whatever characters it has, and is refused where the path would be parsed. If --exec would change data, find collects all matches first, shows a sample, and asks for confirmation. A script must pass --yes. The first error stops --exec. With --keep-going, failures are reported at the end, with exit status 9.',
  options: OPTIONS,
  args: {
    path: WALK_ROOT,
  },
  examples: [
    { line: "find --name 'lock-*' -t ephemeral /app", summary: 'List the locks in use' },
    { line: 'find --min-size 100000 -l /', summary: 'Find large values' },
    { line: 'find --older 30d --max-children 0 /jobs', summary: 'Find stale jobs' },
    {
      line: "find --name '*.json' --exec 'json get {} version' /app",
      summary: 'Read a field of every JSON file',
    },
    {
      line: "find --name '*.bak' --exec 'delete {}' /app",
      summary: 'Delete backups after a confirmation',
    },
  ],
  check({ options, tokens }) {
    makeTest(options, tokens, Date.now());
    if (options.exec !== undefined) checkExec(options.exec, tokens.exec);
    else {
      const token = tokens.yes ?? tokens['dry-run'] ?? tokens['keep-going'];
      if (token !== undefined)
        throw usageError('find: --yes, --dry-run, and --keep-going require --exec', token);
    }
  },
  async run(context, { options, args, tokens }): Promise<Result> {
    const fits = makeTest(options, tokens, Date.now());
    const walk = new CommandWalk(context);
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    const root = args.path ?? context.session.cwd;
    let count = 0;
    const exec =
      options.exec === undefined ? undefined : await Exec.of(context, options.exec, options);
    for await (const { path, stat } of walk.visits(root, options)) {
      if (stat === undefined || !fits(path, stat)) continue;
      count++;
      if (exec !== undefined) await exec.found(path);
      else if (options.long) await context.emit(longResult(path, stat));
      else if (!options.count) await context.emit({ kind: 'path', path });
      if (count >= limit) break;
    }
    await exec?.finish();
    if (options.count) await context.emit({ kind: 'count', path: root, count });
    walk.finish();
    return { kind: 'end' };
  },
});

function longResult(path: string, stat: Stat): Result {
  const row = longRow({ name: path, stat });
  const cells = row.map((value) => plainLine(String(value ?? '-')));
  return {
    kind: 'message',
    text: cells.join('  '),
    raw: cells.join('\t'),
    fields: { ...rowObject(LONG_COLUMNS, row), name: undefined, path },
  };
}

type Options = Parameters<NonNullable<typeof find.check>>[0]['options'];
type Test = (path: string, stat: Stat) => boolean;

function makeTest(
  options: Options,
  tokens: Readonly<Record<string, Token | undefined>>,
  now: number,
): Test {
  const text = (name: string) => options[name] as string | undefined;
  const number = (name: string, otherwise: number) => Number(options[name] ?? otherwise);
  const glob = nameTest(text('name'), tokens['name']);
  const regex =
    text('regex') === undefined ? undefined : regExpOf(text('regex') ?? '', 'u', tokens['regex']);
  const owner = text('owner')?.toLowerCase();
  if (owner !== undefined && !/^0x[0-9a-f]{1,16}$/.test(owner)) {
    throw usageError(
      `--owner: invalid session id: "${owner}" (expected 0x and hex digits)`,
      tokens['owner'],
    );
  }
  const age = (name: string) => {
    const value = text(name);
    return value === undefined ? undefined : now - durationOf(value, tokens[name]);
  };
  const [newer, older] = [age('newer'), age('older')];
  const tests: Test[] = [
    (path) => glob?.test(baseName(path)) ?? true,
    (path) => regex?.test(path) ?? true,
    (_, stat) => {
      const type = text('type');
      return type === undefined || isEphemeral(stat) === (type === 'ephemeral');
    },
    (_, stat) => owner === undefined || formatSessionId(stat.ephemeralOwner) === owner,
    (_, { dataLength }) =>
      dataLength >= number('min-size', 0) &&
      dataLength <= number('max-size', Number.POSITIVE_INFINITY),
    (_, { numChildren }) =>
      numChildren >= number('min-children', 0) &&
      numChildren <= number('max-children', Number.POSITIVE_INFINITY),
    (_, { mtime }) => newer === undefined || Number(mtime) >= newer,
    (_, { mtime }) => older === undefined || Number(mtime) < older,
  ];
  return (path, stat) => tests.every((test) => test(path, stat));
}

function nameTest(glob: string | undefined, token: Token | undefined): NameTest | undefined {
  try {
    return glob === undefined ? undefined : parseNameGlob(glob);
  } catch (error) {
    if (error instanceof RangeError) throw usageError(error.message, token, { cause: error });
    throw error;
  }
}
