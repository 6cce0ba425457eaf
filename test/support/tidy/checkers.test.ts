import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { blankText } from './blank-text.js';
import { checkWords } from './plain-words.js';
import { parseSource } from './source-file.js';
import { checkTestFile } from './test-rules.js';
import {
  checkBarrel,
  checkColumns,
  checkIgnores,
  checkName,
  checkPurity,
  checkText,
  checkVoid,
} from './text-rules.js';

// Each rule of test/tidy.test.ts complains about a bad sample and accepts a good one.

test('the scanner separates text from code', () => {
  const cases: readonly (readonly [source: string, code: string])[] = [
    ["a('b'); // c", "a(' ');     "],
    ['a /* b\nc */ d', 'a     \n     d'],
    ['`a @{b + `c`} d` e', '`  @{b + ` `}  ` e'],
    ['`@{{ a: "}" }.a}` b', '`@{{ a: " " }.a}` b'],
    ["'it\\'s' + b", "'     ' + b"],
    ['a = /[/\'"]/g.test(b)', 'a = /     /g.test(b)'],
    ['a / b / c', 'a / b / c'],
    ["return /'/;", 'return / /;'],
  ];
  // '@{' stands for the start of a substitution, which a linter would report in a plain string.
  const withDollars = (text: string): string => text.replaceAll('@{', '$' + '{');
  for (const [source, code] of cases) {
    assert.is(blankText(withDollars(source)), withDollars(code), source);
  }
});

test('every form of import is found, and only imports', () => {
  const text = `
import './a.js';
import type { B } from './b.js';
import {
  c,
} from "./c.js";
export * from './d.js';
const e = await import('./e.js');
const f = "import './f.js'"; // import './g.js'
type H = import('./h.js').H;
`;
  const { imports } = parseSource('src/x/y.ts', text);
  assert.equal(
    imports.map(({ specifier, line, isTypeOnly }) => [specifier, line, isTypeOnly]),
    [
      ['./a.js', 2, false],
      ['./b.js', 3, true],
      ['./c.js', 6, false],
      ['./d.js', 7, false],
      ['./e.js', 8, false],
      ['./h.js', 10, false],
    ],
  );
  assert.is(imports[0]?.file, 'src/x/a.ts');
});

for (const [text, complaints] of [
  ['const now = Date.now();', ['Date is not allowed in pure code']],
  ['setTimeout(f, 1);', ['setTimeout is not allowed in pure code']],
  ['export async function f() {}', ['async is not allowed in pure code']],
  ['const x = Math.random();', ['Math.random is not allowed in pure code']],
  ['process.exit(1);', ['process. is not allowed in pure code']],
  ['let p: Promise<void>;', ['Promise is not allowed in pure code']],
  ['performance.now();', ['performance is not allowed in pure code']],
  ["final.process(x); const Update = 'Date'; // a Promise", []],
  ['process(input: Input): void {}', []],
] as const) {
  test(`purity: ${text}`, () => {
    const file = parseSource('src/server/a.ts', text);
    assert.equal(
      checkPurity(file),
      complaints.map((complaint) => `src/server/a.ts:1: ${complaint}`),
    );
  });
}

test('only registries may have an index or re-export', () => {
  const reexport = "export { x } from './x.js';";
  assert.is(checkBarrel(parseSource('src/a.ts', reexport), []).length, 1);
  assert.is(checkBarrel(parseSource('src/a.ts', "export type * from './x.js';"), []).length, 1);
  assert.is(checkBarrel(parseSource('src/a/index.ts', 'export const x = 1;'), []).length, 1);
  assert.is(checkBarrel(parseSource('src/a.ts', reexport), ['src/a.ts']).length, 0);
  assert.is(checkBarrel(parseSource('src/a.ts', 'export const from = 1;'), []).length, 0);
});

test('a promise may not be discarded with void', () => {
  for (const bad of ['void go();', '  if (a) void go();', 'else void this.#go();']) {
    assert.is(checkVoid(parseSource('src/a.ts', bad)).length, 1, bad);
  }
  for (const good of ['inBackground(go(), tell);', '// void go();', 'function f(): void {}']) {
    assert.equal(checkVoid(parseSource('src/a.ts', good)), [], good);
  }
});

