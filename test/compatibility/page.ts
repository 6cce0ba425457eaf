/** docs/compatibility.md, made of the names of 3.9.5 and their states: npm run man. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { apacheNames } from './apache.js';
import {
  CLIENT_KEYS,
  COMMANDS,
  type Entry,
  entryOf,
  keyEntry,
  METRICS,
  metricEntry,
  NO_EFFECT,
  OPERATIONS,
  SHELL_COMMANDS,
  toolEntry,
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

/** Every name of 3.9.5 with its state, by the kinds of shown-by.json. */
export function namedStates(): Readonly<Record<string, Named>> {
  const names = apacheNames();
  const zero = zeroMetrics();
  const of = (list: readonly string[], entry: (name: string) => Entry): Named =>
    list.map((name) => [name, entry(name)]);
  return {
    operations: of(Object.keys(names.operations), (name) => entryOf(OPERATIONS, name)),
    keys: of(names.keys, keyEntry),
    clientKeys: of(names.clientKeys, (name) => entryOf(CLIENT_KEYS, name)),
    words: of(names.words, (name) => entryOf(WORDS_HERE, name)),
    commands: of(Object.keys(names.commands), (name) => entryOf(COMMANDS, name)),
    metrics: of(names.metrics, (name) => metricEntry(name, zero)),
    shellCommands: of(names.shellCommands, (name) => entryOf(SHELL_COMMANDS, name)),
    tools: of(names.tools, toolEntry),
  };
}

export function compatibilityPage(): string {
  const { operations, keys, clientKeys, words, commands } = namedStates();
  return [
    INTRODUCTION,
    section('Operations', operations),
    section('Keys of zoo.cfg', keys),
    section('Keys of a client', clientKeys),
    section('Four-letter words', words),
    section('Commands of the AdminServer', commands),
    METRIC_SECTION,
    toolSection(apacheNames().tools),
    laterSection(),
  ].join('\n');
}

/** A row for each difference, with its names. Keys without effect have a table of their own. */
function section(title: string, named: Named = []): string {
  const isIdle = ({ how }: Entry) => how.startsWith(NO_EFFECT);
  const others = named.filter(([, entry]) => entry.state !== 'same');
  const parts = [
    `## ${title}\n`,
    table(
      'Difference',
      others.filter(([, entry]) => !isIdle(entry)),
    ),
  ];
  const idle = others
    .filter(([, entry]) => isIdle(entry))
    .map(
      ([name, { how, ...rest }]) => [name, { ...rest, how: how.slice(NO_EFFECT.length) }] as const,
    );
  if (idle.length > 0)
    parts.push('These are accepted, and have no effect:\n', table('Reason', idle));
  return parts.join('\n');
}

function table(head: string, named: Named): string {
  const groups = new Map<string, string[]>();
  for (const [name, { state, how }] of named) {
    const shown = state === 'refused' ? `refused: ${how}` : how;
    groups.set(shown, [...(groups.get(shown) ?? []), `\`${name}\``]);
  }
  const rows = [...groups].map(([how, names]) => `| ${names.join(' ')} | ${how} |`);
  return [`| Names | ${head} |`, '|---|---|', ...rows, ''].join('\n');
}

function toolSection(tools: readonly string[]): string {
  const rows = tools.map((name) => {
    const { here, how } = toolEntry(name);
    return `| \`${name}\` | \`${here}\` | ${how} |`;
  });
  return ['## Tools', '', '| Apache | Here | Difference |', '|---|---|---|', ...rows, ''].join(
    '\n',
  );
}

function laterSection(): string {
  const entries = laterEntries(zeroMetrics());
  const same = entries.filter(([what, , { state }]) => state === 'same' && what !== 'metric');
  const others = entries.filter(([, , { state }]) => state !== 'same');
  return [
    '## Names of 3.10',
    '',
    `Also supported: the metrics that 3.10 adds, and ${same.map(([, name]) => `\`${name}\``).join(', ')}. Different:`,
    '',
    table(
      'Difference',
      others.map(([, name, entry]) => [name, entry]),
    ),
  ].join('\n');
}

const INTRODUCTION = `# Differences from Apache ZooKeeper 3.9.5

The operations, keys, four-letter words, AdminServer commands, metrics, shell commands, and files of 3.9.5 work here. Every name
without a row works as in 3.9.5. A name that is "refused" is an error on purpose. \`zkserver print-cmd zoo.cfg\` warns of each
line of a file that is refused or has no effect.

zkserver(8) lists the differences of single requests under DIFFERENCES. [Protocol](protocol.md) has the rules that the server
follows. [Migrate](migrate.md) says how to change servers, and what to change in scripts.
`;

const METRIC_SECTION = `## Metrics

The metrics that measure parts of a Java server are always zero: see [Metrics](metrics.md). ${Object.keys(
  METRICS,
)
  .map((name) => `\`${name}\``)
  .join(' and ')} are missing, because no packet waits in a queue to a learner.
`;
