// zksh as a user sees it: a real terminal, keys in, and the screen out.
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { freePort } from '../../support/machine/free-port.js';
import { startProxy } from '../../support/peers/proxy.js';
import { waitFor } from '../../support/wait-for.js';
import { enter, inWorld, isRunning, serverTest, terminalTest } from './world.js';

serverTest(
  'commands are typed, completed, and run; Ctrl-D exits and deletes ephemerals',
  async () => {
    await inWorld(async ({ terminal, other, server }) => {
      await terminal.waitForRow(/\(connected\) \/>$/);
      await enter(terminal, 'create /app hello');
      await terminal.waitForRow(/^Created \/app$/);
      await enter(terminal, 'create -e /app/mine');
      await terminal.waitForRow(/^Created \/app\/mine$/);
      await terminal.type('get /a');
      await terminal.press('Tab');
      await terminal.waitForRow(/> get \/app\/$/);
      await terminal.press('BSpace', 'Enter');
      await terminal.waitForRow(/^hello$/);
      await other.sync('/app');
      assert.ok(await other.exists('/app/mine'));
      await terminal.press('C-d');
      assert.is(await terminal.exitStatus(), 0);
      await waitFor(
        'the ephemeral to be deleted',
        async () => (await other.exists('/app/mine')) === null,
      );
      const rows = await terminal.transcript();
      assert.equal(rows.slice(0, 6), [
        `${server}(connected) /> create /app hello`,
        'Created /app',
        `${server}(connected) /> create -e /app/mine`,
        'Created /app/mine',
        `${server}(connected) /> get /app`,
        'hello',
      ]);
    });
  },
);

serverTest('an event that arrives while typing keeps the typed line', async () => {
  await inWorld(async ({ terminal, other }) => {
    await other.create('/app');
    await enter(terminal, 'watch -R /app');
    await terminal.waitForRow(/^Watching \/app/);
    await terminal.type('create /app/half typ');
    await terminal.waitForRow(/> create \/app\/half typ$/);
    const before = await terminal.cursor();
    await other.create('/app/child');
    await terminal.waitForScreen('the event above the line', (rows) => {
      const line = rows.findIndex((row) => row.endsWith('> create /app/half typ'));
      const event = rows.findIndex((row) => /^[\d:]{8}Z NodeCreated \/app\/child$/.test(row));
      return event !== -1 && event < line;
    });
    const after = await terminal.cursor();
    assert.is(after.x, before.x);
    assert.ok(after.y > before.y);
    await enter(terminal, 'ed');
    await terminal.waitForRow(/^Created \/app\/half$/);
    await other.sync('/app');
    assert.is((await other.getData('/app/half')).data?.toString(), 'typed');
  });
});

