// conformance: runs against Apache's server, too.
// The owners of ephemerals and watches, with each kind of server.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../../../src/server/main.js';
import { makeServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';

serverTest('who shows session, client, and server of each ephemeral', async (shell) => {
  const other = makeServedShell(shell.target);
  try {
    await shell.run('create /l; create -e /l/mine; create /l/kept');
    await other.run('create -e /l/other');
    // In an ensemble, the two are at different servers.
    await shell.run('sync /l');
    const rows = JSON.parse(await shell.run('who /l', 'json')) as Record<string, string>[];
    const id = (served: typeof shell) => `0x${served.session.client?.sessionId.toString(16)}`;
    const serverOf = (served: typeof shell) => served.session.client?.server;
    assert.equal(
      rows.map(({ path, session, server }) => [path, session, server]),
      [
        ['/l/mine', id(shell), serverOf(shell)],
        ['/l/other', id(other), serverOf(other)],
      ],
    );
    for (const { client } of rows) assert.match(client ?? '', /^127\.0\.0\.1:\d+$/);
    await other.run('get -w /l; ls -w /l');
    const watchers = JSON.parse(await shell.run('who -w /l', 'json')) as Record<string, string>[];
    assert.equal(
      watchers.map(({ path, session }) => [path, session]),
      [['/l', id(other)]],
    );
    assert.is(await shell.run('who /l/kept'), '');
  } finally {
    await other.close();
  }
});

serverTest('who -s lists every session, and --session shows one', async (shell) => {
  const other = makeServedShell(shell.target);
  try {
    await shell.run('create /l; create -e /l/mine; create -e /l/too');
    await other.run('sync /l; create -e /l/other');
    await shell.run('sync /l');
    const idOf = (served: typeof shell) => `0x${served.session.client?.sessionId.toString(16)}`;
    const rows = JSON.parse(await shell.run('who -s', 'json')) as Record<string, unknown>[];
    const row = (served: typeof shell) => rows.find(({ session }) => session === idOf(served));
    assert.is(row(shell)?.['ephemerals'], 2);
    assert.is(row(other)?.['ephemerals'], 1);
    assert.is(row(other)?.['server'], other.session.client?.server);
    assert.match(String(row(shell)?.['client']), /^127\.0\.0\.1:\d+$/);
    assert.is(row(shell)?.['timeout'], shell.session.client?.sessionTimeoutMs);
    assert.match(String(row(shell)?.['since']), /^\d{4}-\d\d-\d\dT/);
    const one = await shell.run(`who --session ${idOf(other)} /l`, 'ndjson');
    assert.is((JSON.parse(one) as { path: string }).path, '/l/other');
    assert.is((await shell.run(`who -s --session ${idOf(other)}`, 'raw')).split('\n').length, 2);
  } finally {
    await other.close();
  }
});

serverTest('who -w -R shows the watches of descendants, and of a chroot', async (shell) => {
  await shell.run('create /l; create /l/a; create /other');
  const inside = makeServedShell(`${shell.target}/l`);
  try {
    await inside.run('sync /; get -w /a');
    await shell.run('get -w /l; get -w /other');
    const pathsOf = async (served: typeof shell, line: string) =>
      (JSON.parse(await served.run(line, 'json')) as { path: string }[])
        .map(({ path }) => path)
        .sort();
    assert.equal(await pathsOf(shell, 'who -w -R /l'), ['/l', '/l/a']);
    assert.equal(await pathsOf(shell, 'who -w /l'), ['/l']);
    assert.equal(await pathsOf(shell, 'who -w /{l,other}'), ['/l', '/other']);
    assert.equal(await pathsOf(inside, 'who -w -R /'), ['/', '/a']);
    for (const line of ['who -R /l', 'who -s /l', 'who -s -w', 'who --session 12 /l']) {
      assert.is((await shell.fully(line)).error?.exitCode, 64, line);
    }
  } finally {
    await inside.close();
  }
});

test('a server that does not allow the word is named, and known values are shown', async () => {
  const server = await startServer();
  const shell = makeServedShell(server.connectString);
  try {
    await shell.run('create -e /e');
    const { text, error } = await shell.fully('who /');
    assert.match(text, /\n\/e +0x[0-9a-f]+ +- +-\n$/);
    assert.is(error?.exitCode, 9);
    assert.match(
      error?.sentence ?? '',
      /word cons is not allowed; add it to 4lw\.commands\.whitelist/,
    );
  } finally {
    await shell.close();
    await server.close();
  }
});

test.run();
