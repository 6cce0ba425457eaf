import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGES } from './import-rules.js';
import { findCycles, findUnreachable } from './support/tidy/import-graph.js';
import { checkImports, findUnusedRules, isPure } from './support/tidy/import-rules.js';
import { checkWords } from './support/tidy/plain-words.js';
import { PROJECT_ROOT, readProjectFile, readSources } from './support/tidy/source-file.js';
import { checkTestFile } from './support/tidy/test-rules.js';
import {
  checkBarrel,
  checkColumns,
  checkIgnores,
  checkName,
  checkPurity,
  checkText,
  checkVoid,
} from './support/tidy/text-rules.js';
import { findUnusedExports } from './support/tidy/unused-exports.js';
import { findVerbImports } from './support/tidy/verb-rules.js';

// The rules for sources. test/support/tidy/*.test.ts shows that each one can fail.

/** Files that re-export others. */
const REGISTRIES = [
  'src/client/index.ts',
  'src/commands/zkops/index.ts',
  'src/compat/node-zookeeper-client/index.ts',
  'src/compat/zookeeper/index.ts',
  'src/fourlw/index.ts',
  'src/index.ts',
  'src/recipes/index.ts',
  'src/server/main.ts',
];

/** Files that may skip tests, because they print the reason. */
const REGISTRARS = [
  'test/applications/application-test.ts',
  'test/cli/repl/world.ts',
  'test/conformance/clients/client-suite-native.ts',
  'test/conformance/support/peers.ts',
  'test/conformance/tls.test.ts',
  'test/server/node/admin/admin-apache.test.ts',
  'test/scripts/node-versions.long.test.ts',
  'test/certificates/key-store.test.ts',
  'test/support/machine/chromium.ts',
  'test/support/peers/kdc.ts',
  'test/support/machine/curl.ts',
  'test/support/machine/ipv6.ts',
  'test/support/machine/namespaces.ts',
  'test/support/machine/nobody.ts',
  'test/support/peers/ocsp-responder.ts',
  'test/support/apache/oracle.ts',
  'test/support/machine/outer-shells.ts',
  'test/support/machine/promtool.ts',
  'test/support/machine/booted-systemd.ts',
  'test/support/apache/dpkg.ts',
  'test/support/machine/systemd.ts',
  'test/support/terminal/terminal.ts',
];

/** Sources that no command reaches, each with the reason to keep it. */
const UNREACHED: Readonly<Record<string, string>> = {
  'src/server/node/storage/snapshot-worker.ts': 'a thread, started by its URL',
};

/** Exports that tests compare with documents, or write them from. */
const FOR_DOCUMENTS = ['OPTION_SECTIONS', 'REASONS'];

/** Entries of package.json without a source yet. */
const ENTRIES_TO_COME: readonly string[] = [];

const src = readSources('src');
const tests = readSources('test');
const others = [...readSources('bench'), ...readSources('scripts')];
const all = [...src, ...tests, ...others];

function expectNone(complaints: readonly string[]): void {
  assert.equal(complaints, []);
}

test('imports follow test/import-rules.ts', () => {
  expectNone(src.flatMap(checkImports));
});

test('no import rule is without use', () => {
  expectNone(findUnusedRules(src));
});

test('every dependency has a place in the import rules', () => {
  const { dependencies, peerDependencies } = JSON.parse(readProjectFile('package.json'));
  const names = Object.keys({ ...dependencies, ...peerDependencies });
  expectNone(names.filter((name) => !(name in PACKAGES)));
});

test('imports form no cycle', () => {
  expectNone(findCycles(src));
});

test('no verb of zksh imports a verb, and only the registry imports their rooms', () => {
  expectNone(findVerbImports(src));
});

test('every source is reached from a command or an entry of the package', () => {
  const entries = [
    ...src.map(({ path }) => path).filter((path) => path.startsWith('src/bin/')),
    ...REGISTRIES,
    'src/console/page/main.tsx',
  ];
  assert.equal(findUnreachable(src, entries), Object.keys(UNREACHED).sort());
});

test('each export of src is used in src, or also tested', () => {
  const found = findUnusedExports(src, [...tests, ...others], REGISTRIES);
  expectNone(found.filter((each) => !FOR_DOCUMENTS.some((name) => each.endsWith(` ${name}`))));
});

test('commands and entries that package.json names have a source', () => {
  const { bin, exports } = JSON.parse(readProjectFile('package.json'));
  const targets: [name: string, file: string][] = [
    ...Object.entries<string>(bin),
    ...Object.entries<{ import: { default: string } }>(exports).map(
      ([name, entry]): [string, string] => [name, entry.import.default],
    ),
  ];
  const paths = new Set(src.map(({ path }) => path));
  const missing = targets.filter(([, file]) => {
    const source = file.replace(/^dist\/bin\//, 'src/bin/').replace(/^\.\/dist\//, '');
    return !paths.has(source.replace(/\.c?js$/, '.ts'));
  });
  assert.equal(
    missing.map(([name]) => name),
    ENTRIES_TO_COME,
  );
});

test('pure code uses no time, randomness, process, or waiting', () => {
  expectNone(src.filter(({ path }) => isPure(path) && path.endsWith('.ts')).flatMap(checkPurity));
});

test('only registries re-export', () => {
  expectNone(src.flatMap((file) => checkBarrel(file, REGISTRIES)));
});

test('no promise is left without a rejection handler', () => {
  const entry = /^src\/bin\//;
  expectNone(src.filter(({ path }) => !entry.test(path)).flatMap(checkVoid));
});

test('files have kebab-case names', () => {
  expectNone(all.flatMap(checkName));
});

test('comments end before column 100', () => {
  const wide = all.flatMap(checkColumns);
  expectNone(wide);
});

test('no unfinished work, machine path, or registry host', () => {
  // These files hold samples of the forbidden text.
  const sources = all.filter(({ path }) => !path.startsWith('test/support/tidy/'));
  const documents = [
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'README.md',
    'package.json',
    'package-lock.json',
  ];
  const texts = documents.map((path) => ({ path, text: readProjectFile(path) }));
  expectNone(
    [...sources, ...texts].flatMap(({ path, text }) => checkText(path, text, PROJECT_ROOT)),
  );
});

test('no file has a phrase that CONTRIBUTING.md forbids', () => {
  const manuals = ['docs', 'man', 'test/golden'].flatMap((folder) =>
    readSources(folder, /\.(?:md|\d|txt)$/),
  );
  const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'].map((path) => ({
    path,
    text: readProjectFile(path),
  }));
  expectNone([...all, ...manuals, ...pages].flatMap(({ path, text }) => checkWords(path, text)));
});

test('a biome-ignore has a reason', () => {
  expectNone(all.flatMap(checkIgnores));
});

test('test files run, have no hooks, and omit no test', () => {
  expectNone(tests.flatMap((file) => checkTestFile(file, REGISTRARS)));
});

test.run();
