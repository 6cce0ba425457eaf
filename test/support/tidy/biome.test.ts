import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../machine/temp-dir.js';
import { PROJECT_ROOT, readProjectFile } from './source-file.js';

// Samples that biome.json must refuse, and similar code that it must accept. tidy.test.ts checks
// imports and pure code.

const FLOATING = `async function wait(): Promise<void> {
  await Promise.resolve();
}
export function go(): void {
  wait();
}
`;

function functionOf(lines: number): string {
  return `export function f(): void {\n${'  g();\n'.repeat(lines)}}\n\nfunction g(): void {}\n`;
}

const SAMPLES: readonly (readonly [path: string, text: string, rule: string | undefined])[] = [
  ['src/client/fooBar.ts', 'export const a = 1;\n', 'useFilenamingConvention'],
  ['src/client/c.ts', FLOATING, 'noFloatingPromises'],
  ['src/client/d.ts', 'export const a = (b: any): unknown => b;\n', 'noExplicitAny'],
  ['src/client/e.ts', 'export const a = (b?: string): string => b!;\n', 'noNonNullAssertion'],
  ['src/client/f.ts', functionOf(60), undefined],
  ['src/client/g.ts', functionOf(80), 'noExcessiveLinesPerFunction'],
  ['src/client/h.ts', "import { i } from './i.js';\n\nexport const h = i;\n", 'noImportCycles'],
  ['src/client/i.ts', "import { h } from './h.js';\n\nexport const i = h;\n", 'noImportCycles'],
];

/**
 * Lints all samples in one run with the configuration of the project: path -> the rules that
 * complain.
 */
function lintSamples(folder: string): Map<string, Set<string>> {
  const config = JSON.parse(readProjectFile('biome.json'));
  writeFileSync(
    join(folder, 'biome.json'),
    JSON.stringify({ ...config, $schema: undefined, vcs: { enabled: false } }),
  );
  for (const [path, text] of SAMPLES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const biome = join(PROJECT_ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const { stdout } = spawnSync(
    process.execPath,
    [biome, 'lint', '--reporter=github', '--max-diagnostics=none', '.'],
    { cwd: folder, encoding: 'utf8' },
  );
  const complaints = new Map<string, Set<string>>();
  for (const match of stdout.matchAll(/title=lint\/[^/]+\/(\w+),file=([^,]+),/g)) {
    const [, rule = '', file = ''] = match;
    const path = relative(realpathSync(folder), file).replaceAll('\\', '/');
    complaints.set(path, (complaints.get(path) ?? new Set()).add(rule));
  }
  return complaints;
}

const home = makeTempDir('biome');
const complaints = lintSamples(home.path);
home.remove();

for (const [path, text, rule] of SAMPLES) {
  const what = text.split('\n')[0]?.slice(0, 60);
  test(`${path}: ${what}: ${rule ?? 'allowed'}`, () => {
    assert.equal([...(complaints.get(path) ?? [])], rule === undefined ? [] : [rule]);
  });
}

test.run();
