// Every recipe has an example on its declaration, which compiles in strict TypeScript.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as entry from '../../src/recipes/index.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT, readSources } from '../support/tidy/source-file.js';

/** A comment of documentation, and the class or function that it describes. */
const DOCUMENTED = /^\/\*\*\n((?: \*.*\n)+?) \*\/\nexport (?:async )?(?:class|function) (\w+)/gm;

/** By the name of the class or function. */
function examples(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { text } of readSources('src/recipes')) {
    for (const [, comment = '', name = ''] of text.matchAll(DOCUMENTED)) {
      const lines = comment.split('\n').map((line) => line.replace(/^ \* ?/, ''));
      const start = lines.indexOf('@example');
      if (start === -1) continue;
      const rest = lines.slice(start + 1);
      const end = rest.findIndex((line) => line.startsWith('@'));
      found.set(name, rest.slice(0, end === -1 ? undefined : end).join('\n'));
    }
  }
  return found;
}

const EXAMPLES = examples();

test('every class and function of the recipes has an example', () => {
  const names = Object.keys(entry);
  assert.ok(names.length > 20);
  assert.equal(
    names.filter((name) => (EXAMPLES.get(name) ?? '').trim() === ''),
    [],
  );
});

/** The faults of the compiler in these examples. */
function faultsOf(all: Iterable<readonly [string, string]>): string {
  const folder = makeTempDir('examples');
  try {
    const bodies = [...all].map(
      ([name, body]) => `export async function of${name}(): Promise<void> {\n${body}\n}`,
    );
    const head = [
      `import type { ZooKeeperClient } from '${join(PROJECT_ROOT, 'dist/src/client/index.js')}';`,
      `import { ${Object.keys(entry).join(', ')} } from '${join(PROJECT_ROOT, 'dist/src/recipes/index.js')}';`,
      'declare const client: ZooKeeperClient;',
      'declare const signal: AbortSignal;',
      'declare function work(signal: AbortSignal): Promise<void>;',
    ];
    writeFileSync(join(folder.path, 'all.mts'), [...head, ...bodies].join('\n'));
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['ES2023', 'ESNext.Disposable'],
      types: ['node'],
      typeRoots: [join(PROJECT_ROOT, 'node_modules/@types')],
      noEmit: true,
    };
    const config = join(folder.path, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ['all.mts'] }));
    const tsc = join(PROJECT_ROOT, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' }).stdout;
  } finally {
    folder.remove();
  }
}

test('the examples compile, and one that does not is found', () => {
  assert.is(faultsOf(EXAMPLES), '');
  assert.match(faultsOf([['Bad', 'await new Lock(client).acquire();']]), /error TS2554/);
});

test.run();
