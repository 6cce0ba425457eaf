import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkImports,
  findCycles,
  findDoorsDown,
  findUnreachable,
  findUnusedDoors,
  parseImportTable,
  ruleOf,
} from './support/tidy/import-table.js';
import { NOT_PLAIN_YET } from './support/tidy/not-plain-yet.js';
import { checkWords } from './support/tidy/plain-words.js';
import { PROJECT_ROOT, readProjectFile, readSources } from './support/tidy/source-file.js';
import { checkTestFile } from './support/tidy/test-rules.js';
import {
  checkBarrel,
  checkColumns,
  checkIgnores,
  checkLengths,
  checkName,
  checkPurity,
  checkText,
  checkVoid,
} from './support/tidy/text-rules.js';

// The rules of the house, held against the source. That each can fail is shown in
// test/support/tidy/*.test.ts.

/** Files that exist to gather others. */
const REGISTRIES = [
  'src/client/index.ts',
  'src/commands/zkops/index.ts',
  'src/fourlw/index.ts',
  'src/index.ts',
  'src/recipes/index.ts',
  'src/server/main.ts',
];

/** Files that may skip tests, since they print why. */
const REGISTRARS = [
  'test/cli/repl-apache.test.ts',
  'test/cli/repl-world.ts',
  'test/conformance/client-suite-native.ts',
  'test/conformance/tls.test.ts',
  'test/server/node/admin/admin-apache.test.ts',
  'test/server/node/tls/key-store.test.ts',
  'test/support/ipv6.ts',
  'test/support/namespaces.ts',
  'test/support/oracle.ts',
  'test/support/outer-shells.ts',
  'test/support/promtool.ts',
  'test/support/terminal.ts',
];

/** Files over 300 lines, and how long each may be: the figures may only become smaller. */
const LONG_FILES: Readonly<Record<string, number>> = {
  'src/client/session.ts': 310,
  'src/commands/zksh/language/parse-line.ts': 350,
  'src/server/admin/state-commands.ts': 330,
  'src/server/config/config-keys.ts': 410,
  'src/server/config/config.ts': 350,
  'src/server/persistence/snapshot-reader.ts': 320,
  'src/server/prep/prep.ts': 420,
  'src/server/pipeline/read.ts': 340,
  'src/server/quorum/learning/learner.ts': 340,
  'src/server/quorum/quorum-peer.ts': 360,
  'src/server/server.ts': 470,
  'src/server/tree/data-tree.ts': 480,
  'src/shell/shell-driver.ts': 310,
  'test/server/config/config.test.ts': 320,
  'test/server/quorum/ensemble-world.ts': 320,
  'test/server/persistence/apache-files.test.ts': 360,
  'test/support/fake-client.ts': 320,
};

/** Sources that no command leads to, each with the reason why it is there all the same. */
const UNREACHED: Readonly<Record<string, string>> = {};

/** Entries of package.json whose source is not there yet. */
const ENTRIES_TO_COME: readonly string[] = [];

const src = readSources('src');
const tests = readSources('test');
const others = [...readSources('bench'), ...readSources('scripts')];
const all = [...src, ...tests, ...others];
const table = parseImportTable(readProjectFile('ARCHITECTURE.md'));

/** What decides and touches nothing: it may use no module of Node. */
function isPure(path: string): boolean {
  const isDeciding = /^src\/(?:jute|protocol|server)\//.test(path);
  return isDeciding && ruleOf(table, path)?.nodeModules.length === 0;
}

function expectNone(complaints: readonly string[]): void {
  assert.equal(complaints, []);
}

test('imports keep to the table of ARCHITECTURE.md', () => {
  expectNone(src.flatMap((file) => checkImports(table, file)));
});

test('every row of the import table has files', () => {
  const used = new Set(src.map(({ path }) => ruleOf(table, path)?.folder));
  expectNone(table.folders.map(({ folder }) => folder).filter((folder) => !used.has(folder)));
});

test('every package that is depended upon has a home, and stays in it', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readProjectFile('package.json'));
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  expectNone(names.filter((name) => !table.homes.has(name)));
});

test('imports form no cycle', () => {
  expectNone(findCycles(src));
});

test('a row of the import table opens doors to rows above it only', () => {
  expectNone(findDoorsDown(table));
});

test('the import table opens no door that nobody uses', () => {
  expectNone(findUnusedDoors(table, src));
});

test('every source is reached from a command or an entry of the package', () => {
  const entries = [
    ...src.map(({ path }) => path).filter((path) => path.startsWith('src/bin/')),
    ...REGISTRIES,
  ];
  assert.equal(findUnreachable(src, entries), Object.keys(UNREACHED).sort());
});

test('commands and entries that package.json names have a source', () => {
  const { bin, exports } = JSON.parse(readProjectFile('package.json'));
  const targets: [name: string, file: string][] = [
    ...Object.entries<string>(bin),
    ...Object.entries<{ default: string }>(exports).map(([name, entry]): [string, string] => [
      name,
      entry.default,
    ]),
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

test('pure code knows no time, no chance, no process and does not wait', () => {
  expectNone(src.filter(({ path }) => isPure(path)).flatMap(checkPurity));
});

test('only registries hand on what others export', () => {
  expectNone(src.flatMap((file) => checkBarrel(file, REGISTRIES)));
});

test('no promise is left alone without a handler of its rejection', () => {
  const entry = /^src\/bin\//;
  expectNone(src.filter(({ path }) => !entry.test(path)).flatMap(checkVoid));
});

test('files have kebab-case names', () => {
  expectNone(all.flatMap(checkName));
});

test('files are short, and the long ones become no longer', () => {
  expectNone(checkLengths(all, LONG_FILES));
});

test('comments end before column 100', () => {
  const wide = all.flatMap(checkColumns);
  expectNone(wide);
});

test('nothing is left unfinished, tied to a machine or to a registry', () => {
  // The samples of what is forbidden are in there.
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

test('nobody writes the phrases that CONTRIBUTING.md rules out', () => {
  const manuals = ['docs', 'man', 'test/golden'].flatMap((folder) =>
    readSources(folder, /\.(?:md|\d|txt)$/),
  );
  const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'].map((path) => ({
    path,
    text: readProjectFile(path),
  }));
  const isDone = ({ path }: { readonly path: string }): boolean =>
    !NOT_PLAIN_YET.some((folder) => path.startsWith(folder));
  const texts = [...all, ...manuals, ...pages].filter(isDone);
  expectNone(texts.flatMap(({ path, text }) => checkWords(path, text)));
});

test('a rule of Biome is switched off with a reason only', () => {
  expectNone(all.flatMap(checkIgnores));
});

test('test files run, have no hooks and leave no test out', () => {
  expectNone(tests.flatMap((file) => checkTestFile(file, REGISTRARS)));
});

test.run();
