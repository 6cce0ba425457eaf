// conformance: runs against Apache's server, too.
// Copies, dumps, and comparisons, with the bundled server and Apache's.

import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatAcl } from '../../../../../src/protocol/perms.js';
import { startBundled } from '../../../../support/bundled.js';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { makeServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';
import { NAMES, plant } from './plant.js';

const ALL = `${NAMES.length + 8} znodes`;

serverTest('cp -R copies data and ACLs byte for byte, and omits ephemerals', async (shell) => {
  const blob = await plant(shell);
  assert.match(await shell.run('cp -n -R /t /copy', 'raw'), /^\/copy\n\/copy\/blob\n/);
  const text = await shell.run('cp -R /t /copy');
  assert.ok(text.startsWith(`Copied ${ALL}, `), text);
  assert.ok(text.endsWith(' to /copy; 1 ephemeral skipped\n'), text);
  assert.equal(await shell.bytes('get /copy/blob'), blob);
  assert.is(await shell.run('get /copy/null'), '(null)\n');
  assert.is(await shell.run('getAcl /copy/locked', 'raw'), 'world:anyone:ra\n');
  assert.is(await shell.run('getAcl /copy/locked/below/leaf', 'raw'), 'world:anyone:r\n');
  for (const name of NAMES) {
    assert.equal(
      await shell.session
        .requireClient()
        .getData(`/copy/names/${name}`)
        .then(({ data }) => data?.toString()),
      name,
    );
  }
  assert.is(await shell.run('diff /t /copy'), '');
});

serverTest('cp refuses an existing target without an option for it', async (shell) => {
  await shell.run('create /a 1; create /a/b 2; create /c');
  assert.is((await shell.fully('cp -R /a /c')).error?.exitCode, 5);
  assert.is((await shell.fully('cp -R /a /nope/x')).error?.exitCode, 4);
  assert.is((await shell.fully('cp -R /a /a/b/x')).error?.exitCode, 64);
  assert.is(await shell.run('ls -R /c', 'raw'), '/c\n');
  assert.is(await shell.run('cp -R /a /c/'), 'Copied 2 znodes, 2 bytes to /c/a\n');
  await shell.run('set /a/b other');
  const differs = await shell.fully('cp -R --resume /a /c/a');
  assert.equal([differs.error?.exitCode, differs.error?.code], [9, 'PARTIAL']);
  assert.is(
    await shell.run('cp -R --overwrite /a /c/a'),
    'Copied 1 znode, 5 bytes to /c/a, 1 unchanged\n',
  );
  assert.is(
    await shell.run('cp /a /one; ls -R /one', 'raw'),
    'Copied 1 znode, 1 byte to /one\n/one\n',
  );
});

serverTest('mv moves everything or nothing, and reports why not', async (shell) => {
  await shell.run("create /a 1; create '/a/b c' 2; setAcl '/a/b c' world:anyone:cdra; create /to");
  assert.is(
    await shell.run('mv -n /a /to/x', 'raw'),
    '/to/x\n/to/x/b c\n2 znodes would be moved\n',
  );
  assert.match(
    await shell.run('mv /a /to/', 'json'),
    /"moved": "\/a",\s+"to": "\/to\/a",\s+"znodes": 2,\s+"bytes": 2,\s+"isAtomic": true/,
  );
  assert.is(
    await shell.run("ls /; getAcl '/to/a/b c'", 'raw'),
    'to\nzookeeper\nworld:anyone:cdra\n',
  );
  await shell.run('create -e /to/a/e x');
  assert.equal((await shell.fully('mv /to/a /z')).error?.code, 'EPHEMERAL');
  assert.is((await shell.fully('mv /to /to/a/x')).error?.exitCode, 64);
  assert.is((await shell.fully('mv /nope /x')).error?.exitCode, 4);
  assert.is((await shell.fully('mv / /x')).error?.exitCode, 64);
});

serverTest('mv of more than fits in one request goes in parts', async (shell) => {
  const client = await shell.session.ready();
  await client.create('/big', null);
  for (const name of ['a', 'b', 'c']) await client.create(`/big/${name}`, randomBytes(300_000));
  assert.match(
    await shell.run('mv /big /moved', 'json'),
    /"znodes": 4,\s+"bytes": 900000,\s+"isAtomic": false/,
  );
  assert.is(await shell.run('ls /; ls /moved'), '[moved, zookeeper]\n[a, b, c]\n');
});

serverTest('a dump is restored byte for byte, and compares as equal', async (shell) => {
  const home = makeTempDir();
  try {
    await plant(shell);
    const file = join(home.path, 'the dump');
    const text = await shell.run(`dump --to '${file}' /t`);
    assert.ok(text.startsWith(`Dumped ${ALL}, `), text);
    assert.is(statSync(file).mode & 0o777, 0o600);
    assert.is((await shell.fully(`dump --to '${file}' /t`)).error?.code, 'FILEEXISTS');
    assert.match(
      await shell.run(`restore -n '${file}'`),
      /would be restored to \/t; 23 already exist\n$/,
    );
    assert.is((await shell.fully(`restore '${file}'`)).error?.exitCode, 5);
    assert.match(await shell.run(`restore --verify '${file}' /copy`), / to \/copy, verified\n$/);
    assert.is(await shell.run(`diff '@${file}' /copy; diff /t /copy`), '');
    await shell.run(
      'set /copy/empty x; delete /copy/null; create /copy/new; setAcl /copy/blob world:anyone:cdra',
    );
    const { text: lines, error } = await shell.fully(`diff '@${file}' /copy`);
    assert.is(lines, '~ /blob  (ACL)\n~ /empty  (data: 0 bytes, 1 byte)\n+ /new\n- /null\n');
    assert.equal([error?.exitCode, error?.sentence], [1, '4 znodes differ']);
    assert.match(await shell.run(`restore --overwrite --verify '${file}' /copy`), /, verified\n$/);
  } finally {
    home.remove();
  }
});

serverTest('a dump on standard output is restored from standard input', async (shell) => {
  await shell.run("create /a 'x y'; create /a/b '\\u0000'; create /a/c ''");
  const lines = await shell.run('dump /a');
  assert.is(
    await shell.run('dump /a', 'ndjson').then((text) => text.replace(/"time":"[^"]*"/, '')),
    lines.replace(/"time":"[^"]*"/, ''),
  );
  const other = makeServedShell(shell.target, 'builtin', { input: Buffer.from(lines) });
  try {
    assert.is(
      await other.run('restore - /z; diff /a /z'),
      'Restored 3 znodes, 11 bytes to /z\n'.replace('11', String(3 + 6)),
    );
  } finally {
    await other.close();
  }
});

serverTest('an interrupted dump resumes where it was cut', async (shell) => {
  const home = makeTempDir();
  try {
    const client = await shell.session.ready();
    await client.create('/t', null);
    for (let i = 0; i < 20; i++) {
      await client.create(`/t/n${i}`, randomBytes(50));
      await client.create(`/t/n${i}/below`, null);
    }
    const [whole, cut] = [join(home.path, 'whole'), join(home.path, 'cut')];
    await shell.run(`dump --to ${whole} /t; dump --to ${cut} /t`);
    const bytes = readFileSync(whole);
    for (const length of [bytes.length - 10, 2000, bytes.indexOf('\n') + 1]) {
      truncateSync(cut, length);
      assert.is((await shell.fully(`restore ${cut} /copy`)).error?.code, 'BADDUMP');
      assert.match(await shell.run(`dump --resume --to ${cut} /t`), /^Dumped 41 znodes, /);
      const again = readFileSync(cut, 'utf8').split('\n').slice(1);
      assert.equal(again, bytes.toString().split('\n').slice(1), String(length));
    }
    assert.is((await shell.fully(`dump --resume --to ${cut} /t`)).error?.exitCode, 64);
    await shell.run('create /half');
    truncateSync(cut, 2000 - (2000 - bytes.lastIndexOf('\n', 1999) - 1));
    await shell.run(
      `restore --partial --resume ${cut} /half; restore --resume --verify ${whole} /half`,
    );
    assert.is(await shell.run('diff /t /half'), '');
  } finally {
    home.remove();
  }
});

serverTest('until all children exist, only the writer may add to a parent', async (shell) => {
  await shell.run('create /t; create /t/in; setAcl --force /t world:anyone:r');
  const client = await shell.session.ready();
  const seen: string[] = [];
  const create = client.create.bind(client);
  client.create = (path, data, options) => {
    if (path === '/copy') seen.push(formatAcl(options?.acl ?? []));
    return create(path, data, options);
  };
  await shell.run('cp -R /t /copy');
  assert.equal(seen, ['world:anyone:r,ip:127.0.0.1:ca']);
  assert.is(await shell.run('getAcl /copy', 'raw'), 'world:anyone:r\n');
});

test('an invalid dump is refused with its line, and nothing is written', async () => {
  const server = await startBundled();
  const shell = makeServedShell(server.connectString);
  const home = makeTempDir();
  try {
    const file = join(home.path, 'dump');
    const head = '{"zkshDump":1,"root":"/x","server":"","time":"","hasAcls":true}\n';
    const end = '{"end":true,"znodes":1,"ephemeralsLeftOut":0,"unread":0}\n';
    const bad: readonly (readonly [text: string, why: RegExp])[] = [
      ['', /:1: missing head of a dump/],
      ['hello\n', /:1: not JSON/],
      [head, /incomplete dump/],
      [`${head}{"path":"a","data":""}\n${end}`, /:2: invalid path: a:/],
      [`${head}{"path":"","data":"!!","encoding":"base64"}\n${end}`, /:2: data is not base64/],
      [`${head}{"path":"","data":"","acl":"world"}\n${end}`, /:2: invalid ACL entry: "world"/],
      [`${head}{"path":"","data":"","mode":"odd"}\n${end}`, /:2: unknown mode: "odd"/],
      [`${head}{"path":"/b","data":""}\n{"path":"/a","data":""}\n${end}`, /:3: \/a: out of order/],
      [head.replace('1', '2') + end, /:1: unsupported dump format: 2/],
    ];
    for (const [text, why] of bad) {
      writeFileSync(file, text);
      const { error } = await shell.fully(`restore ${file}`);
      assert.match(error?.sentence ?? '', why, text);
      assert.is(error?.exitCode, 64);
    }
    assert.is((await shell.fully(`restore ${home.path}/none`)).error?.code, 'NOFILE');
  } finally {
    await shell.close();
    await server.close();
    home.remove();
  }
});

serverTest(
  'znodes that this session may not read or write are named, with exit code 9',
  async (shell) => {
    await shell.run('create /t; create /t/a 1; create /t/b 2 world:anyone:a; create /t/c 3');
    const { error } = await shell.fully('cp -R /t /copy');
    assert.equal(
      [error?.exitCode, error?.sentence],
      [9, 'some znodes could not be read: /t/b (NOAUTH)'],
    );
    assert.is(await shell.run('ls /copy'), '[a, c]\n');
    await shell.run('addauth digest ann:pw; create /mine x auth::cdrwa,world:anyone:r');
    const stranger = makeServedShell(shell.target);
    try {
      const masked = await stranger.fully('dump /mine');
      assert.equal(
        [
          masked.error?.exitCode,
          /passwords of 1 ACL are hidden/.test(masked.error?.sentence ?? ''),
        ],
        [9, true],
      );
      assert.is((await stranger.fully('dump --no-acl /mine')).error, undefined);
    } finally {
      await stranger.close();
    }
  },
);

test.run();
