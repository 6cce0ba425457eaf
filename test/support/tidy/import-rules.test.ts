import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkImports, FOLDERS, findUnusedRules, folderOf, isPure } from './import-rules.js';
import { parseSource } from './source-file.js';

// Each rule about imports complains about a bad sample and accepts a good one.

for (const [path, text, complaint] of [
  ['src/server/tree/a.ts', "import { x } from '../../jute/record.js';", undefined],
  ['src/server/tree/a.ts', "import { x } from './b.js';", undefined],
  ['src/server/quorum/quorum-peer.ts', "import { x } from './leading/leader.js';", undefined],
  ['src/server/node/driver/a.ts', "import { readFile } from 'node:fs/promises';", undefined],
  ['src/commands/znodes/a.ts', "import { x } from '../../server/config/b.js';", undefined],
  ['src/shell/a.tsx', "import { Box } from 'ink';", undefined],
  ['src/jute/a.ts', "import { x } from '../server/b.js';", 'src/server/b.ts is outside the order'],
  [
    'src/server/tree/a.ts',
    "import type { X } from '../prep/b.js';",
    'src/server/prep/b.ts comes later in the order',
  ],
  [
    'src/server/prep/a.ts',
    "const x = await import('../node/log/b.js');",
    'src/server/node/log/b.ts comes later in the order',
  ],
  ['src/server/a.ts', '', 'no folder of the order covers it'],
  ['src/server/tree/a.ts', "import 'node:fs';", 'may not import node:fs: it decides without I/O'],
  [
    'src/commands/znodes/a.ts',
    "import { x } from '../../server/pipeline/b.js';",
    'may not import src/server/pipeline/b.ts: tools ask a server by its protocols, and share only its files and its configuration',
  ],
  [
    'src/server/prep/a.ts',
    "import { x } from '../tree/stat-table.js';",
    'may not import src/server/tree/stat-table.ts: only the tree knows its tables and the slots of znodes',
  ],
  ['src/server/prep/a.ts', "import { x } from '../tree/data-tree.js';", undefined],
  [
    'src/console/page/a.ts',
    "import { x } from '../../client/base/b.js';",
    'may not import src/client/base/b.ts: it runs in browsers',
  ],
  ['src/client/a.ts', "import { Box } from 'ink';", 'ink may be imported by src/shell, test only'],
  [
    'src/client/a.ts',
    "import x from 'lodash';",
    'the package lodash has no place in test/import-rules.ts',
  ],
  ['src/jute/a.ts', "import { x } from './b';", './b does not end in .js'],
] as const) {
  test(`${path}: ${text} is ${complaint === undefined ? 'allowed' : 'refused'}`, () => {
    const expected = complaint === undefined ? [] : [`${path}:1: ${complaint}`];
    assert.equal(checkImports(parseSource(path, text)), expected);
  });
}

test('the longest name covers a file', () => {
  assert.equal(folderOf('src/server/quorum/leading/leader.ts'), 'src/server/quorum/leading');
  assert.equal(folderOf('src/server/quorum/quorum-peer.ts'), 'src/server/quorum');
  assert.equal(folderOf('src/elsewhere/a.ts'), undefined);
});

test('the server decides without I/O, and its node folder acts', () => {
  const paths = ['src/server/prep/prep.ts', 'src/server/node/boot/a.ts', 'src/server/main.ts'];
  assert.equal(paths.map(isPure), [true, false, false]);
});

test('a folder without files and an exception without an import are found', () => {
  const unused = findUnusedRules([parseSource('src/jute/a.ts', '')]);
  assert.equal(unused.slice(0, FOLDERS.length - 1), FOLDERS.slice(1));
  assert.ok(unused.includes('src/server/main.ts'));
});

test.run();
