// Other programs on the shell's terminal: the pager, and the editor.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { enter, inWorld, serverTest, terminalTest } from './world.js';

/** Prints its input between two rows of its own, and waits for a key. */
const PAGER = 'sh -c \'echo "<<"; cat; echo ">>"; read line </dev/tty; echo "left $line"\'';

serverTest('only output longer than the screen goes through the pager', async () => {
  await inWorld(
    async ({ terminal }) => {
      await terminal.waitForRow(/\(connected\)/);
      await enter(terminal, `create /app '${Array.from({ length: 40 }, (_, n) => n).join('\n')}'`);
      await terminal.waitForRow(/^Created \/app$/);
      await enter(terminal, 'get /app');
      await terminal.waitForRow(/^>>$/);
      await enter(terminal, 'with a word');
      await terminal.waitForRow(/^left with a word$/);
      await enter(terminal, 'version');
      await terminal.waitForRow(/^zksh \d/);
      const rows = await terminal.transcript();
      assert.is(rows.filter((row) => row === '<<').length, 1, rows.join('\n'));
      assert.is(rows.filter((row) => row === '39').length, 1, rows.join('\n'));
      await enter(terminal, 'pager off');
      await enter(terminal, 'get /app');
      await enter(terminal, 'pwd');
      await terminal.waitForRow(/^\/$/);
      const later = await terminal.transcript();
      assert.is(later.filter((row) => row === '<<').length, 1, later.join('\n'));
    },
    { env: { PAGER } },
  );
});

serverTest('quitting the pager ends the command, and the shell gets the keys again', async () => {
  await inWorld(
    async ({ terminal }) => {
      await terminal.waitForRow(/\(connected\)/);
      await enter(terminal, 'help');
      await terminal.waitForRow(/^:$|^\(END\)$/);
      await terminal.press('q');
      await terminal.waitForRow(/\(connected\) \/>/);
      await enter(terminal, 'version');
      await terminal.waitForRow(/^zksh \d/);
    },
    { env: { PAGER: 'less -X' } },
  );
});

terminalTest('a pager that cannot start loses nothing', async () => {
  await inWorld(
    async ({ terminal }) => {
      await terminal.waitForRow(/\(connected\)/);
      await enter(terminal, 'help; version');
      await terminal.waitForRow(/^zksh \d/);
      const rows = await terminal.transcript();
      assert.ok(
        rows.some((row) => /^ *getAllChildrenNumber /.test(row)),
        rows.join('\n'),
      );
    },
    { env: { PAGER: '/nothing/here' } },
  );
});

serverTest('edit passes the terminal to the editor, and takes it back', async () => {
  const home = makeTempDir('editor');
  const editor = join(home.path, 'editor');
  writeFileSync(editor, 'echo editing; read word </dev/tty; echo "$word" >"$1"\n');
  try {
    await inWorld(
      async ({ terminal }) => {
        await terminal.waitForRow(/\(connected\)/);
        await enter(terminal, 'create /app old; edit /app');
        await terminal.waitForRow(/^editing$/);
        await enter(terminal, 'typed there');
        await enter(terminal, 'get /app');
        await terminal.waitForScreen(
          'the value, as typed and as read',
          (rows) => rows.filter((row) => row === 'typed there').length === 2,
        );
      },
      { env: { VISUAL: '', EDITOR: `sh ${editor}` } },
    );
  } finally {
    home.remove();
  }
});

serverTest('a program after | has the terminal, and its output stays', async () => {
  await inWorld(async ({ terminal }) => {
    await terminal.waitForRow(/\(connected\)/);
    await enter(terminal, 'create /app old; create /app/child');
    await enter(terminal, 'ls /app | tr a-z A-Z; read word </dev/tty; echo "got $word"');
    await terminal.waitForRow(/^\[CHILD\]$/);
    await enter(terminal, 'a word');
    await terminal.waitForRow(/^got a word$/);
    await enter(terminal, 'deleteall /app | cat');
    await terminal.waitForRow(/\[y\/N\]/);
    await terminal.type('y');
    // Keys typed at once with the answer do not count.
    await terminal.waitForRow(/\[y\/N\] yes/);
    await enter(terminal, 'ls / | cat');
    await terminal.waitForRow(/^\[zookeeper\]$/);
  });
});