test('names are kebab-case', () => {
  for (const path of ['src/a-b.ts', 'test/a/b.test.ts', '.ci/run', 'src/zoo.cfg.ts']) {
    assert.equal(checkName({ path }), [], path);
  }
  for (const path of ['src/aB.ts', 'src/Tree/a.ts', 'src/a_b.ts', 'src/-a.ts']) {
    assert.is(checkName({ path }).length, 1, path);
  }
});

test('a comment ends before column 100, but a string may be longer', () => {
  const long = 'x'.repeat(100);
  const count = (text: string): number => checkColumns(parseSource('src/a.ts', text)).length;
  assert.is(count(`// ${long}`), 1);
  assert.is(count(`/**\n * ${long}\n */`), 1);
  assert.is(count(`// ${'x'.repeat(97)}`), 0);
  assert.is(count(`const a = '${long}';`), 0);
});

test('no unfinished work, machine path, registry host, or silenced compiler', () => {
  for (const text of [
    `// ${'FIX'}ME later`,
    `const home = '/${'root'}/data';`,
    `const home = '/${'home'}/me/data';`,
    'cd /build/zk/src',
    `"${'resolved'}": "https://example.org/a.tgz"`,
    `// @${'ts'}-ignore`,
  ]) {
    assert.is(checkText('a', text, '/build/zk').length, 1, text);
  }
  for (const text of [
    '/rooted',
    '/home/b',
    '/build/zkx',
    'get /a/home/b',
    '../work/x',
    '/usr/share/java',
    '/var/lib/zookeeper',
  ]) {
    assert.equal(checkText('a', text, '/build/zk'), [], text);
  }
});

test('a biome-ignore needs a reason', () => {
  const ignore = 'biome-' + 'ignore lint/style/x';
  const count = (text: string): number => checkIgnores(parseSource('src/a.ts', text)).length;
  assert.is(count(`// ${ignore}`), 1);
  assert.is(count(`// ${ignore}: needed`), 1);
  assert.is(count(`// ${ignore}: rows have no identity`), 0);
});

for (const [what, text] of [
  ['without run', "test('a', () => {});"],
  ['that runs too early', "test.run();\ntest('a', () => {});"],
  ['with run in a comment', '// test.run();'],
  ['with a hook', 'test.before(() => {});\ntest.run();'],
  ['with a hook for each test', 'suite.after.each(() => {});\nsuite.run();'],
  // Bad samples as text: the checker must find them.
  ['with only', "test.only('a', () => {});\ntest.run();"],
  ['with skip', "test.skip('a', () => {});\ntest.run();"],
  ['with a class as a check', 'assert.throws(() => f(), RangeError);\ntest.run();'],
  ['with a string as a check', "assert.throws(() => f(), 'wrong');\ntest.run();"],
  ['that sleeps', 'await delay(100);\ntest.run();'],
] as const) {
  test(`a test file ${what} is refused`, () => {
    assert.is(checkTestFile(parseSource('test/a.test.ts', text)).length, 1);
  });
}

test('a valid test file passes, and a registrar may skip', () => {
  assert.equal(checkTestFile(parseSource('test/a.test.ts', "test('a', f);\n\ntest.run();\n")), []);
  const registrar = parseSource('test/support/a.ts', 'export const t = has ? test : test.skip;');
  assert.is(checkTestFile(registrar).length, 1);
  assert.equal(checkTestFile(registrar, ['test/support/a.ts']), []);
});

test('a forbidden phrase is found, also across lines', () => {
  const count = (text: string): number => checkWords('a.ts', text).length;
  for (const text of [
    `// ${'wh'}at is longer`,
    '/** It is\n * none of them. */',
    `'the ${'col'}our'`,
  ]) {
    assert.is(count(text), 1, text);
  }
  assert.is(count('// It is no longer a member.'), 0);
});

test.run();
