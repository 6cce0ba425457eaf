/** docs/compatibility.md, made of the names of 3.9.5 and their states: npm run man. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { apacheNames, laterNames } from './apache.js';
import {
  CLIENT_KEYS,
  COMMANDS,
  type Entry,
  entryOf,
  keyEntry,
  metricEntry,
  OPERATIONS,
  PAGES,
  SHELL_COMMANDS,
  TOOLS,
  WORDS_HERE,
} from './states.js';
import { laterEntries } from './states-3.10.js';

type Named = readonly (readonly [name: string, entry: Entry])[];

export const COMPATIBILITY_PAGE = join('docs', 'compatibility.md');

/** The metrics of the table of metrics.md. */
export function zeroMetrics(): ReadonlySet<string> {
  const page = readFileSync(join(repositoryRoot(), 'docs', 'metrics.md'), 'utf8');
  const rows = page.match(/^\| `.*$/gm) ?? [];
  return new Set(rows.flatMap((row) => (row.split(' | ')[0] ?? '').match(/(?<=`)\w+(?=`)/g) ?? []));
}

export function compatibilityPage(): string {
  const names = apacheNames();
  const zero = zeroMetrics();
  const of = (list: readonly string[], entry: (name: string) => Entry): Named =>
    list.map((name) => [name, entry(name)]);
  return [
    INTRODUCTION,
    section(
      'Operations',
      of(Object.keys(names.operations), (name) => entryOf(OPERATIONS, name)),
    ),
    section('Keys of zoo.cfg', of(names.keys, keyEntry)),
    section(
      'Keys of a client',
      of(names.clientKeys, (name) => entryOf(CLIENT_KEYS, name)),
    ),
    section(
      'Four-letter words',
      of(names.words, (name) => entryOf(WORDS_HERE, name)),
    ),
    section(
      'Commands of the AdminServer',
      of(Object.keys(names.commands), (name) => entryOf(COMMANDS, name)),
    ),
    section(
      'Metrics',
      of(names.metrics, (name) => metricEntry(name, zero)),
    ),
    section(
      'Commands of the shell',
      of(names.shellCommands, (name) => entryOf(SHELL_COMMANDS, name)),
    ),
    listWithPlace('Tools', names.tools, TOOLS, (here) => `\`${here}\``),
    listWithPlace(
      'Pages of the documentation',
      names.pages,
      PAGES,
      (here) => `[${here.replace(/^.*\//, '')}](${here})`,
    ),
    laterSection(zero),
  ].join('\n');
}

/** The names that are the same in one paragraph, and a table of the others. */
function section(title: string, named: Named): string {
  const same = named.filter(([, { state }]) => state === 'same').map(([name]) => `\`${name}\``);
  const others = named.filter(([, { state }]) => state !== 'same');
  const parts = [`## ${title}\n`];
  if (same.length > 0) parts.push(`Same as in 3.9.5 (${same.length}):\n${wrapped(same)}\n`);
  if (others.length > 0) {
    const rows = others.map(([name, { state, how }]) => `| \`${name}\` | ${state} | ${how} |`);
    parts.push(['| Name | State | Difference |', '|---|---|---|', ...rows, ''].join('\n'));
  }
  return parts.join('\n');
}

function listWithPlace(
  title: string,
  list: readonly string[],
  states: Readonly<Record<string, Entry & { readonly here: string }>>,
  shown: (here: string) => string,
): string {
  const rows = list.map((name) => {
    const entry = states[name];
    if (entry === undefined) throw new Error(`${name}: no state`);
    return `| \`${name}\` | ${shown(entry.here)} | ${entry.state} | ${entry.how} |`;
  });
  const head = [`## ${title}`, '', '| In 3.9.5 | Here | State | Difference |', '|---|---|---|---|'];
  return [...head, ...rows, ''].join('\n');
}

/** The counters of metrics in one paragraph, everything else in a table. */
function laterSection(zero: ReadonlySet<string>): string {
  const entries = laterEntries(zero);
  const isPlain = (what: string, { state }: Entry) => what === 'metric' && state === 'same';
  const plain = entries.filter(([what, , entry]) => isPlain(what, entry));
  const rows = entries
    .filter(([what, , entry]) => !isPlain(what, entry))
    .map(([what, name, { state, how }]) => `| \`${name}\` | ${what} | ${state} | ${how} |`);
  return [
    '## The coming 3.10',
    '',
    `What Apache's trunk adds to 3.9.5 or changes, at commit \`${laterNames().commit.slice(0, 12)}\`. Its records of jute and`,
    'its operations are those of 3.9.5.',
    '',
    `Metrics with the same meaning (${plain.length}):`,
    wrapped(plain.map(([, name]) => `\`${name}\``)),
    '',
    '| In 3.10 | What | State | Difference |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function wrapped(words: readonly string[]): string {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + word.length > 118) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}

const INTRODUCTION = `# Compatibility with Apache ZooKeeper 3.9.5

Every operation, key, four-letter word, command, metric, tool, and page of 3.9.5, and whether it works here. \`npm run man\`
makes this page from the names in \`test/compatibility/apache-3.9.5.json\` and \`apache-3.10.json\`, from the options of the
code, and from the differences in \`test/compatibility/states.ts\`, which people write. A name without a difference there is
the same. \`test/compatibility\` checks that the names are complete and exist in the code. \`npm run conformance\` compares
what they do with Apache's servers, but not for each single name. The last section is about the coming 3.10.

| State | Meaning |
|---|---|
| same | it works as in 3.9.5 |
| different | it works or is accepted, with the difference that the table names |
| refused | it is an error, on purpose |

The differences of single requests are in zkserver(8), under DIFFERENCES.
`;
