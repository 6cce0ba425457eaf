// The packed tarball in an empty project: an application that was written from docs/library.md
// alone compiles in strict TypeScript, and runs; so do its tests.
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { buildSync } from 'esbuild';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makePackedProject, runNode } from './support/packed-project.js';
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

function tsc(cwd: string, options: object, files: readonly string[]): void {
  const config = join(cwd, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }));
  runNode(cwd, [join(MODULES, 'typescript/bin/tsc'), '-p', config]);
}

/** The application and its tests, in docs/examples. */
function checkExamples(path: string): void {
  for (const name of readdirSync(EXAMPLES)) copyFileSync(join(EXAMPLES, name), join(path, name));
  const files = ['worker.ts', 'worker.test.ts'];
  tsc(path, { module: 'esnext', moduleResolution: 'bundler', noEmit: true }, files);
  tsc(path, { module: 'node16' }, files);
  // The declarations of Vitest and of its chai declare one method twice.
  tsc(path, { module: 'node16', noEmit: true, skipLibCheck: true }, ['worker.vitest.test.ts']);
  runNode(path, ['--test', 'out/worker.test.js']);
  // Without any test, both runners fail.
  runNode(path, ['node_modules/vitest/vitest.mjs', 'run', 'worker.vitest']);
  runNode(path, ['node_modules/jest/bin/jest.js', 'worker.jest']);
}

/** Jest's DOM gets the entries of Node.js, unlike a bundle for browsers. */
function checkDom(path: string): void {
  const source = `/** @jest-environment jsdom */
const { createClient } = require('zksh/client');
const { Lock } = require('zksh/recipes');
const { startServer } = require('zksh/server');

test('a client and a recipe beside a DOM', async () => {
  expect(typeof document).toBe('object');
  const server = await startServer();
  const client = createClient({ connectString: server.connectString });
  await client.connect();
  await client.create('/bytes', new Uint8Array([65, 66]));
  const { signal } = new AbortController();
  await (await new Lock(client, '/lock').acquire({ timeoutMs: 5000, signal })).release();
  expect(String((await client.getData('/bytes')).data)).toBe('AB');
  await client.close();
  await server.close();
});
`;
  writeFileSync(join(path, 'dom.jest.test.cjs'), source);
  runNode(path, ['node_modules/jest/bin/jest.js', '--forceExit', 'dom.jest']);
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
  const asClass = `import ZooKeeper = require('zksh/compat/zookeeper');
const itself: ZooKeeper = new ZooKeeper({ connect: '127.0.0.1:1' });
const config: ZooKeeper.Config = { timeout: ZooKeeper.constants.ZOO_EPHEMERAL };
class Own extends ZooKeeper {}
new Own(config).setEncoding('utf8');
if (itself.state !== ZooKeeper.ZOK) throw new Error('no class');
`;
  const required = source
    .replace(/import \* as (\w+) from ('[^']+')/g, 'import $1 = require($2)')
    .concat(asClass);
  writeFileSync(join(path, 'cjs.cts'), required);
  tsc(path, { module: 'node16' }, ['esm.mts', 'cjs.cts']);
  const expected = `${'true,'.repeat(ENTRIES.length)}true 0\n`;
  assert.is(runNode(path, ['out/esm.mjs']), expected);
  assert.is(runNode(path, ['out/cjs.cjs']), expected);
  const whole = `console.log(typeof require('zksh/compat/zookeeper'))`;
  assert.is(runNode(path, ['-e', whole]), 'function\n');
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

/** What a bundle of one import may weigh, minified, in bytes. */
const SHAKEN: readonly (readonly [entry: string, name: string, mostBytes: number])[] = [
  ['client', 'Perms', 600],
  ['client', 'createClient', 120_000],
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

const READER = `import { createClient } from 'zksh/client';
const client = createClient({ connectString: '127.0.0.1:2181' });
await client.connect();
console.log((await client.getData('/a')).data);
await client.close();
`;
const MOST_LOADED_BYTES = 105_000;

/** A program that reads a znode carries no Kerberos, and loads no revocation lists. */
function checkLoaded(path: string): void {
  writeFileSync(join(path, 'reader.js'), READER);
  const { outputs } = buildSync({
    absWorkingDir: path,
    entryPoints: ['reader.js'],
    outdir: 'reader',
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    platform: 'node',
    write: false,
    logLevel: 'error',
  }).metafile;
  const loaded = new Set(['reader/reader.js']);
  // This also visits the names that the loop adds.
  for (const name of loaded) {
    for (const { kind, path: next } of outputs[name]?.imports ?? []) {
      if (kind === 'import-statement' && next in outputs) loaded.add(next);
    }
  }
  const bytes = [...loaded].reduce((sum, name) => sum + (outputs[name]?.bytes ?? 0), 0);
  assert.ok(bytes > 10_000 && bytes <= MOST_LOADED_BYTES, `${bytes} bytes`);
  const sources = [...loaded].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
  const unused = sources.filter((from) => /dist\/src\/kerberos\/node|revocation/.test(from));
  assert.equal(unused, []);
}

test('the packed package works in an empty project', () => {
  const { path, remove } = makePackedProject('runners');
  try {
    checkBrowser(path);
    checkTreeShaking(path);
    checkLoaded(path);
    checkEntries(path);
    checkTypes(path);
    checkExamples(path);
    checkDom(path);
  } finally {
    remove();
  }
});

test.run();
