// The packed tarball in an empty project: an application that was written from docs/library.md
// alone compiles in strict TypeScript, and runs; so do its tests.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { buildSync } from 'esbuild';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from './support/machine/temp-dir.js';
import { PROJECT_ROOT, readProjectFile } from './support/tidy/source-file.js';

const MODULES = join(PROJECT_ROOT, 'node_modules');
const EXAMPLES = join(PROJECT_ROOT, 'docs/examples');
const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  target: 'es2022',
  types: ['node'],
  outDir: 'out',
};

/** Stands for Vitest and Jest, which this project does not install. */
const RUNNER = `import { deepEqual } from 'node:assert/strict';
export { afterEach, beforeEach, test } from 'node:test';
export const expect = (given) => ({
  toBe: (value) => deepEqual(given, value),
  toEqual: (value) => deepEqual(given, value),
});
`;
const RUNNER_TYPES = `export function test(name: string, run: () => Promise<void>): void;
export function beforeEach(run: () => Promise<void>): void;
export function afterEach(run: () => Promise<void>): void;
export function expect(given: unknown): { toBe(value: unknown): void; toEqual(value: unknown): void };
`;

function run(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  assert.is(status, 0, `node ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

function tsc(cwd: string, options: object, files: readonly string[]): void {
  const config = join(cwd, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }));
  run(cwd, [join(MODULES, 'typescript/bin/tsc'), '-p', config]);
}

/** An empty project that has the packed package, its dependencies, and the types of Node.js. */
function makeProject(): { path: string; remove: () => void } {
  const project = makeTempDir('packed');
  const modules = join(project.path, 'node_modules');
  mkdirSync(join(modules, '@types'), { recursive: true });
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', project.path];
  execFileSync('npm', pack, { cwd: PROJECT_ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  const tarball = readdirSync(project.path).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['-xzf', join(project.path, tarball), '-C', modules]);
  execFileSync('mv', [join(modules, 'package'), join(modules, 'zksh')]);
  const { dependencies } = JSON.parse(readProjectFile('package.json'));
  for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types']) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(join(MODULES, name), join(modules, name));
  }
  writeFileSync(join(project.path, 'package.json'), '{ "type": "module" }');
  return project;
}

/** The application and its tests, in docs/examples. */
function checkExamples(path: string): void {
  for (const name of readdirSync(EXAMPLES)) copyFileSync(join(EXAMPLES, name), join(path, name));
  const vitest = join(path, 'node_modules/vitest');
  mkdirSync(vitest);
  writeFileSync(join(vitest, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(join(vitest, 'index.js'), RUNNER);
  writeFileSync(join(vitest, 'index.d.ts'), RUNNER_TYPES);
  const globals = `Object.assign(globalThis, await import('./node_modules/vitest/index.js'));`;
  writeFileSync(join(path, 'globals.mjs'), globals);
  const files = ['worker.ts', 'worker.test.ts', 'worker.vitest.test.ts'];
  tsc(path, { module: 'node16' }, files);
  run(path, ['--test', 'out/worker.test.js', 'out/worker.vitest.test.js']);
  run(path, ['--import', './globals.mjs', '--test', 'worker.jest.test.cjs']);
  tsc(path, { module: 'esnext', moduleResolution: 'bundler', noEmit: true }, files);
}

const ENTRIES = `client recipes server compat/zookeeper compat/node-zookeeper-client`.split(' ');

/** Types and values of every entry, for import and for require. */
function checkEntries(path: string): void {
  const names = ENTRIES.map((entry, i) => [`m${i}`, `zksh/${entry}`] as const);
  const lines = names.map(([name, from]) => `import * as ${name} from '${from}';\n`);
  const used = `const all: object[] = [zksh, ${names.map(([name]) => name).join()}];
const client: m0.ZooKeeperClient = m0.createClient({ connectString: '127.0.0.1:1' });
const held: Promise<m1.Held> = new m1.Lock(client, '/lock').acquire();
held.catch(() => undefined);
void client.close();
const old: m3.ZooKeeper = new m3.ZooKeeper('127.0.0.1:1');
console.log(all.map((each) => Object.keys(each).length > 2).join(), old.state);
`;
  const source = `import * as zksh from 'zksh';\n${lines.join('')}${used}`;
  writeFileSync(join(path, 'esm.mts'), source);
  const required = source.replace(/import \* as (\w+) from ('[^']+')/g, 'import $1 = require($2)');
  writeFileSync(join(path, 'cjs.cts'), required);
  tsc(path, { module: 'node16' }, ['esm.mts', 'cjs.cts']);
  const expected = `${'true,'.repeat(ENTRIES.length)}true 0\n`;
  assert.is(run(path, ['out/esm.mjs']), expected);
  assert.is(run(path, ['out/cjs.cjs']), expected);
  const whole = `console.log(typeof require('zksh/compat/zookeeper'))`;
  assert.is(run(path, ['-e', whole]), 'function\n');
}

/** The declarations of the package give an application the types that it relies on. */
function checkTypes(path: string): void {
  const files = ['public-types', 'recipe-types', 'compat-types', 'expect-same'];
  for (const name of files) {
    const source = readProjectFile(`test/types/${name}.ts`)
      .replace(/'[^']+\/src\/server\/main\.js'/, `'zksh/server'`)
      .replace(/'[^']+\/src\/([^']+)\/index\.js'/g, `'zksh/$1'`)
      .replace("'./expect-same.js'", "'./expect-same.mjs'");
    writeFileSync(join(path, `${name}.mts`), source);
  }
  tsc(
    path,
    { module: 'node16' },
    files.map((name) => `${name}.mts`),
  );
}

/** A bundle for browsers says why it does not run. */
function checkBrowser(path: string): void {
  writeFileSync(
    join(path, 'page.js'),
    `import { createClient } from 'zksh/client';\ncreateClient();`,
  );
  const { outputFiles } = buildSync({
    absWorkingDir: path,
    entryPoints: ['page.js'],
    bundle: true,
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  const text = outputFiles[0]?.text ?? '';
  assert.throws(
    () => vm.runInNewContext(text),
    /^zksh: no browser can run it: ZooKeeper needs TCP/,
  );
}

/** What a bundle of one import may weigh, minified, in bytes: twice what it weighed when set. */
const SHAKEN: readonly (readonly [entry: string, name: string, mostBytes: number])[] = [
  ['client', 'Perms', 600],
  ['client', 'createClient', 170_000],
  ['recipes', 'Lock', 30_000],
];

/** An application pays for what it imports: bundlers drop the rest, and all of the server. */
function checkTreeShaking(path: string): void {
  for (const [entry, name, mostBytes] of SHAKEN) {
    const file = join(path, `shaken-${name}.js`);
    writeFileSync(file, `import { ${name} } from 'zksh/${entry}';\nconsole.log(${name});`);
    const { outputFiles, metafile } = buildSync({
      absWorkingDir: path,
      entryPoints: [file],
      bundle: true,
      format: 'esm',
      minify: true,
      metafile: true,
      platform: 'node',
      write: false,
      logLevel: 'error',
    });
    const bytes = outputFiles[0]?.contents.length ?? 0;
    assert.ok(bytes > 0 && bytes <= mostBytes, `${name}: ${bytes} bytes (at most ${mostBytes})`);
    const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([from, { bytesInOutput }]) =>
        bytesInOutput > 0 ? from : [],
      ),
    );
    // The bundle does come from the package, and its files have these names.
    assert.ok(used.some((from) => from.includes('zksh/dist/src/')));
    const ofServer = used.filter((from) => from.includes('zksh/dist/src/server/'));
    assert.equal(ofServer, [], name);
  }
}

test('the packed package works in an empty project', () => {
  const { path, remove } = makeProject();
  try {
    checkBrowser(path);
    checkTreeShaking(path);
    checkEntries(path);
    checkTypes(path);
    checkExamples(path);
  } finally {
    remove();
  }
});

test.run();
