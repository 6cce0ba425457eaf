import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkImports,
  findCycles,
  findDoorsDown,
  findUnreachable,
  findUnusedDoors,
  parseImportTable,
} from './import-table.js';
import { parseSource, type SourceFile } from './source-file.js';

// Each rule about imports complains about a bad sample and accepts a good one.

const TABLE = parseImportTable(`
| Folder | May import | Modules of Node | What |
|---|---|---|---|
| \`src/jute\` | nothing | none | bytes |
| \`src/server\` | \`src/jute\` | none | pure |
| \`src/server/node\` | \`src/server\` | any | I/O |
| \`src/server/main.ts\` | \`src/server\` \`src/server/node\` | \`node:crypto\` | root |
| \`src/commands\` | \`src/server/config.ts\` \`src/server/persistence\` | any | verbs |

| Package | Imported only by | For |
|---|---|---|
| \`chalk\` | \`src/commands/render/*\` | color |
| \`@scope/name\` | \`src/server/node/*\` | nothing |
`);

function complaintsOf(path: string, text: string): string[] {
  return checkImports(TABLE, parseSource(path, text));
}

for (const [path, text, complaint] of [
  ['src/server/a.ts', "import { x } from '../jute/record.js';", undefined],
  ['src/server/a.ts', "import { x } from './tree/b.js';", undefined],
  ['src/server/node/a.ts', "import { readFile } from 'node:fs/promises';", undefined],
  ['src/server/node/a.ts', "import x from '@scope/name/part';", undefined],
  ['src/server/main.ts', "import { x } from './node/driver.js';", undefined],
  ['src/server/main.ts', "import { x } from 'node:crypto';", undefined],
  ['src/commands/a.ts', "import { x } from '../server/config.js';", undefined],
  ['src/commands/a.ts', "import { x } from '../server/persistence/b.js';", undefined],
  ['src/commands/render/a.ts', "import chalk from 'chalk';", undefined],
  [
    'src/jute/a.ts',
    "import { x } from '../server/b.js';",
    'src/jute may not import src/server/b.ts',
  ],
  ['src/server/a.ts', "import 'node:fs';", 'src/server may not import node:fs'],
  ['src/server/main.ts', "import 'node:fs';", 'src/server/main.ts may not import node:fs'],
  [
    'src/server/a.ts',
    "const x = await import('./node/b.js');",
    'src/server may not import src/server/node/b.ts',
  ],
  [
    'src/server/a.ts',
    "import type { X } from './main.js';",
    'src/server may not import src/server/main.ts',
  ],
  [
    'src/commands/a.ts',
    "import { x } from '../server/server.js';",
    'src/commands may not import src/server/server.ts',
  ],
  [
    'src/commands/a.ts',
    "import { x } from '../server/node/driver.js';",
    'src/commands may not import src/server/node/driver.ts',
  ],
  [
    'src/commands/a.ts',
    "import chalk from 'chalk';",
    'chalk may be imported by src/commands/render/* only',
  ],
  [
    'src/commands/a.ts',
    "import x from 'lodash';",
    'the package lodash has no home in the import table',
  ],
  ['src/server/a.ts', "import { x } from './b';", './b does not end in .js'],
  ['src/new/a.ts', '', 'no row of the import table covers it'],
] as const) {
  test(`${path}: ${text} is ${complaint === undefined ? 'allowed' : 'refused'}`, () => {
    const expected = complaint === undefined ? [] : [`${path}:1: ${complaint}`];
    assert.equal(complaintsOf(path, text), expected);
  });
}

test('a missing or incomplete table is an error', () => {
  assert.throws(() => parseImportTable('# nothing'), /no table begins with "\| Folder \|"/);
  assert.throws(() => parseImportTable('| Folder |\n|---|\n| `a` |'), /too few cells/);
});

function sources(texts: Readonly<Record<string, string>>): SourceFile[] {
  return Object.entries(texts).map(([path, text]) => parseSource(path, text));
}

test('a cycle is found once, and type imports make none', () => {
  const files = sources({
    'src/a.ts': "import './b.js';",
    'src/b.ts': "import './c.js';",
    'src/c.ts': "import './b.js';\nimport type { A } from './a.js';",
  });
  assert.equal(findCycles(files), ['src/b.ts -> src/c.ts -> src/b.ts']);
});

test('a file that no entry reaches is found, also if components use it', () => {
  const files = sources({
    'src/bin/a.ts': "import('../b.js');",
    'src/b.tsx': "import type { C } from './c.js';",
    'src/c.ts': '',
    'src/dead.ts': "import './c.js';",
  });
  assert.equal(findUnreachable(files, ['src/bin/a.ts']), ['src/dead.ts']);
});

test('a row that allows a later row is found', () => {
  const row = (name: string, doors: string): string => `| \`${name}\` | ${doors} | none | x |\n`;
  const parse = (rows: string) =>
    parseImportTable(`| Folder |\n|---|\n${rows}\n| Package |\n|---|\n`);
  const below = row('src/a/b', '`src/a/main.ts`') + row('src/a', '`src/a/b`');
  assert.equal(findDoorsDown(parse(below)), ['src/a/b: src/a/main.ts']);
  assert.equal(findDoorsDown(parse(row('src/a/b', 'nothing') + row('src/a', '`src/a/b`'))), []);
});

test('an allowed import that no file uses is found', () => {
  const files = [
    parseSource('src/server/b.ts', "import { c } from '../jute/c.js';"),
    parseSource('src/server/node/d.ts', "import { b } from '../b.js';"),
    parseSource('src/server/main.ts', "import { b } from './server.js';"),
    parseSource('src/commands/e.ts', "import { e } from '../server/config.js';"),
  ];
  assert.equal(findUnusedDoors(TABLE, files), [
    'src/server/main.ts: src/server/node',
    'src/commands: src/server/persistence',
  ]);
});

test.run();
