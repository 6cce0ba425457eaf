/** docs/compatibility.md, made of the names of 3.9.5 and their states: npm run man. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { apacheNames, laterNames } from './apache.js';
import { proofOf, shownBy } from './shown-by.js';
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

const PROOFS = shownBy();

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
      'operations',
      of(Object.keys(names.operations), (name) => entryOf(OPERATIONS, name)),
    ),
    section('Keys of zoo.cfg', 'keys', of(names.keys, keyEntry)),
    section(
      'Keys of a client',
      'clientKeys',
      of(names.clientKeys, (name) => entryOf(CLIENT_KEYS, name)),
    ),
    section(
      'Four-letter words',
      'words',
      of(names.words, (name) => entryOf(WORDS_HERE, name)),
    ),
    section(
      'Commands of the AdminServer',
      'commands',
      of(Object.keys(names.commands), (name) => entryOf(COMMANDS, name)),
    ),
    section(
      'Metrics',
      'metrics',
      of(names.metrics, (name) => metricEntry(name, zero)),
    ),
    section(
      'Commands of the shell',
      'shellCommands',
      of(names.shellCommands, (name) => entryOf(SHELL_COMMANDS, name)),
    ),
    listWithPlace('Tools', names.tools, TOOLS, (here) => `\`${here}\``, 'tools'),
    listWithPlace(
      'Pages of the documentation',
      names.pages,
      PAGES,
      (here) => `[${here.replace(/^.*\//, '')}](${here})`,
    ),
    laterSection(zero),
  ].join('\n');
}

/** The names that are the same by the test that shows them, and a table of the others. */
function section(title: string, kind: string, named: Named): string {
  const same = named.filter(([, { state }]) => state === 'same').map(([name]) => name);
  const others = named.filter(([, { state }]) => state !== 'same');
  const parts = [`## ${title}\n`];
  if (same.length > 0) parts.push(`Same as in 3.9.5 (${same.length}):\n\n${byProof(kind, same)}\n`);
  if (others.length > 0) {
    const rows = others.map(
      ([name, { state, how }]) => `| \`${name}\` | ${state} | ${how} | ${proof(kind, name)} |`,
    );
    const head = ['| Name | State | Difference | Shown by |', '|---|---|---|---|'];
    parts.push([...head, ...rows, ''].join('\n'));
  }
  return parts.join('\n');
}

/** A row for each test, with its names in their order. */
function byProof(kind: string, names: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const test = proof(kind, name);
    groups.set(test, [...(groups.get(test) ?? []), `\`${name}\``]);
  }
  const rows = [...groups].map(([test, own]) => `| ${own.join(' ')} | ${test} |`);
  return ['| Names | Shown by |', '|---|---|', ...rows].join('\n');
}

function proof(kind: string, name: string): string {
  return proofOf(kind, name, PROOFS).replace(/\.test\.ts$/, '');
}

function listWithPlace(
  title: string,
  list: readonly string[],
  states: Readonly<Record<string, Entry & { readonly here: string }>>,
  shown: (here: string) => string,
  kind?: string,
): string {
  const rows = list.map((name) => {
    const entry = states[name];
    if (entry === undefined) throw new Error(`${name}: no state`);
    const test = kind === undefined ? 'docs' : proof(kind, name);
    return `| \`${name}\` | ${shown(entry.here)} | ${entry.state} | ${entry.how} | ${test} |`;
  });
  const head = [
    `## ${title}`,
    '',
    '| In 3.9.5 | Here | State | Difference | Shown by |',
    '|---|---|---|---|---|',
  ];
  return [...head, ...rows, ''].join('\n');
}

/** The counters of metrics in one paragraph, everything else in a table. */
function laterSection(zero: ReadonlySet<string>): string {
  const entries = laterEntries(zero);
  const isPlain = (what: string, { state }: Entry) => what === 'metric' && state === 'same';
  const plain = entries.filter(([what, , entry]) => isPlain(what, entry));
  const rows = entries
    .filter(([what, , entry]) => !isPlain(what, entry))
    .map(([what, name, { state, how }]) => {
      const test = proof(LATER_KINDS[what] ?? '', name);
      return `| \`${name}\` | ${what} | ${state} | ${how} | ${test} |`;
    });
  return [
    '## The coming 3.10',
    '',
    `What Apache's trunk adds to 3.9.5 or changes, at commit \`${laterNames().commit.slice(0, 12)}\`. Its records of jute and`,
    'its operations are those of 3.9.5.',
    '',
    `Metrics with the same meaning (${plain.length}):`,
    '',
    byProof(
      'metrics',
      plain.map(([, name]) => name),
    ),
    '',
    '| In 3.10 | What | State | Difference | Shown by |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** The kinds of names in shown-by.json of what 3.10 adds or changes. */
const LATER_KINDS: Readonly<Record<string, string>> = {
  'new key': 'keys',
  default: 'keys',
  'key of a client': 'clientKeys',
  command: 'commands',
  'command of the shell': 'shellCommands',
  'form or meaning': 'forms',
  metric: 'metrics',
};

const INTRODUCTION = `# Compatibility with Apache ZooKeeper 3.9.5

Every operation, key, four-letter word, command, metric, tool, and page of 3.9.5, and whether it works here. \`npm run man\`
makes this page from the names in \`test/compatibility/apache-3.9.5.json\` and \`apache-3.10.json\`, from the options of the
code, and from the differences in \`test/compatibility/states.ts\`, which people write. A name without a difference there is
the same. \`test/compatibility\` checks that the names are complete and exist in the code. The last section is about the
coming 3.10.

The last column names a test that shows the state, a file of \`test\` without its ending \`.test.ts\`. Most names have more
tests. A check holds that the file, or a helper that it imports, writes the name. For a key, \`compatibility/key-values\` shows
only that it is read, or accepted without an effect. For a metric, \`compatibility/metrics\` shows only that running
members have it. Tests in \`conformance\` compare with Apache's servers.

| State | Meaning |
|---|---|
| same | it works as in 3.9.5 |
| different | it works or is accepted, with the difference that the table names |
| refused | it is an error, on purpose |

The differences of single requests are in zkserver(8), under DIFFERENCES.
`;
