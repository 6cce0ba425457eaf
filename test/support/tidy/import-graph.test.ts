import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findCycles, findUnreachable } from './import-graph.js';
import { parseSource, type SourceFile } from './source-file.js';

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

test.run();
