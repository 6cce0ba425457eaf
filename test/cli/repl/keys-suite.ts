// The keys of the line, its colors, and its size, in a real terminal.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';
import { enter, inWorld, serverTest, terminalTest } from './world.js';

terminalTest('keys typed before the shell has started are not lost', async () => {
  await inWorld(async ({ again }) => {
    const terminal = await again();
    await enter(terminal, 'create /app early');
    await enter(terminal, 'get /app');
    await terminal.waitForRow(/^early$/);
    const rows = await terminal.transcript();
    assert.is(rows.filter((row) => row.endsWith('> create /app early')).length, 1, rows.join('\n'));
  });
});

terminalTest("Emacs' keys edit, and Up searches by the prefix of the line", async () => {
  await inWorld(async ({ terminal }) => {
    await terminal.waitForRow(/\(connected\)/);
    await terminal.type('wrong version extra');
    await terminal.press('C-w', 'BSpace', 'C-a', 'M-d', 'Delete', 'C-e');
    await terminal.waitForRow(/> version$/);
    await terminal.press('Enter');
    await terminal.waitForRow(/^zksh \d/);
    await enter(terminal, 'create /app one');
    await enter(terminal, 'pwd');
    await terminal.waitForRow(/^\/$/);
    await terminal.type('cre');
    await terminal.press('Up');
    await terminal.waitForRow(/> create \/app one$/);
    await terminal.press('Down');
    await terminal.press('C-u');
    await terminal.type('two ');
    await terminal.press('C-a');
    await terminal.type('create /app/');
    await terminal.press('C-e');
    await terminal.type('x');
    await terminal.press('Left', 'C-k', 'C-y', 'C-l');
    await terminal.waitForScreen('a clear screen', (rows) =>
      /> create \/app\/two x$/.test(rows[0] ?? ''),
    );
    await terminal.press('Enter');
    await terminal.waitForRow(/^Created \/app\/two$/);
  });
});

terminalTest('only its owner can read the history, and it has no secret', async () => {
  await inWorld(async ({ terminal, historyFile }) => {
    await terminal.waitForRow(/\(connected\)/);
    await enter(terminal, 'addauth digest ann:secret1');
    await enter(terminal, 'create /no/parent x digest:ann:secret2:cdrwa');
    await enter(terminal, 'addauht digest ann:secret3');
    await enter(terminal, 'version');
    await terminal.waitForRow(/^zksh \d/);
    await waitFor('the history', () => readFileSync(historyFile, 'utf8').includes('version'));
    assert.is(readFileSync(historyFile, 'utf8'), 'version\n');
    assert.is(statSync(historyFile).mode & 0o777, 0o600);
    await terminal.press('Up', 'Up', 'Up');
    await terminal.waitForRow(/> version$/);
  });
});

serverTest('a password is prompted for and never shown or stored', async () => {
  await inWorld(async ({ terminal, historyFile }) => {
    await terminal.waitForRow(/\(connected\)/);
    await enter(terminal, 'addauth digest ann');
    await terminal.waitForRow(/^Password of ann:$/);
    await terminal.type('secret4');
    await terminal.press('Enter');
    await enter(terminal, 'whoami');
    await terminal.waitForRow(/^digest: ann$/);
    assert.not.match((await terminal.transcript()).join('\n'), /secret/);
    await waitFor('the history', () => readFileSync(historyFile, 'utf8').includes('whoami'));
    assert.is(readFileSync(historyFile, 'utf8'), 'whoami\n');
  });
});

terminalTest('--auth with only a user first prompts for the password', async () => {
  await inWorld(
    async ({ terminal }) => {
      await terminal.waitForRow(/^password of bob:$/);
      await terminal.type('secret5');
      await terminal.press('Enter');
      await terminal.waitForRow(/^digest: bob$/);
      assert.not.match((await terminal.transcript()).join('\n'), /secret/);
    },
    { script: 'zksh --auth bob -c whoami; sleep 60' },
  );
});

