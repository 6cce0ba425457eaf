// Watching and browsing in a real terminal, while another session makes changes.
import * as assert from 'uvu/assert';
import { startProxy } from '../../support/peers/proxy.js';
import { waitFor } from '../../support/wait-for.js';
import { enter, inWorld, serverTest, terminalTest } from './world.js';

const CHANGED = /^[\d:]{8}Z NodeDataChanged \/app \(version 0 to 1\)$/;

serverTest('a watch shows old and new values in its pane, beside the typed line', async () => {
  await inWorld(async ({ terminal, other }) => {
    await other.create('/app', Buffer.from('old'));
    await terminal.waitForRow(/\(connected\)/);
    await enter(terminal, 'watch -R /app');
    await terminal.waitForRow(/^── watching \/app -R · 0 changes ─+$/);
    await terminal.type('get /ap');
    await other.setData('/app', Buffer.from('new'));
    await terminal.waitForScreen('the change above the line', (rows) => {
      const at = rows.findIndex((row) => CHANGED.test(row));
      const line = rows.findIndex((row) => row.endsWith('> get /ap'));
      return rows[at + 1] === '  - old' && rows[at + 2] === '  + new' && at < line;
    });
    await other.create('/app/child', Buffer.from('c'));
    await other.delete('/app/child');
    await terminal.waitForRow(/^── watching \/app -R · 3 changes/);
    await enter(terminal, 'p');
    await terminal.waitForRow(/^new$/);
    await enter(terminal, 'removewatches /app');
    await terminal.waitForRow(/^No longer watching \/app: watch removed$/);
    const rows = await terminal.transcript();
    assert.is(rows.filter((row) => row.startsWith('── watching')).length, 0);
    assert.ok(rows.some((row) => /^[\d:]{8}Z NodeDeleted \/app\/child$/.test(row)));
    assert.is(rows.filter((row) => CHANGED.test(row)).length, 1);
  });
});

serverTest('changes during a disconnect are reported after it', async () => {
  await inWorld(async ({ again, other, server }) => {
    await other.create('/app', Buffer.from('old'));
    await other.create('/app/gone', null);
    const proxy = await startProxy(Number(server.split(':')[1]));
    try {
      const terminal = await again({ target: proxy.connectString });
      await terminal.waitForRow(/\(connected\)/);
      await enter(terminal, 'watch -R /app');
      await terminal.waitForRow(/^── watching/);
      await enter(terminal, 'ls /app');
      await terminal.waitForRow(/^\[gone\]$/);
      proxy.refuse();
      await terminal.waitForRow(/\(disconnected\) \/>/);
      await other.setData('/app', Buffer.from('new'));
      await other.delete('/app/gone');
      await terminal.type('half');
      await terminal.waitForRow(/\(disconnected\) \/> half$/);
      await terminal.mark();
      proxy.mend();
      await terminal.waitForRow(
        /^[\d:]{8}Z NodeDataChanged \/app \(while disconnected, version 0 to 1\)$/,
      );
      await terminal.waitForRow(/^[\d:]{8}Z NodeDeleted \/app\/gone \(while disconnected\)$/);
      await terminal.waitForRow(/\(connected\) \/> half$/);
    } finally {
      await proxy.close();
    }
  });
});

serverTest('a server that dies during a change leaves no doubt hidden', async () => {
  await inWorld(async ({ again, other, server }) => {
    const proxy = await startProxy(Number(server.split(':')[1]));
    try {
      const terminal = await again({ target: proxy.connectString });
      await terminal.waitForRow(/\(connected\)/);
      proxy.stall();
      await enter(terminal, 'create /app x');
      await terminal.waitForRow(/^running create \/app x; Ctrl-C interrupts$/);
      // On a busy machine, the line comes before the request leaves, which then leaves no doubt.
      await waitFor('the create', async () => (await other.exists('/app')) !== null);
      proxy.refuse();
      await terminal.waitForRow(/connection lost; outcome of create is unknown$/);
      await terminal.waitForRow(/^ {2}run stat \/app to check$/);
      proxy.mend();
      await terminal.waitForRow(/^reconnected to/);
      await enter(terminal, 'ls /');
      await terminal.waitForRow(/^\[(app, )?zookeeper\]$/);
    } finally {
      await proxy.close();
    }
  });
});

