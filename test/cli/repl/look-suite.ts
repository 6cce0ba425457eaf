// Patterns, undo, and the trace at the prompt.
import * as assert from 'uvu/assert';
import { enter, inWorld, serverTest } from './world.js';

serverTest('a pattern asks for confirmation, and undo restores the deleted znodes', async () => {
  await inWorld(async ({ terminal, other }) => {
    await terminal.waitForRow(/\(connected\) \/>$/);
    await enter(terminal, 'create /app; create /app/a one; create /app/b two; create /app/keep');
    await terminal.waitForRow(/^Created \/app\/keep$/);
    // TAB lists the matches, and does not change the pattern.
    await terminal.type('delete /app/[ab]');
    await terminal.press('Tab', 'Tab');
    await terminal.waitForScreen('the line, and its matches below', (rows) => {
      const line = rows.findIndex((row) => row.endsWith('> delete /app/[ab]'));
      return line !== -1 && /^\/app\/a +\/app\/b$/.test(rows[line + 1] ?? '');
    });
    await terminal.press('Enter');
    await terminal.waitForRow(/^Delete 2 znodes: \/app\/a, \/app\/b\? \[y\/N\]/);
    await terminal.type('y');
    await terminal.waitForRow(/^Deleted 2 znodes$/);
    await other.sync('/app');
    assert.equal((await other.getChildren('/app')).children, ['keep']);
    await enter(terminal, 'undo');
    await terminal.waitForRow(/^create {2}\/app\/b {2}3 bytes$/);
    await terminal.waitForRow(/^undo delete \/app\/\[ab\], 2 znodes\? \[y\/N\]/);
    await terminal.type('y');
    await terminal.waitForRow(/^Undone: delete \/app\/\[ab\], 2 znodes$/);
    await other.sync('/app');
    assert.is((await other.getData('/app/b')).data?.toString(), 'two');
    await other.setData('/app/a', Buffer.from('theirs'));
    await enter(terminal, 'undo');
    await terminal.waitForRow(/^undo: cannot undo undo: changed since: \/app\/a/);
    await enter(terminal, 'get /app/no*');
    await terminal.waitForRow(/^no znode matches \/app\/no\*$/);
  });
});

serverTest('trace on shows requests above the prompt, until trace off', async () => {
  await inWorld(async ({ terminal }) => {
    await terminal.waitForRow(/\(connected\) \/>$/);
    await enter(terminal, 'create /app x; trace on; get /app; trace off; get /app');
    await terminal.waitForScreen(
      'both values',
      (rows) => rows.filter((r) => r === 'x').length === 2,
    );
    await terminal.waitForRow(/^-> #\d+ getData \/app, 21 bytes$/);
    await terminal.waitForRow(/^<- #\d+ getData \/app: OK, zxid 0x/);
    const rows = await terminal.transcript();
    assert.is(rows.filter((row) => row.startsWith('-> ') && row.includes('getData')).length, 1);
  });
});
