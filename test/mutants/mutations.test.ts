import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { coveringTests, type MeasuredTest } from './covering-tests.js';
import { EQUIVALENTS, whyEquivalent } from './equivalents.js';
import { judge } from './judge.js';
import { type Mutation, mutate, mutationsOf } from './mutations.js';
import { Sandbox } from './sandbox.js';

/** All mutants of a statement, in a function. */
function mutantsOf(statement: string): string[] {
  const code = `function f() { ${statement} }`;
  return mutationsOf(code).map((one) => mutate(code, one).slice('function f() { '.length, -2));
}

test('each kind of change is made', () => {
  assert.equal(mutantsOf('return a < b;'), ['return a <= b;']);
  assert.equal(mutantsOf('return a === b && c;'), ['return a !== b && c;', 'return a === b || c;']);
  assert.equal(mutantsOf('return !a;'), ['return a;']);
  assert.equal(mutantsOf('return a + 1;'), ['return a - 1;', 'return a + (1 + 1);']);
  assert.equal(mutantsOf('return 5n;'), ['return (5n + 1n);']);
  assert.equal(mutantsOf('return true;'), ['return false;']);
  assert.equal(mutantsOf('return a ? b : c;'), ['return !(a) ? b : c;']);
  assert.equal(mutantsOf('return a.some(b);'), ['return a.every(b);']);
  assert.equal(mutantsOf('if (a) return;'), [';', 'if (!(a)) return;']);
  assert.equal(mutantsOf('a(); b.c(); d = e;'), [
    '; b.c(); d = e;',
    'b.c(); a(); d = e;',
    'a(); ; d = e;',
    'a(); b.c(); ;',
  ]);
});

test('text, assertions, and constructors stay', () => {
  assert.equal(mutantsOf('assert(a < b, "c");'), []);
  assert.equal(mutantsOf('throw new RangeError(1);'), []);
  assert.equal(mutantsOf(`return \`\${a < b}\`;`), []);
  assert.equal(mutationsOf('class A { constructor(b) { this.b = b < 1; } }'), []);
});

const range = (startOffset: number, endOffset: number, count: number) => ({
  startOffset,
  endOffset,
  count,
});

test('only tests that run the place are asked, those beside the file first', () => {
  const path = 'dist/src/server/tree/acl.js';
  const measured = (name: string, seconds: number, count: number): MeasuredTest => ({
    path: `dist/test/server/${name}.test.js`,
    seconds,
    blocks: { [path]: [range(0, 100, 1), range(10, 20, count)] },
  });
  const tests = [
    measured('prep/slow', 9, 1),
    measured('prep/fast', 1, 1),
    measured('tree/other', 20, 1),
    measured('tree/acl', 30, 1),
    measured('tree/passes-by', 1, 0),
  ];
  const names = (offset: number) =>
    coveringTests(tests, path, offset).map((one) => one.path.slice('dist/test/server/'.length, -8));
  assert.equal(names(15), ['tree/acl', 'tree/other', 'prep/fast', 'prep/slow']);
  assert.equal(names(50), ['tree/acl', 'tree/passes-by', 'tree/other', 'prep/fast', 'prep/slow']);
  assert.equal(names(200), []);
});

test('a mutant is noticed by a test that fails, and the built file stays as it was', async () => {
  const { path: root, remove } = makeTempDir('mutants');
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const path = 'dist/src/server/tree/max.js';
  const code = 'export function max(a, b) { return a > b ? a : b; }\n';
  write('package.json', '{"type":"module"}');
  write('dist/bin/none.cjs', '');
  write(path, code);
  const testOf = (call: string, expected: number) =>
    `import { max } from '../../../src/server/tree/max.js';\nprocess.exit(${call} === ${expected} ? 0 : 1);\n`;
  write('dist/test/server/tree/equal.test.js', testOf('max(1, 1)', 1));
  write('dist/test/server/tree/greater.test.js', testOf('max(2, 1)', 2));
  const tests = ['equal', 'greater'].map((name) => ({
    path: `dist/test/server/tree/${name}.test.js`,
    seconds: 1,
    blocks: { [path]: [range(0, code.length, 1)] },
  }));
  const budget = { unitSeconds: 60, modelRuns: 0, seeds: 0, steps: 0, firstSeed: 0 };
  const ask = (sandbox: Sandbox, mutation: Mutation) =>
    judge(sandbox, { path, code, mutation }, tests, { ...budget, proofs: ['unit'] });
  try {
    using sandbox = new Sandbox(root);
    const mutations = mutationsOf(code);
    const bound = mutations.find(({ change }) => change === '> to >=');
    const negated = mutations.find(({ change }) => change === 'not (a > b)');
    assert.ok(bound !== undefined && negated !== undefined);
    assert.equal(await ask(sandbox, negated), {
      by: 'dist/test/server/tree/greater.test.js',
      covering: 2,
    });
    assert.equal(await ask(sandbox, bound), { by: undefined, covering: 2 });
    assert.is(readFileSync(join(root, path), 'utf8'), code);
  } finally {
    remove();
  }
});

test('each known equivalent names a line that the server has', () => {
  const compiled = (path: string) => new URL(`../../src/${path}`, import.meta.url);
  const lacking = EQUIVALENTS.filter(({ path, line }) => {
    const lines = readFileSync(compiled(path), 'utf8').split('\n');
    return !lines.some((one) => one.trim() === line);
  });
  assert.equal(lacking, []);
  const [first] = EQUIVALENTS;
  assert.ok(first !== undefined);
  assert.is(whyEquivalent(first.path, first.line, '>= to >'), first.why);
  assert.is(whyEquivalent(first.path, first.line, '>= to <'), undefined);
});

test.run();
