import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resultToText } from '../../../../src/commands/results/kinds.js';
import { makeShellWorld } from '../../../support/terminal/shell-world.js';

test('ls -l drops columns before it exceeds the terminal, and never size and name', async () => {
  const world = makeShellWorld();
  await world.run(`create -e /e; create /${'n'.repeat(20)}`);
  const [listing] = (await world.runFully('ls -l /')).results;
  assert.ok(listing);
  for (const [columns, titles] of [
    [200, /^TYPE +CHILDREN +SIZE +VERSION +MODIFIED +OWNER +NAME\n/],
    [95, /^TYPE +CHILDREN +SIZE +MODIFIED +OWNER +NAME\n/],
    [20, /^SIZE +MODIFIED +NAME\n/],
  ] as const) {
    const text = String(resultToText(listing, { isTerminal: true, columns: () => columns }));
    assert.match(text, titles, `${columns}`);
  }
});

test.run();
