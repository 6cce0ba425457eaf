import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLI_VERBS } from '../../src/commands/zkcli/verbs.js';
import { TASKS } from '../../src/commands/zkops/index.js';
import { SERVER_VERBS } from '../../src/commands/zkserver/cli.js';
import { WORDS } from '../../src/fourlw/index.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { ADMIN_COMMANDS } from '../../src/server/admin/commands.js';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { apacheNames, laterNames } from './apache.js';
import { COMPATIBILITY_PAGE, compatibilityPage, namedStates, zeroMetrics } from './page.js';
import { problemWith, proofOf, shownBy } from './shown-by.js';
import {
  CLIENT_KEYS,
  COMMANDS,
  KEYS,
  METRICS,
  OPERATIONS,
  SHELL_COMMANDS,
  TOOLS,
  WORDS_HERE,
} from './states.js';
import { laterEntries } from './states-3.10.js';

const ROOT = repositoryRoot();

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

const names = apacheNames();

test('docs/compatibility.md has the names of 3.9.5 and their states (npm run man)', () => {
  assert.fixture(readFileSync(join(ROOT, COMPATIBILITY_PAGE), 'utf8'), compatibilityPage());
});

test('every state is of a name of 3.9.5', () => {
  for (const [entries, known] of [
    [OPERATIONS, Object.keys(names.operations)],
    [KEYS, names.keys],
    [CLIENT_KEYS, names.clientKeys],
    [WORDS_HERE, names.words],
    [COMMANDS, Object.keys(names.commands)],
    [METRICS, names.metrics],
    [SHELL_COMMANDS, names.shellCommands],
    [TOOLS, names.tools],
  ] as const) {
    const others = Object.keys(entries).filter((name) => !known.includes(name));
    assert.equal(others, []);
  }
});

test('a test shows each state, also of the names that work as in 3.9.5', () => {
  const proofs = shownBy();
  for (const [kind, named] of Object.entries(namedStates())) {
    for (const [name] of named) proofOf(kind, name, proofs);
  }
  for (const [what, name] of laterEntries(zeroMetrics())) {
    proofOf(LATER_KINDS[what] ?? '', name, proofs);
  }
});

test('every test in shown-by.json writes what it shows', () => {
  for (const [kind, files] of Object.entries(shownBy())) {
    for (const [file, shown] of Object.entries(files)) {
      for (const name of shown) assert.is(problemWith(kind, name, file), undefined);
    }
  }
});

test('a proof must be a test, and write the name', () => {
  const read = (text: string) => () => text;
  assert.match(problemWith('words', 'ruok', 'a.test.ts', read('ruokay')) ?? '', 'does not write');
  assert.is(problemWith('words', 'ruok', 'a.test.ts', read("'ruok'")), undefined);
  assert.match(problemWith('words', 'ruok', 'a.ts', read("'ruok'")) ?? '', 'not a test');
  assert.is(problemWith('keys', 'tickTime', 'a.test.ts', read('tickTimeMs: 1')), undefined);
  assert.throws(() => problemWith('words', 'ruok', 'none.test.ts'), /ENOENT/);
});

test('the operations of the table are those of the code', () => {
  assert.equal({ ...names.operations }, { ...OpCode });
});

test('the four-letter words of the table are those of the code', () => {
  assert.equal([...names.words, 'load'].sort(), Object.keys(WORDS).sort());
});

test('the commands of the table are those of the AdminServer, with their aliases', () => {
  const here = new Map(ADMIN_COMMANDS.map(({ name, aliases }) => [name, aliases]));
  const { commands } = laterNames();
  for (const [name, aliases] of Object.entries({ ...names.commands, ...commands })) {
    assert.equal(here.get(name), aliases, name);
  }
  const later = [...here.keys()].filter((name) => !Object.hasOwn(names.commands, name));
  assert.equal(later, ['load', 'move_leader', ...Object.keys(commands), 'slow_requests']);
});

test('the commands of the shell are those of zksh --zkcli', () => {
  assert.equal(
    [...names.shellCommands, ...laterNames().shellCommands].filter((name) => !CLI_VERBS.has(name)),
    [],
  );
});

test('the tools of the table exist', () => {
  const verbs = new Set(SERVER_VERBS.map(({ name }) => `zkserver ${name}`));
  const tasks = new Set(TASKS.map(({ name }) => `zkops ${name}`));
  for (const { here } of Object.values(TOOLS)) {
    const isKnown = here === 'zkserver' || here === 'zksh --zkcli';
    assert.ok(isKnown || verbs.has(here) || tasks.has(here), here);
  }
});

test.run();
