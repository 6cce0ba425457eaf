import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';

// `npm test` is reliable: it fails if anything keeps a test from running or passing.

const UVU = pathToFileURL(join(PROJECT_ROOT, 'node_modules', 'uvu', 'dist', 'index.mjs')).href;
const HEAD = `import { test } from '${UVU}';\n`;
const GOOD = `${HEAD}test('a', () => {});\ntest('b', () => {});\ntest.run();\n`;

interface Run {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly lastLine: string | undefined;
}

/** Runs scripts/test.mjs over a folder with these files. */
function runTests(files: Readonly<Record<string, string>>, ...parts: readonly string[]): Run {
  const home = makeTempDir('runner');
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = join(home.path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    writeFileSync(join(home.path, 'package.json'), '{ "type": "module" }');
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(PROJECT_ROOT, 'scripts', 'test.mjs'), '--in', home.path, ...parts],
      { encoding: 'utf8' },
    );
    const lines = stdout.trimEnd().split('\n');
    return { status, lines, lastLine: lines.at(-1) };
  } finally {
    home.remove();
  }
}

test('files that pass', () => {
  const { status, lines, lastLine } = runTests({ 'a.test.js': GOOD, 'b/c.test.js': GOOD });
  assert.is(lastLine, '4 passed, 0 failed');
  assert.is(status, 0);
  assert.ok(lines.some((line) => line.startsWith('ok   a.test.js: 2 passed')));
  assert.ok(lines.some((line) => line.startsWith('ok   b/c.test.js: 2 passed')));
});

test('a test that fails', () => {
  const { status, lines, lastLine } = runTests({
    'bad.test.js': `${HEAD}test('a', () => {});\ntest('b', () => { throw new Error('why'); });\ntest.run();`,
    'good.test.js': GOOD,
  });
  assert.is(lastLine, '3 passed, 1 failed');
  assert.is(status, 1);
  assert.ok(lines.some((line) => line.startsWith('FAIL bad.test.js: 1 passed')));
  assert.ok(lines.some((line) => line.includes('why')));
});

for (const [what, text, why] of [
  ['a file that never calls run', `${HEAD}test('a', () => {});`, 'registered no test'],
  ['a file without a test', '', 'registered no test'],
  [
    'a file whose hook throws',
    `${HEAD}test.before(() => { throw new Error('hook'); });\ntest('a', () => {});\ntest.run();`,
    '',
  ],
  ['a file that cannot be loaded', "import './missing.js';", 'exited with 1'],
  ['a file that ends the process', `process.exit(0);\n${GOOD}`, 'registered no test'],
  [
    'a file that passes and then ends with a code',
    `${GOOD}process.on('exit', () => { process.exitCode = 3; });`,
    'exited with 3',
  ],
  ['a file that is killed', "process.kill(process.pid, 'SIGKILL');", 'ended by SIGKILL'],
] as const) {
  test(`${what} counts as failed`, () => {
    const { status, lines, lastLine } = runTests({ 'odd.test.js': text, 'good.test.js': GOOD });
    assert.match(lastLine ?? '', /^\d+ passed, 1 failed$/);
    assert.is(status, 1);
    const line = lines.find((one) => one.startsWith('FAIL odd.test.js')) ?? '';
    assert.ok(line.includes(why), line);
  });
}

test('a run without tests is a failure', () => {
  const { status, lines, lastLine } = runTests({ 'helper.js': 'export {};' });
  assert.equal(lines, ['no test ran', '0 passed, 1 failed']);
  assert.is(lastLine, '0 passed, 1 failed');
  assert.is(status, 1);
});

test('skipped tests are counted, and their reason is shown', () => {
  const { status, lines, lastLine } = runTests({
    // A fixture for the runner under test to count. It skips no test of ours.
    'a.test.js': `${HEAD}console.log('skipped: no oracle here');\ntest.skip('a', () => {});\ntest('b', () => {});\ntest.run();`,
  });
  assert.is(lastLine, '1 passed, 0 failed');
  assert.is(status, 0);
  assert.ok(lines.some((line) => line.trim() === 'skipped: no oracle here'));
  assert.ok(lines.some((line) => line.startsWith('1 skipped')));
});

test('a part of a path selects files', () => {
  const { lines, lastLine } = runTests({ 'a.test.js': GOOD, 'b/c.test.js': GOOD }, 'b/');
  assert.is(lastLine, '2 passed, 0 failed');
  assert.not.ok(lines.some((line) => line.includes('a.test.js')));
});

test('every test with a server of Apache is part of npm run conformance, except the long ones', () => {
  const root = join(PROJECT_ROOT, 'test');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.test.ts') && !name.endsWith('.long.test.ts'),
  );
  const left = files.filter((name) => {
    const text = readFileSync(join(root, name), 'utf8');
    const usesApache = /from '[./]+(support\/)?(oracle(-ensemble)?|chosen-server)\.js'/.test(text);
    const isPart = name.startsWith('conformance') || text.startsWith('// conformance: ');
    return usesApache && !isPart;
  });
  assert.equal(left, []);
});

test.run();
