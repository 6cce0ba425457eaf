import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTerminal, terminalTest } from './terminal.js';

/** Each typed line prints a row above the previous one. */
const SCRIPT =
  'printf \'\\n\\n\\nrow 1\\n\'; for n in 2 3; do read x; printf "\\033[$((4 - n));1Hrow $n"; done; read x';

terminalTest('waitForRow ignores a row that was already there', async () => {
  const terminal = await startTerminal({ command: ['sh', '-c', SCRIPT] });
  try {
    assert.is(await terminal.waitForRow(/^row/), 'row 1');
    await terminal.press('Enter');
    assert.is(await terminal.waitForRow(/^row/), 'row 2');
    await terminal.press('Enter');
    assert.is(await terminal.waitForRow(/^row/), 'row 3');
  } finally {
    await terminal.close();
  }
});

test.run();
