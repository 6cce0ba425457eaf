// conformance: runs against Apache's server, too.
// Dumps in every format: byte for byte, resumed, edited by hand, and malicious.
import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundled } from '../../../../support/bundled.js';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { makeServedShell, type ServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';
import { MORE_NAMES, NAMES, plantAll, VALUES } from './plant.js';

const FORMATS = ['ndjson', 'json', 'yaml', 'dir'] as const;
const ALL = NAMES.length + MORE_NAMES.length + VALUES.length + 31;

for (const format of FORMATS) {
  serverTest(
    `a dump as ${format} is restored byte for byte, and compares as equal`,
    async (shell) => {
      const home = makeTempDir();
      try {
        await plantAll(shell);
        const file = join(home.path, 'the dump');
        const text = await shell.run(`dump --format ${format} --to '${file}' /t`);
        assert.ok(text.startsWith(`Dumped ${ALL} znodes, `), text);
        assert.is(statSync(file).mode & 0o077, 0);
        assert.is(
          (await shell.fully(`dump --format ${format} --to '${file}' /t`)).error?.code,
          'FILEEXISTS',
        );
        assert.match(await shell.run(`restore -n '${file}'`), /to \/t; \d+ already exist\n$/);
        assert.match(
          await shell.run(`restore --verify '${file}' /copy`),
          / to \/copy, verified\n$/,
        );
        assert.is(await shell.run(`diff '@${file}' /copy; diff /t /copy`), '');
        assert.is(await shell.run(`diff --format ${format} '@${file}' /t`), '');
        await shell.run('set /copy/empty x; delete /copy/null; create /copy/new');
        const { text: lines } = await shell.fully(`diff '@${file}' /copy`);
        assert.is(lines, '~ /empty  (data: 0 bytes, 1 byte)\n+ /new\n- /null\n');
        await shell.run(`restore --overwrite --verify '${file}' /copy`);
      } finally {
        home.remove();
      }
    },
  );
}

async function inServer(
  run: (shell: ServedShell, file: (name: string) => string) => Promise<void>,
): Promise<void> {
  const server = await startBundled({ config: { extendedTypesEnabled: 'true' } });
  const shell = makeServedShell(server.connectString);
  const home = makeTempDir();
  try {
    await run(shell, (name) => join(home.path, name));
  } finally {
    await shell.close();
    await server.close();
    home.remove();
  }
}

test('json and yaml go to standard output, and come from standard input', async () => {
  await inServer(async (shell) => {
    await shell.run("create /a 'x y'; create /a/b '\\u0000'; create /a/c ''");
    for (const format of ['json', 'yaml']) {
      const input = await shell.bytes(`dump --format ${format} /a`);
      if (format === 'json') assert.is(JSON.parse(input.toString()).znodes.length, 3);
      const other = makeServedShell(shell.target, 'builtin', { input });
      assert.is(
        await other.run(`restore - /${format}; diff /a /${format}`),
        `Restored 3 znodes, 9 bytes to /${format}\n`,
      );
      await other.close();
    }
    assert.is((await shell.fully('dump --format dir /a')).error?.exitCode, 64);
  });
});

test('an interrupted dump of any format resumes where it was cut', async () => {
  await inServer(async (shell, file) => {
    const client = await shell.session.ready();
    await client.create('/t', null);
    for (let i = 0; i < 20; i++) {
      await client.create(`/t/n${i}`, i % 2 === 0 ? randomBytes(50) : Buffer.from('some\ntext\n'));
      await client.create(`/t/n${i}/below`, null);
    }
    for (const format of FORMATS) {
      const [whole, cut] = [file(`whole-${format}`), file(`cut-${format}`)];
      await shell.run(`dump --format ${format} --to ${whole} /t`);
      await shell.run(`dump --format ${format} --to ${cut} /t`);
      const lines = (name: string) => (format === 'dir' ? join(name, 'znodes.ndjson') : name);
      const bytes = readFileSync(lines(whole));
      const textOf = (text: string) => text.replace(/"time":"[^"]*"|time: .*/, '');
      const end = Math.max(
        ...['{"end"', '],"end"', '---\nend'].map((text) => bytes.lastIndexOf(text)),
      );
      for (let length = end + 5; length > 150; length -= 997) {
        truncateSync(lines(cut), length);
        const { error } = await shell.fully(`restore ${cut} /copy`);
        assert.is(error?.code, 'BADDUMP', `${format} ${length}`);
        await shell.fully('create /half');
        await shell.run(`restore --overwrite --partial ${cut} /half`);
        assert.match(await shell.run(`dump --resume --to ${cut} /t`), /^Dumped 41 znodes, /);
        const again = readFileSync(lines(cut), 'utf8');
        assert.is(textOf(again), textOf(bytes.toString()), `${format} ${length}`);
      }
      assert.is(await shell.run(`diff @${cut} /t`), '');
      await shell.run(`restore --overwrite --verify ${cut} /half`);
      assert.is((await shell.fully(`dump --resume --to ${cut} /t`)).error?.exitCode, 64);
    }
  });
});

test('handwritten yaml is restored, including containers and TTLs', async () => {
  await inServer(async (shell, file) => {
    const name = file('by-hand.yaml');
    writeFileSync(
      name,
      `# by hand
zkshDump: 1
root: /app
---
path: ""
data: "the root"
--- # a comment
path: /box
mode: container
acl: world:anyone:cdrwa
---
path: /box/short-lived
mode: ttl
ttl: 60000
data: 1.10
---
path: /text
data: |
  two
  lines
---
path: /zeros
encoding: base64
data: |
  AAAA
  AAAA
---
end: true
`,
    );
    assert.match(
      await shell.run(`restore --verify ${name}`),
      /^Restored 5 znodes, 28 bytes to \/app, verified/,
    );
    assert.is(await shell.run('get /app/box/short-lived; get /app/text'), '1.10\ntwo\nlines\n\n');
    assert.equal(await shell.bytes('get /app/zeros'), Buffer.alloc(6));
  });
});

const HEAD = '{"zkshDump":1,"root":"/x","hasAcls":true';

const BAD: readonly (readonly [text: string, why: RegExp])[] = [
  ['---\nhello\n---\nend: true\n', /:1: not a map/],
  ['---\nzkshDump: 1\nroot: /x\n---\npath: a\n---\nend: true\n', /:4: invalid path: a:/],
  ['---\nzkshDump: 1\nroot: /../x\n---\nend: true\n', /:1: invalid root path: \/\.\.\/x/],
  ['---\nzkshDump: 1\n---\npath: [/a]\n---\nend: true\n', /:3: "path" is not a plain value/],
  ['---\nzkshDump: 1\n---\npath: &a /a\ndata: *a\n---\nend: true\n', /:3: "path" is not a plain/],
  ['---\nzkshDump: 1\n---\npath: /a\ndata: *a\n---\nend: true\n', /:3: "data" is not a plain/],
  ['---\nzkshDump: 1\n---\npath: "/a\n---\nend: true\n', /:3: "path" has a wrong quote/],
  ['---\nzkshDump: 1\n---\npath: /a\ndata: !!js x\n---\nend: true\n', /:3: "data" is not a plain/],
  ['---\nzkshDump: 1\n---\npath: /a\npath: /b\n---\nend: true\n', /:3: not YAML/],
  [`${HEAD},"znodes":[\n`, /incomplete dump/],
  [`${HEAD},"znodes":[\n{"path":"a"}]}`, /:2: invalid path: a:/],
  [`${HEAD},"znodes":[\n5]}`, /:1: "znodes" has an element that is not an object/],
  [
    `${HEAD},"znodes":[\n{"path":""}{"path":"/a"}]}`,
    /:2: "znodes" has an element that is not an object/,
  ],
  [`${HEAD},"znodes":[\n{"path":""}]} x\n{"a": [{}]}`, /unexpected text after the end/],
];

test('an invalid dump is refused with its line, and nothing is written', async () => {
  await inServer(async (shell, file) => {
    const name = file('bad');
    for (const [text, why] of BAD) {
      writeFileSync(name, text);
      const { error } = await shell.fully(`restore ${name}`);
      assert.match(error?.sentence ?? '', why, text);
      assert.is(error?.exitCode, 64);
      assert.is((await shell.fully('ls /x')).error?.code, 'NONODE', text);
    }
    assert.is((await shell.fully(`restore --format dir ${name}`)).error?.code, 'NOFILE');
  });
});

test('json that another program reformatted is read', async () => {
  await inServer(async (shell, file) => {
    await shell.run('create /a 1; create /a/b "{]}[\\""; create /a/c "zn"');
    const { znodes, ...outer } = JSON.parse(await shell.run('dump --format json /a', 'text'));
    const variants = [
      JSON.stringify({ ...outer, znodes }),
      JSON.stringify({ ...outer, znodes }, null, 2),
      JSON.stringify({ zkshDump: 1, root: '/a', znodes }, null, '\t'),
    ];
    for (const text of variants) {
      writeFileSync(file('dump'), text);
      assert.is(await shell.run(`diff @${file('dump')} /a`), '', text);
      writeFileSync(file('cut'), text.slice(0, text.lastIndexOf('"path"')));
      assert.match(await shell.run(`restore -n --partial ${file('cut')}`), /^2 znodes, /);
      assert.match(await shell.run(`restore -n ${file('dump')}`), /^3 znodes, /);
    }
  });
});

test('a malicious folder cannot read or write outside of itself', async () => {
  await inServer(async (shell, file) => {
    const [folder, secret] = [file('dump'), file('secret')];
    writeFileSync(secret, 'secret');
    await shell.run('create /t 1; create /t/a 2; create /t/a/b 3');
    await shell.run(`dump --format dir --to ${folder} /t`);
    const data = join(folder, 'tree', 'a', 'b.data');
    assert.is(readFileSync(data, 'utf8'), '3');
    const lies: readonly (() => void)[] = [
      () => symlinkSync(secret, data),
      () => mkdirSync(data),
      () => undefined,
    ];
    for (const lie of lies) {
      rmSync(data, { recursive: true, force: true });
      lie();
      const { error } = await shell.fully(`restore --overwrite ${folder}`);
      assert.is(error?.code, 'BADDUMP');
      assert.match(error?.sentence ?? '', /:4: cannot read data of \/a\/b from tree\/a\/b/);
    }
    renameSync(join(folder, 'tree', 'a'), file('outside'));
    writeFileSync(join(file('outside'), 'b.data'), 'secret');
    symlinkSync(file('outside'), join(folder, 'tree', 'a'));
    assert.is((await shell.fully(`restore --overwrite ${folder}`)).error?.code, 'BADDUMP');
    assert.is(await shell.run('get /t/a/b'), '3\n');
    // And when it is resumed.
    rmSync(join(file('outside'), 'b.data'));
    const index = join(folder, 'znodes.ndjson');
    const lines = readFileSync(index, 'utf8').split('\n');
    writeFileSync(index, `${lines.slice(0, 3).join('\n')}\n`);
    const { error } = await shell.fully(`dump --resume --to ${folder} /t`);
    assert.match(
      error?.sentence ?? '',
      /tree\/a\/b\.data: cannot write data of \/a\/b: path contains a symbolic link/,
    );
    assert.throws(() => statSync(join(file('outside'), 'b.data')), /ENOENT/);
    await shell.run('create /t/a/b/c 4');
    writeFileSync(index, `${lines.slice(0, 3).join('\n')}\n{"path":"/a/b","data":null}\n`);
    assert.match(
      (await shell.fully(`dump --resume --to ${folder} /t`)).error?.sentence ?? '',
      /link/,
    );
    assert.throws(() => statSync(join(file('outside'), 'b')), /ENOENT/);
    writeFileSync(index, `${lines[0]}\n{"path":"/../../secret"}\n`);
    assert.match(
      (await shell.fully(`restore --partial ${folder} /z`)).error?.sentence ?? '',
      /invalid path: /,
    );
    writeFileSync(index, `${lines[0]}\n{"path":""}\n`);
    assert.match(
      (await shell.fully(`restore --partial ${index} /z`)).error?.sentence ?? '',
      /:2: data is in separate files/,
    );
  });
});

test.run();
