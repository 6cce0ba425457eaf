// What every verb has in common, and the words of other shells.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandDeclaration } from '../../../../src/commands/machine/declaration.js';
import { helpOf } from '../../../../src/commands/zksh/engine/find-call.js';
import { allCommands } from '../../../../src/commands/zksh/running/registry.js';
import { startServer } from '../../../../src/server/main.js';
import { makeServedShell } from '../../../support/terminal/served-shell.js';
import { makeShellWorld } from '../../../support/terminal/shell-world.js';

const commands: readonly CommandDeclaration[] = (await allCommands()).flatMap((verb) => [
  verb,
  ...(verb.subcommands ?? []),
]);

/** Apache's shell has -n for a number of znodes there. */
const OF_APACHE = ['setquota', 'delquota'];

test('-n is a dry run everywhere', () => {
  const others = commands.flatMap(({ name, options }) =>
    Object.entries(options)
      .filter(([option, { letter }]) => letter === 'n' && option !== 'dry-run')
      .map(() => name),
  );
  assert.equal(others, OF_APACHE);
  for (const { name, options } of commands) {
    const dryRun = options['dry-run'];
    if (dryRun !== undefined) assert.is(dryRun.letter, 'n', name);
  }
});

test('no letters together spell a long option, which would be refused with one dash', () => {
  for (const { name, options } of commands) {
    const letters = Object.values(options).flatMap(({ letter }) => letter ?? []);
    for (const option of Object.keys(options)) {
      const isSpelled = [...option].every((letter) => letters.includes(letter));
      assert.not.ok(option.length > 1 && isSpelled, `${name} -${option}`);
    }
  }
});

test('a long option with one dash is named with two', async () => {
  const { error } = await makeShellWorld().runFully('find / -name db');
  assert.equal(
    [error?.sentence, error?.hint, error?.exitCode],
    ['find: unknown option: -name', 'did you mean --name?', 64],
  );
});

test('help fits 80 columns, except for examples, which are pasted', async () => {
  const overview = await makeShellWorld().run('help');
  for (const text of [overview, ...commands.map((command) => helpOf(command))]) {
    const shown = typeof text === 'string' ? text : text.kind === 'message' ? text.text : '';
    for (const line of shown.replace(/^Examples\n.*/ms, '').split('\n')) {
      assert.ok(line.length <= 80, line);
    }
  }
});

test('rm, cat, and exists are other names of commands', async () => {
  const world = makeShellWorld();
  assert.is(await world.run('cat /a'), 'hello\n');
  assert.is(await world.run('exists /a'), await world.run('stat /a'));
  assert.is(await world.run('rm /a'), 'Deleted /a\n');
  assert.is((await world.runFully('exists /a')).error?.exitCode, 4);
});

test('clear prints nothing, and clears a screen where there is one', async () => {
  assert.is(await makeShellWorld().run('clear'), '');
});

test('four-letter words ask the server of the session', async () => {
  const server = await startServer({ config: { '4lw.commands.whitelist': 'ruok, mntr, srvr' } });
  const shell = makeServedShell(server.connectString);
  try {
    assert.is(await shell.run('ruok'), 'imok\n');
    assert.match(await shell.run('mntr'), /^zk_server_state\tstandalone$/m);
    const json: unknown = JSON.parse(await shell.run('srvr', 'json'));
    assert.equal(Object.keys(Object(json)), ['server', 'word', 'text']);
    const { error } = await shell.fully('cons');
    assert.match(error?.sentence ?? '', /: word cons is not allowed$/);
    assert.match(error?.hint ?? '', 'add cons to 4lw.commands.whitelist');
  } finally {
    await shell.close();
    await server.close();
  }
});

test.run();