serverTest(
  'TAB inserts the common prefix, a second TAB lists, and unusual names are quoted',
  async () => {
    await inWorld(async ({ terminal, other }) => {
      await other.create('/app');
      for (const name of ['two words', 'two more', 'wörld', '漢字'])
        await other.create(`/app/${name}`);
      await terminal.waitForRow(/\(connected\)/);
      await enter(terminal, 'cd /app');
      await terminal.waitForRow(/\(connected\) \/app>$/);
      await terminal.type('get t');
      await terminal.press('Tab');
      await terminal.waitForRow(/get 'two$/);
      await terminal.press('Tab');
      await terminal.waitForRow(/^two more +two words$/);
      await terminal.type('w');
      await terminal.press('Tab');
      await terminal.waitForRow(/get 'two words'$/);
      await terminal.waitForScreen(
        'the list to go',
        (rows) => !rows.some((row) => /^two/.test(row)),
      );
      await terminal.press('C-c');
      await terminal.type('get 漢');
      await terminal.press('Tab');
      const row = await terminal.waitForRow(/get 漢字$/);
      assert.is((await terminal.cursor()).x, row.length + 2 + ' '.length);
    });
  },
);

terminalTest('the next shell has the history of the previous one, and can search it', async () => {
  await inWorld(async ({ terminal, again }) => {
    await terminal.waitForRow(/\(connected\)/);
    await enter(terminal, 'create /app one');
    await enter(terminal, 'addauth digest user:secret');
    await enter(terminal, 'get /app');
    await terminal.waitForRow(/^one$/);
    assert.not.match((await terminal.transcript()).join('\n'), /secret/);
    await terminal.press('C-d');
    assert.is(await terminal.exitStatus(), 0);
    const next = await again();
    await next.waitForRow(/\(connected\)/);
    await next.press('Up');
    await next.waitForRow(/> get \/app$/);
    await next.press('Up');
    await next.waitForRow(/> create \/app one$/);
    await next.press('C-c', 'C-r');
    await next.type('app o');
    await next.waitForRow(/^\(search 'app o'\) create \/app one$/);
    await next.press('Enter');
    await next.waitForRow(/^Node already exists: \/app$/);
    await next.type('crea');
    await next.waitForRow(/> create \/app one$/);
    await next.press('End', 'Enter');
    await next.waitForScreen('the suggestion to have run', (rows) => {
      return rows.filter((row) => row === 'Node already exists: /app').length === 2;
    });
  });
});

terminalTest(
  'an empty line does nothing, Ctrl-C clears the line, and errors show before Enter',
  async () => {
    await inWorld(async ({ terminal }) => {
      await terminal.waitForRow(/\(connected\)/);
      await terminal.type('frobnicate /a ');
      await terminal.waitForRow(/^unknown command: "frobnicate"/);
      await terminal.press('C-c');
      await terminal.waitForRow(/\(connected\) \/>$/);
      await terminal.type('set -v abc /app x');
      await terminal.waitForRow(/invalid number/);
      await terminal.press('Enter');
      await terminal.waitForRow(/^ +\^\^\^$/);
      await enter(terminal, 'set -b /app !!!');
      await terminal.press('C-z', 'C-\\', 'Escape', 'F1', 'PageUp', 'C-g');
      await enter(terminal, 'create /app "not');
      await terminal.waitForRow(/^>$/);
      await enter(terminal, 'closed"');
      await terminal.waitForRow(/^Created \/app$/);
      await enter(terminal, 'get /app');
      await terminal.waitForScreen('both rows', (rows) => {
        const at = rows.lastIndexOf('not');
        return at !== -1 && rows[at + 1] === 'closed';
      });
      await enter(terminal, 'quit');
      assert.is(await terminal.exitStatus(), 0);
    });
  },
);

terminalTest('a paste of several lines is edited first and run by Enter', async () => {
  await inWorld(async ({ terminal, other }) => {
    await terminal.waitForRow(/\(connected\)/);
    await terminal.paste('create /app 1\ncreate /app/b 2\n');
    await terminal.waitForRow(/^> create \/app\/b 2$/);
    assert.is(await other.exists('/app'), null);
    await terminal.press('Enter');
    await terminal.waitForRow(/^Created \/app\/b$/);
  });
});

terminalTest('a long line folds, and a resize leaves no debris', async () => {
  await inWorld(
    async ({ terminal, server }) => {
      await terminal.waitForRow(/\(connected\)/);
      // A full screen, the usual state. With free rows below, tmux itself would move rows to its
      // scrollback.
      await enter(terminal, 'help; help; version');
      await terminal.waitForRow(/^zksh \d/);
      await terminal.type(`create /app ${'x'.repeat(100)}`);
      await terminal.waitForRow(/^x+$/);
      for (const [columns, rows] of [
        [50, 24],
        [110, 30],
        [60, 10],
      ] as const) {
        await terminal.resize(columns, rows);
        await terminal.waitForScreen(`the line at ${columns} columns, once`, (shown) => {
          const text = shown.join('');
          return (
            text.split('create /app').length === 2 &&
            text.split('create [').length === 2 &&
            (text.match(/x{40,}/g) ?? []).join('').length >= 60 &&
            // Drawn for this width already: a line longer than a row leaves one column free.
            shown.some((row) => row.includes('create /app') && row.length === columns - 1)
          );
        });
      }
      await terminal.press('C-c');
      await enter(terminal, 'pwd');
      await terminal.waitForRow(/^\/$/);
      const rows = (await terminal.transcript()).filter((row) => row.includes(server));
      assert.is(rows.length, 2, rows.join('\n'));
    },
    { columns: 80, rows: 24 },
  );
});

terminalTest('a long output scrolls completely, and the prompt is below it', async () => {
  await inWorld(
    async ({ terminal, other }) => {
      await other.create('/app');
      const names = Array.from({ length: 1000 }, (_, index) => `/app/node-${index + 1000}`);
      await Promise.all(names.map((name) => other.create(name)));
      await other.sync('/');
      await terminal.waitForRow(/\(connected\)/);
      await enter(terminal, 'ls -R /app');
      await terminal.waitForRow(/^\/app\/node-1999$/);
      await terminal.waitForRow(/\(connected\) \/>$/);
      const rows = (await terminal.transcript()).filter((row) => row.startsWith('/app/'));
      assert.equal(rows, names);
    },
    { columns: 80, rows: 24 },
  );
});

serverTest('the prompt shows that the server was lost and found again', async () => {
  await inWorld(async ({ again, server, other }) => {
    const proxy = await startProxy(Number(server.split(':')[1]));
    try {
      const terminal = await again({ target: proxy.connectString });
      await terminal.waitForRow(/\(connected\) \/>$/);
      await enter(terminal, 'create -e /app mine');
      await terminal.waitForRow(/^Created \/app$/);
      await terminal.type('get /ap');
      proxy.refuse();
      await terminal.waitForRow(/^disconnected/);
      await terminal.waitForRow(/\(disconnected\) \/> get \/ap$/);
      await terminal.mark();
      proxy.mend();
      await terminal.waitForRow(/^reconnected to 127\.0\.0\.1/);
      await terminal.waitForRow(/\(connected\) \/> get \/ap$/);
      await enter(terminal, 'p');
      await terminal.waitForRow(/^mine$/);
      await other.sync('/app');
      assert.ok(await other.exists('/app'), 'the session continued');
    } finally {
      await proxy.close();
    }
  });
});

serverTest('a server that refuses is named, and connect reaches another', async () => {
  await inWorld(async ({ again, server }) => {
    const port = await freePort();
    const terminal = await again({ target: `127.0.0.1:${port}` });
    await terminal.waitForRow(new RegExp(`127.0.0.1:${port}.*refused`));
    await terminal.waitForRow(/\(closed\) \/>$/);
    await enter(terminal, `connect ${server}`);
    await terminal.waitForRow(new RegExp(`^${server}\\(connected\\) />$`));
  });
});

const AROUND = `
  before=$(stty -g)
  zksh
  echo "code $?"
  [ "$before" = "$(stty -g)" ] && echo same
  read -r _`;

terminalTest('quit and a signal restore the terminal', async () => {
  await inWorld(
    async ({ terminal, again, pidFile }) => {
      await terminal.waitForRow(/\(connected\)/);
      await enter(terminal, 'quit');
      await terminal.waitForRow(/^code 0$/);
      await terminal.waitForRow(/^same$/);
      const ended = await again();
      await ended.waitForRow(/\(connected\)/);
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGTERM');
      await ended.waitForRow(/^code 130$/);
      await ended.waitForRow(/^same$/);
    },
    { script: AROUND },
  );
});

terminalTest('a lost terminal ends the shell and its session', async () => {
  await inWorld(
    async ({ terminal, other, pidFile }) => {
      await terminal.waitForRow(/\(connected\)/);
      await enter(terminal, 'create -e /mine');
      await terminal.waitForRow(/^Created \/mine$/);
      const pid = Number(readFileSync(pidFile, 'utf8'));
      await terminal.close();
      await waitFor('the shell to end', () => !isRunning(pid));
      assert.is(await other.exists('/mine'), null);
    },
    { script: 'zksh' },
  );
});
