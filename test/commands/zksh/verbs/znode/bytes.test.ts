// conformance: runs against Apache's server, too.
// A megabyte of random bytes, and unusual names, through every command that carries data.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { quoteWord } from '../../../../../src/commands/zksh/language/quote-word.js';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { makeServedShell, type ServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';

const BLOB = randomBytes(1_000_000);

async function expectBlob(shell: ServedShell, path: string): Promise<void> {
  assert.ok((await shell.bytes(`get ${path}`)).equals(BLOB), path);
}

serverTest(
  'input by file, base64, and standard input, output by pipe, file, and base64',
  async (shell) => {
    const home = makeTempDir();
    const piped = makeServedShell(shell.target, 'builtin', { input: BLOB });
    try {
      const file = join(home.path, 'blob');
      writeFileSync(file, BLOB);
      const base64 = BLOB.toString('base64');
      await shell.run(`create /file @${file}; create -b /base64 ${base64}; create /set`);
      await piped.run('create /stdin -');
      await shell.run('sync /');
      for (const path of ['/file', '/base64', '/stdin']) await expectBlob(shell, path);
      for (const [line, path] of [
        [`set /set @${file}`, '/set'],
        [`set -b /set ${base64}`, '/set'],
        [`set --create /new @${file}`, '/new'],
      ] as const) {
        await shell.run('set /set x');
        await shell.run(line);
        await expectBlob(shell, path);
      }
      const out = join(home.path, 'out');
      await shell.run(`get --to ${out} /file`);
      assert.ok(readFileSync(out).equals(BLOB));
      assert.is(await shell.run('get -b /file'), `${base64}\n`);
      const json = JSON.parse(await shell.run('get /file', 'json')) as Record<string, string>;
      assert.equal([json['encoding'], json['data'] === base64], ['base64', true]);
    } finally {
      await piped.close();
      home.remove();
    }
  },
);

serverTest('through copies, moves, dumps, and transactions', async (shell) => {
  const home = makeTempDir();
  try {
    const [file, dump] = [join(home.path, 'blob'), join(home.path, 'dump')];
    writeFileSync(file, BLOB);
    await shell.run(`create /a @${file}; cp /a /copy; mv /copy /moved`);
    await expectBlob(shell, '/moved');
    await shell.run(`dump --to ${dump} /moved; restore --verify ${dump} /back; diff /a /back`);
    await expectBlob(shell, '/back');
    await shell.run(`txn 'create /txn @${file}'`);
    await expectBlob(shell, '/txn');
    await shell.run(`begin; set /txn x; set /a @${file}; commit`);
    await expectBlob(shell, '/a');
  } finally {
    home.remove();
  }
});

/**
 * A name from each range of characters that ZooKeeper allows, with characters special to lines.
 */
function oddNames(): string[] {
  const names = [
    ' ',
    '  two  ',
    "'",
    '"',
    '\\',
    ';',
    '#',
    '@x',
    '-x',
    '--',
    '$HOME',
    '$&',
    '`',
    '*',
    '**',
    'a?[b-c]',
    '{a,b}',
    '[!x]*\\*',
    '\\n',
    '{}',
    '.x',
    'x.',
    '...',
    '%00',
  ];
  for (let code = 0xa0; code < 0xffef; code += 0x3fb) {
    const isAllowed = code < 0xd800 || code > 0xf8ff;
    if (isAllowed) names.push(`n${String.fromCharCode(code)}`);
  }
  return names;
}

serverTest('unusual names pass through every kind of input and output', async (shell) => {
  const home = makeTempDir();
  try {
    await shell.run('create /odd');
    const names = oddNames();
    const lines = names.map((name) => {
      const path = quoteWord(`/odd/${name}`);
      return `create ${path} ''; set ${path} ${quoteWord(`'${name}`)}; check ${path} 1`;
    });
    await shell.run(lines.join('\n'));
    const sorted = [...names].sort();
    const listed = JSON.parse(await shell.run('ls /odd', 'json')) as { children: string[] };
    assert.equal(listed.children, sorted);
    assert.is(
      await shell.run('ls -R /odd', 'raw'),
      `/odd\n${sorted.map((name) => `/odd/${name}\n`).join('')}`,
    );
    assert.is(await shell.run('find /odd', 'raw'), await shell.run('ls -R /odd', 'raw'));
    const dump = join(home.path, 'dump');
    await shell.run(`dump --to ${dump} /odd; restore --verify ${dump} /back; mv /back /moved`);
    assert.is(await shell.run('diff /odd /moved'), '');
    for (const name of names) {
      assert.is(await shell.run(`get ${quoteWord(`/moved/${name}`)}`, 'raw'), `'${name}`);
    }
    // A pattern matches any of them, and the command uses the match unchanged.
    assert.is(await shell.run('get /moved/?*', 'raw'), sorted.map((name) => `'${name}`).join(''));
    assert.is((await shell.run('delete -n /moved/{*,**}')).split('\n').length, names.length + 1);
    await shell.run("find -y --min-size 1 --exec 'delete {}' /moved");
    assert.is(await shell.run('ls /moved'), '[]\n');
  } finally {
    home.remove();
  }
});

test('an invalid name is refused with its position, before anything is sent', async () => {
  const shell = makeServedShell('127.0.0.1:1');
  for (const name of [
    'a//b',
    'a/./b\u0000',
    '"\\u0001"',
    '"\\ud83d\\ude00"',
    '"\\ufff0"',
    '"\\ue000"',
  ]) {
    const { error } = await shell.fully(`create /${name}`);
    assert.equal([error?.exitCode, error?.place === undefined], [64, false], name);
  }
});

test.run();
