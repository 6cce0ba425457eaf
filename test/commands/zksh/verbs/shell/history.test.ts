import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

test('history lists earlier lines without secrets, and redo runs one again', async () => {
  const world = makeShellWorld();
  await world.run('get /a');
  await world.run('addauth digest ann:secret');
  await world.run('set /a 2; get /a');
  assert.is(await world.run('history'), '0 - get /a\n1 - set /a 2; get /a\n2 - history\n');
  assert.is(await world.run('redo 0'), '2\n');
  assert.is(await world.run('history --limit 1'), '5 - history --limit 1\n');
});

test('redo of a missing line, or of a redo, is refused', async () => {
  const world = makeShellWorld();
  await world.run('get /a');
  await world.run('redo 0');
  assert.is((await world.runFully('redo 99')).error?.exitCode, 64);
  assert.is((await world.runFully('redo 1')).error?.exitCode, 64);
  await world.run('get /no');
  const failed = await world.runFully('redo 5');
  assert.equal([failed.error?.code, failed.error?.exitCode], ['NONODE', 4]);
});

test('printwatches off hides events', async () => {
  const world = makeShellWorld();
  assert.is(await world.run('printwatches'), 'printwatches is on\n');
  assert.is(
    await world.run('printwatches off; get -w /a; set /a x; printwatches'),
    'hello\nChanged /a to version 1\nprintwatches is off\n',
  );
  assert.is(
    await world.run('printwatches on; get -w /a; set /a y'),
    'x\nNodeDataChanged /a\nChanged /a to version 2\n',
  );
  assert.is((await world.runFully('printwatches maybe')).error?.exitCode, 64);
});

test('!! and !N run a line of history, and are shown and kept as that line', async () => {
  const world = makeShellWorld();
  await world.run('get /a');
  await world.run('pwd');
  assert.is(await world.run('!!'), 'pwd\n/\n');
  assert.is(await world.run(' !0 '), 'get /a\nhello\n');
  assert.equal(world.session.lines, ['get /a', 'pwd', 'pwd', 'get /a']);
  const { error } = await world.runFully('!9');
  assert.equal([error?.sentence, error?.exitCode], ['no line 9 in history', 64]);
  assert.is((await makeShellWorld().runFully('!!')).error?.exitCode, 64);
  assert.is((await world.runFully("create /b '!!'; get /b")).text, 'Created /b\n!!\n');
});

test.run();
