import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../temp-dir.js';
import { PROJECT_ROOT, readProjectFile } from './source-file.js';

// biome.json holds the same rules as far as a linter can: while typing, not only in a test. Here
// are samples that it must refuse, and their neighbours that it must not.

const IMPORT = 'noRestrictedImports';
const CLOCK = 'export const read = (): number => Date.now();\n';
const FLOATING = `async function wait(): Promise<void> {
  await Promise.resolve();
}
export function go(): void {
  wait();
}
`;

function importing(specifier: string): string {
  return `import { x } from '${specifier}';\n\nexport const y = x;\n`;
}

function functionOf(lines: number): string {
  return `export function f(): void {\n${'  g();\n'.repeat(lines)}}\n\nfunction g(): void {}\n`;
}

const SAMPLES: readonly (readonly [path: string, text: string, rule: string | undefined])[] = [
  ['src/jute/a.ts', importing('./b.js'), undefined],
  ['src/jute/b.ts', importing('../protocol/b.js'), IMPORT],
  ['src/jute/c.ts', importing('node:buffer'), IMPORT],
  ['src/protocol/a.ts', importing('../jute/b.js'), undefined],
  ['src/protocol/b.ts', importing('../server/b.js'), IMPORT],
  ['src/fourlw/a.ts', importing('../protocol/b.js'), undefined],
  ['src/fourlw/b.ts', importing('../jute/b.js'), IMPORT],
  ['src/server/tree/a.ts', importing('../../jute/b.js'), undefined],
  ['src/server/tree/b.ts', importing('node:fs'), IMPORT],
  ['src/server/tree/c.ts', importing('../node/driver.js'), IMPORT],
  ['src/server/tree/d.ts', importing('../../client/session.js'), IMPORT],
  ['src/server/tree/e.ts', CLOCK, 'noRestrictedGlobals'],
  ['src/server/node/a.ts', CLOCK, undefined],
  ['src/server/node/b.ts', importing('pino'), undefined],
  ['src/server/node/c.ts', importing('../main.js'), IMPORT],
  ['src/server/main.ts', importing('./node/driver.js'), undefined],
  ['src/client/a.ts', importing('zookeeper'), IMPORT],
  ['src/client/native-a.ts', importing('zookeeper'), undefined],
  ['src/client/b.ts', importing('../server/server.js'), IMPORT],
  ['src/commands/a.ts', importing('chalk'), IMPORT],
  ['src/commands/b.ts', importing('../server/config.js'), undefined],
  ['src/commands/c.ts', importing('../server/node/driver.js'), IMPORT],
  ['src/commands/render/a.ts', importing('chalk'), undefined],
  ['src/commands/render/b.ts', importing('ink'), IMPORT],
  ['src/shell/a.ts', importing('ink'), undefined],
  ['src/shell/b.ts', importing('chalk'), IMPORT],
  ['src/shell/theme.ts', importing('chalk'), undefined],
  ['src/client/fooBar.ts', 'export const a = 1;\n', 'useFilenamingConvention'],
  ['src/client/c.ts', FLOATING, 'noFloatingPromises'],
  ['src/client/d.ts', 'export const a = (b: any): unknown => b;\n', 'noExplicitAny'],
  ['src/client/e.ts', 'export const a = (b?: string): string => b!;\n', 'noNonNullAssertion'],
  ['src/client/f.ts', functionOf(60), undefined],
  ['src/client/g.ts', functionOf(80), 'noExcessiveLinesPerFunction'],
  ['src/client/h.ts', "import { i } from './i.js';\n\nexport const h = i;\n", 'noImportCycles'],
  ['src/client/i.ts', "import { h } from './h.js';\n\nexport const i = h;\n", 'noImportCycles'],
];

/** Lints all samples in one run under our configuration: path -> the rules that complain. */
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
