import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

test('deleteall of one znode without children needs no confirmation, as delete', async () => {
  const world = makeShellWorld({ isInteractive: true, answer: false });
  assert.is(await world.run('deleteall /a'), 'Deleted /a\n');
  assert.equal(world.questions, []);
  const script = makeShellWorld();
  assert.is(await script.run('deleteall /a'), 'Deleted /a\n');
  await script.run('create -p /t/x');
  for (const path of ['/t', '/t/*']) {
    assert.is((await script.runFully(`deleteall ${path}`)).error?.code, 'UNCONFIRMED', path);
  }
});

test.run();