terminalTest(
  'aliases of the configuration work at the prompt, and are shown before Enter',
  async () => {
    const home = makeTempDir('aliases');
    const file = join(home.path, 'config.json');
    writeFileSync(file, '{"aliases": {"hallo": "version", "ls": "version"}}');
    try {
      const env = { ZKSH_CONFIG: file };
      await inWorld(
        async ({ terminal, again }) => {
          await terminal.waitForRow(/^.*: alias: name of a command: "ls"$/);
          writeFileSync(file, '{"aliases": {"hallo": "version"}, "prompt-role": false}');
          const next = await again({ env });
          await next.waitForRow(/\(connected\)/);
          await next.type('hallo');
          await next.press('Enter');
          await next.waitForRow(/^zksh \d/);
        },
        { env, columns: 300 },
      );
    } finally {
      home.remove();
    }
  },
);

const RED = '\x1b[31m';

terminalTest('an error is red before Enter, unless colors are disabled', async () => {
  await inWorld(async ({ terminal, again }) => {
    await terminal.waitForRow(/\(connected\)/);
    await terminal.type('gett /a');
    await terminal.waitForRow(/^unknown command: "gett"; did you mean get\?$/);
    assert.ok((await terminal.styled()).join('\n').includes(`${RED}gett`));
    const plain = await again({ env: { NO_COLOR: '1' } });
    await plain.waitForRow(/\(connected\)/);
    await plain.type('gett /a');
    await plain.waitForRow(/^unknown command: "gett"; did you mean get\?$/);
    assert.not.ok((await plain.styled()).join('\n').includes(RED));
  });
});

terminalTest('TAB completes permissions and local files', async () => {
  await inWorld(async ({ terminal, historyFile }) => {
    await terminal.waitForRow(/\(connected\)/);
    await enter(terminal, 'create /app x');
    await terminal.waitForRow(/^Created \/app$/);
    await terminal.type('setAcl /app wor');
    await terminal.press('Tab');
    await terminal.waitForRow(/> setAcl \/app world:anyone:$/);
    await enter(terminal, 'cdrwa');
    await terminal.type(`set /app @${historyFile.slice(0, -3)}`);
    await terminal.press('Tab');
    await terminal.waitForScreen('the whole name', (rows) => rows.join('').includes(historyFile));
    await terminal.press('Enter');
    await enter(terminal, 'get /app');
    await terminal.waitForRow(/^setAcl \/app world:anyone:cdrwa$/);
  });
});

terminalTest('wide characters keep the cursor in the right place', async () => {
  await inWorld(async ({ terminal, other }) => {
    const prompt = (await terminal.waitForRow(/\(connected\)/)).length + 1;
    await terminal.type('create /日本 e\u0301x😀');
    await terminal.waitForRow(/create \/日本 .*😀$/);
    assert.equal((await terminal.cursor()).x, prompt + 'create /'.length + 4 + ' ex'.length + 2);
    await terminal.press('Left', 'Left', 'Left', 'Left', 'Left');
    await waitFor('the cursor', async () => {
      return (await terminal.cursor()).x === prompt + 'create /'.length + 2;
    });
    await terminal.type('-');
    await terminal.press('Enter');
    await terminal.waitForRow(/^Created \/日-本$/);
    assert.is((await other.getData('/日-本')).data?.toString(), 'e\u0301x😀');
  });
});

terminalTest('twenty columns are enough', async () => {
  await inWorld(
    async ({ terminal, other }) => {
      await terminal.waitForRow(/\(connected/);
      await enter(terminal, 'create /app hello');
      await terminal.waitForRow(/^Created \/app$/);
      await enter(terminal, 'watch /app');
      await terminal.waitForRow(/^── watching/);
      await other.setData('/app', Buffer.from('other'));
      await terminal.waitForRow(/^ {2}\+ other$/);
      await enter(terminal, 'browse /');
      await terminal.waitForRow(/^▾ \/ 2$/);
      await terminal.resize(5, 3);
      await terminal.resize(20, 10);
      await terminal.waitForScreen('the browser, drawn for 20 columns', (rows) => {
        return rows.includes('▾ / 2') && rows.some((row) => row.length > 5);
      });
      await terminal.type('q');
      await terminal.waitForRow(/^\/>$/);
      await enter(terminal, 'get /app');
      await terminal.waitForRow(/^other$/);
      await terminal.press('C-d');
      assert.is(await terminal.exitStatus(), 0);
    },
    { columns: 20, rows: 10 },
  );
});
