// conformance: runs against Apache's server, too.
// Commands that walk trees, with the bundled server and Apache's.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TopList } from '../../../../../src/commands/zksh/verbs/tree/hot.js';
import { parseNameGlob } from '../../../../../src/commands/znodes/path-glob.js';
import type { ServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';

async function plant(shell: ServedShell): Promise<void> {
  await shell.run(
    [
      "create /t 'root'",
      "create /t/a 'one\ntwo timeouts\n'",
      "create /t/a/x ''",
      'create /t/a/y "\\xff timeout"',
      "create /t/b 'Timeout here'",
      'create -e /t/e eph',
      'create /t/b/locked secret world:anyone:a',
    ].join(';'),
  );
}

serverTest('tree draws the znodes, and names unreadable ones', async (shell) => {
  await plant(shell);
  const { text, error } = await shell.fully('tree /t');
  assert.is(text, '/t\n├── a\n│   ├── x\n│   └── y\n├── b\n│   └── locked  (NOAUTH)\n└── e\n');
  assert.is(error?.exitCode, 9);
  assert.is(await shell.run('tree -d 1 /t', 'raw'), '/t\n/t/a\n/t/b\n/t/e\n');
  assert.is(
    await shell.run('tree --limit 2 -l /t/a'),
    '/t/a  persistent 17 B v0\n├── x  persistent 0 B v0\n',
  );
});

serverTest('ls -l has a row for each child, in the requested order', async (shell) => {
  await plant(shell);
  const text = (await shell.run('ls -l /t')).replaceAll(/\d{4}-\d\d-\d\dT\S+Z/g, 'TIME');
  const owner = `0x${shell.session.client?.sessionId.toString(16)}`;
  const blanks = ' '.repeat(owner.length - 1);
  assert.is(
    text.replaceAll(/ +\n/g, '\n'),
    [
      `TYPE        CHILDREN  SIZE  VERSION  MODIFIED                  OWNER${' '.repeat(owner.length - 5)}  NAME`,
      `persistent         2    17        0  TIME  -${blanks}  a`,
      `persistent         1    12        0  TIME  -${blanks}  b`,
      `ephemeral          0     3        0  TIME  ${owner}  e`,
      '',
    ].join('\n'),
  );
  const names = async (options: string) =>
    (JSON.parse(await shell.run(`ls -l ${options} /t`, 'json')) as { name: string }[])
      .map(({ name }) => name)
      .join('');
  assert.is(await names('--sort size -r'), 'eba');
  assert.is(await names('--sort children'), 'abe');
  assert.is((await shell.fully('ls --sort size /t')).error?.exitCode, 64);
});

serverTest('find filters by name, kind, size, children, and age', async (shell) => {
  await plant(shell);
  const found = async (line: string) => (await shell.fully(line)).text;
  assert.is(await found("find --name '[xy]' /t"), '/t/a/x\n/t/a/y\n');
  assert.is(await found('find -t ephemeral /t'), '/t/e\n');
  assert.is(await found('find --min-size 12 --max-children 1 /t'), '/t/b\n');
  assert.is(await found('find --regex /a/ --limit 1 /t'), '/t/a/x\n');
  assert.is(await found('find --older 1h /t'), '');
  assert.is(await found('find --newer 1h -c /t/a'), '3\n');
  assert.is(await found("find --name x --exec 'get -b {}' /t/a"), '\n');
  const owner = `0x${shell.session.client?.sessionId.toString(16)}`;
  assert.is(await found(`find --owner ${owner} /t`), '/t/e\n');
  for (const bad of ['--regex (', '--older soon', '--owner me']) {
    assert.is((await shell.fully(`find ${bad} /t`)).error?.exitCode, 64, bad);
  }
});

serverTest('grep shows path and line, and reports matches in binary data', async (shell) => {
  await plant(shell);
  const grep = async (line: string) => (await shell.fully(line)).text;
  assert.is(
    await grep('grep timeout /t'),
    '/t/a:two timeouts\n/t/a/y:9 bytes of binary data match\n',
  );
  assert.is(await grep('grep -il TIMEOUT /t'), '/t/a\n/t/a/y\n/t/b\n');
  assert.is(await grep('grep -c . /t/a'), '3\n');
  assert.is(await grep("grep -F 'two.' /t"), '');
  assert.is((await shell.fully('grep timeout /t')).error?.exitCode, 9);
  assert.is((await shell.fully('grep ( /t')).error?.exitCode, 64);
});

serverTest('du and hot sum up', async (shell) => {
  await plant(shell);
  await shell.run('delete /t/b/locked; set /t/b 1; set /t/b 22');
  assert.is(await shell.run('du /t', 'raw'), '35\t6\t/t\n26\t3\t/t/a\n3\t1\t/t/e\n2\t1\t/t/b\n');
  assert.is(await shell.run('du -d 0 /t', 'raw'), '35\t6\t/t\n');
  assert.is(
    await shell.run('hot --limit 2 /t', 'raw'),
    [
      'bytes\t17\t/t/a',
      'bytes\t9\t/t/a/y',
      'children\t3\t/t',
      'children\t2\t/t/a',
      'znodes below\t2\t/t/a',
      'version\t2\t/t/b',
      '',
    ].join('\n'),
  );
});

test('a glob matches as in a shell', () => {
  const fits = (glob: string, name: string) => parseNameGlob(glob).test(name);
  for (const [glob, name] of [
    ['*', 'any'],
    ['lock-*', 'lock-01'],
    ['?', 'é'],
    ['[a-c]x', 'bx'],
    ['[!a]', 'b'],
    ['{one,two}-*', 'two-2'],
    ['a.b', 'a.b'],
  ] as const) {
    assert.ok(fits(glob, name), `${glob} ${name}`);
  }
  for (const [glob, name] of [
    ['a.b', 'axb'],
    ['lock-*', 'block-1'],
    ['[!a]', 'a'],
    ['?', 'ab'],
  ] as const) {
    assert.not.ok(fits(glob, name), `${glob} ${name}`);
  }
});

test('a top list keeps the largest, and of equals the first', () => {
  const list = new TopList<string>(2);
  for (const [figure, item] of [
    [1, 'a'],
    [3, 'b'],
    [3, 'c'],
    [2, 'd'],
  ] as const) {
    list.add(figure, item);
  }
  assert.equal(
    list.entries.map(({ item }) => item),
    ['b', 'c'],
  );
});

test.run();
