// Who holds what, from where: against each kind of server.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../src/server/main.js';
import { makeServedShell } from '../../support/served-shell.js';
import { serverTest } from '../../support/shell-suite.js';

serverTest('who tells session, client and server of each ephemeral', async (shell) => {
  const other = makeServedShell(shell.target);
  try {
    await shell.run('create /l; create -e /l/mine; create /l/kept');
    await other.run('create -e /l/other');
    // In an ensemble the two are at servers of their own.
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

test('a server that does not allow the word is named, and what is known is shown', async () => {
  const server = await startServer();
  const shell = makeServedShell(server.connectString);
  try {
    await shell.run('create -e /e');
    const { text, error } = await shell.fully('who /');
    assert.match(text, /\n\/e +0x[0-9a-f]+ +- +-\n$/);
    assert.is(error?.exitCode, 9);
    assert.match(error?.sentence ?? '', /does not allow cons: add it to 4lw\.commands\.whitelist/);
  } finally {
    await shell.close();
    await server.close();
  }
});

test.run();
