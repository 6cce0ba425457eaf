// conformance: runs against Apache's server, too.
// find --exec: reading commands run at once, and changes are counted and confirmed first.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { serverTest } from '../../../../support/terminal/shell-suite.js';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

const PLANT = "create /t; create /t/a one; create '/t/b c' two; create '/t/d*' three; create /t/d";

serverTest('a command that changes data requires --yes', async (shell) => {
  await shell.run(PLANT);
  assert.is(await shell.run("find --min-size 1 --exec 'get {}' /t"), 'one\ntwo\nthree\n');
  const { error } = await shell.fully("find --min-size 1 --exec 'delete {}' /t");
  assert.equal([error?.code, error?.exitCode], ['UNCONFIRMED', 64]);
  assert.match(error?.sentence ?? '', /^find: not confirmed: 3 znodes: \/t\/a, /);
  assert.is(
    await shell.run("find --min-size 1 --dry-run --exec 'delete {}' /t"),
    "delete /t/a\ndelete '/t/b c'\ndelete '/t/d*'\n",
  );
  await shell.run("find -y --min-size 1 --exec 'delete {}' /t");
  // A name is literal, whatever special characters it has.
  assert.is(await shell.run('ls /t'), '[d]\n');
});

serverTest('it stops at the first error, or continues and names them', async (shell) => {
  await shell.run(PLANT);
  await shell.run('create /t/a/x 1; create /t/d/y 2');
  const stopped = await shell.fully("find -y --name '[a-d]*' --exec 'delete {}' /t");
  assert.is(stopped.error?.code, 'NOTEMPTY');
  assert.is(await shell.run('find -c /t'), '7\n');
  const { error } = await shell.fully("find -yk --name '[a-d]*' --exec 'delete {}' /t");
  assert.is(error?.exitCode, 9);
  assert.match(
    error?.sentence ?? '',
    /^--exec: failed for 2 of 4 znodes: \/t\/a \(.*\), \/t\/d \(/,
  );
  assert.is(await shell.run('find -c /t'), '5\n');
  const read = await shell.fully("find -k --exec 'json get {}' /t");
  assert.match(read.error?.sentence ?? '', /^--exec: failed for 3 of 5 znodes/);
});

test('a user is asked once, also for aliases and nested commands', async () => {
  const world = makeShellWorld({ isInteractive: true, answer: false });
  await world.run("alias kill 'delete'");
  for (const exec of ['kill {}', 'time delete {}', 'json set {} "" 1']) {
    world.questions.length = 0;
    const { error } = await world.runFully(`find --name a --exec '${exec}' /`);
    assert.is(error?.code, 'REFUSED', exec);
    assert.equal(world.questions, [`Run "${exec}" for 1 znode: /a?`]);
  }
  world.questions.length = 0;
  await world.run(`find --name a --exec 'json get {}' /; find --name a --exec 'delete -n {}' /`);
  assert.equal(world.questions, []);
});

test('invalid commands are refused before anything is read', async () => {
  const world = makeShellWorld();
  for (const line of ['find --exec "get \'" /', 'find -y /', 'find -k /', "find --exec '' /"]) {
    const { error } = await world.runFully(line);
    assert.is(error?.code, 'USAGE', line);
  }
  assert.equal(
    (await makeShellWorld({ isReadOnly: true }).runFully("find -y --name a --exec 'delete {}' /"))
      .error?.code,
    'READONLY',
  );
});

test.run();