terminalTest('a watch with an end waits, and Ctrl-C ends it too', async () => {
  await inWorld(async ({ terminal, other }) => {
    await other.create('/app', Buffer.from('old'));
    await terminal.waitForRow(/\(connected\)/);
    await enter(terminal, 'watch --until value=done /app');
    await terminal.waitForRow(/^running watch/);
    await terminal.press('C-c');
    await terminal.waitForRow(/^interrupted$/);
    await enter(terminal, 'watch --until value=done /app; version');
    await terminal.waitForRow(/^running watch/);
    await other.setData('/app', Buffer.from('done'));
    await terminal.waitForRow(/^zksh \d/);
  });
});

terminalTest('the output of a command that a watch runs is in the pane', async () => {
  await inWorld(async ({ terminal, other }) => {
    await other.create('/app', Buffer.from('old'));
    await terminal.waitForRow(/\(connected\)/);
    await enter(
      terminal,
      'watch /app -- sh -c \'echo "ran for $ZKSH_PATH"; cat "$ZKSH_DATA_FILE"\'',
    );
    await terminal.waitForRow(/^── watching/);
    await other.setData('/app', Buffer.from('new value'));
    await terminal.waitForRow(/^ran for \/app$/);
    await terminal.waitForRow(/^new value$/);
  });
});

terminalTest('PageUp scrolls the pane back', async () => {
  await inWorld(async ({ terminal, other }) => {
    await other.create('/app', null);
    await terminal.waitForRow(/\(connected\)/);
    await enter(terminal, 'watch -R /app');
    await terminal.waitForRow(/^── watching/);
    for (let i = 0; i < 30; i++) await other.create(`/app/n${i}`, null);
    await terminal.waitForRow(/^[\d:]{8}Z NodeCreated \/app\/n29$/);
    await terminal.press('PageUp');
    await terminal.waitForRow(/PageDown scrolls down/);
    await terminal.waitForRow(/^[\d:]{8}Z NodeCreated \/app\/n20$/);
    await terminal.press('PageDown');
    await terminal.waitForRow(/^[\d:]{8}Z NodeCreated \/app\/n29$/);
  });
});

serverTest(
  'browse uses the whole screen, follows the server, and restores the screen',
  async () => {
    await inWorld(async ({ terminal, other }) => {
      await other.create('/app', Buffer.from('hello'));
      await other.create('/app/config', Buffer.from('{"debug":true}'));
      await terminal.waitForRow(/\(connected\)/);
      await enter(terminal, 'pwd');
      await terminal.waitForRow(/^\/$/);
      await enter(terminal, 'browse /app');
      await terminal.waitForRow(/^\/app +.*\(connected\)$/);
      await terminal.waitForRow(/^ {4}config +│ changed /);
      await terminal.waitForRow(/ │ hello$/);
      await terminal.press('Down');
      await terminal.waitForRow(/│ {3}"debug": true$/);
      await terminal.type('x');
      await terminal.waitForRow(/│ 00000000 {2}7b 22 64 65/);
      await other.create('/app/new', Buffer.from([0xff]));
      await terminal.waitForRow(/^ {4}new +│/);
      await other.setData('/app/config', Buffer.from('{"debug":false}'));
      await terminal.waitForRow(/version 1, 15 bytes/);
      for (const [columns, rows] of [
        [50, 24],
        [100, 12],
        [80, 24],
      ] as const) {
        await terminal.resize(columns, rows);
        await terminal.waitForScreen(`the browser at ${columns} columns, once`, (shown) => {
          const text = shown.join('\n');
          return text.split('config').length === 3 && /version 1, 15 bytes/.test(text);
        });
      }
      await terminal.type('q');
      await terminal.waitForRow(/\(connected\) \/>$/);
      const rows = await terminal.screen();
      assert.ok(rows.includes('/'), 'the previous rows');
      assert.not.ok(rows.some((row) => row.includes('│')));
      await enter(terminal, 'get /app');
      await terminal.waitForRow(/^hello$/);
    });
  },
);
