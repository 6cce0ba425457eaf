// The declarations of the packed tarball: releases of TypeScript compile every entry with all
// checks, as a module of either kind, and two checkers of packages find no fault.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makePackedProject, runNode } from './support/packed-project.js';
import { PROJECT_ROOT, readProjectFile } from './support/tidy/source-file.js';

/** The oldest that the declarations fit, and this project's own. */
const COMPILERS = ['typescript-5.0', 'typescript-5.4', 'typescript-5.9', 'typescript'];

/** As import, and as `import … = require(…)`. */
function writeSources(path: string): void {
  const { exports } = JSON.parse(readProjectFile('package.json'));
  const entries = Object.keys(exports).map((entry) => entry.replace('.', 'zksh'));
  assert.ok(entries.length > 5);
  const lines = entries.map((entry, i) => `import * as m${i} from '${entry}';\n`);
  const all = `export const all: object[] = [${entries.map((_, i) => `m${i}`).join()}];\n`;
  const source = `${lines.join('')}${all}`;
  const required = source.replace(/\* as (\w+) from ('[^']+')/g, '$1 = require($2)');
  for (const [name, text] of Object.entries({
    'esm.mts': source,
    'cjs.cts': required,
    'commonjs.ts': required.replace('export const all', 'const all').concat('export = all;\n'),
  })) {
    writeFileSync(join(path, name), text);
  }
}

function compile(path: string, compiler: string, options: object, files: readonly string[]): void {
  const compilerOptions = { strict: true, target: 'es2022', types: ['node'], noEmit: true };
  const config = { compilerOptions: { ...compilerOptions, ...options }, files };
  writeFileSync(join(path, 'tsconfig.json'), JSON.stringify(config));
  const isOwn = compiler === 'typescript';
  const tsc = join(isOwn ? PROJECT_ROOT : path, 'node_modules', compiler, 'bin/tsc');
  runNode(path, [tsc, '-p', path]);
}

test('every release of TypeScript from 5.0 on compiles every entry', () => {
  const { path, tarball, remove } = makePackedProject('compilers');
  try {
    writeSources(path);
    for (const compiler of COMPILERS) {
      compile(path, compiler, { module: 'node16' }, ['esm.mts', 'cjs.cts']);
      // The usual resolution of that time reads no exports. The newest compiler has left it out.
      const isNewest = compiler === 'typescript';
      const old = isNewest ? {} : { moduleResolution: 'node10' };
      compile(path, compiler, { module: 'commonjs', ...old }, ['commonjs.ts']);
    }
    const bin = (name: string) => join('node_modules', name);
    const attw = runNode(path, [bin('@arethetypeswrong/cli/dist/index.js'), tarball]);
    assert.match(attw, 'No problems found');
    const publint = runNode(path, [bin('publint/src/cli.js'), tarball, '--strict']);
    assert.match(publint, 'All good!');
  } finally {
    remove();
  }
});

test.run();
