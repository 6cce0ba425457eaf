import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTerminal, terminalTest } from './terminal.js';

/** Says `row N` and then `row N+1` for each line that is typed, the earlier ones off the screen. */
const SCRIPT = 'n=1; echo row 1; while read x; do n=$((n+1)); seq 30; echo row $n; done';

terminalTest('a row that stood there before is none to wait for', async () => {
  const terminal = await startTerminal({ command: ['sh', '-c', SCRIPT] });
  try {
    assert.is(await terminal.waitForRow(/^row/), 'row 1');
    await terminal.press('Enter');
    assert.is(await terminal.waitForRow(/^row/), 'row 2');
    await terminal.type('x');
    await terminal.press('Enter');
    assert.is(await terminal.waitForRow(/^row/), 'row 3');
    assert.is(await terminal.waitForRow(/^30$/), '30');
    await terminal.press('Enter');
    assert.is(await terminal.waitForRow(/^row/), 'row 4');
  } finally {
    await terminal.close();
  }
});

test.run();
