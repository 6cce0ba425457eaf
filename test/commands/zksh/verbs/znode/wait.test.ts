// wait, and touch, which others wait for.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeShellWorld, type ShellWorld } from '../../../../support/terminal/shell-world.js';
import { waitFor } from '../../../../support/wait-for.js';

async function waiting(world: ShellWorld, line: string) {
  const run = world.runFully(line);
  await waitFor('the poll', () => world.client.calls.includes('exists'));
  return { run };
}

test('it returns at once if the condition already holds', async () => {
  const world = makeShellWorld();
  for (const line of ['wait /a', 'wait /a --exists', 'wait /b --gone', 'wait /a --data hello']) {
    const { text, error } = await world.runFully(line);
    assert.equal([text, error], ['', undefined], line);
  }
});

test('it ends when the condition holds, and reads only after events', async () => {
  for (const [line, change] of [
    ['wait /b', 'create /b x'],
    ['wait /a --gone', 'delete /a'],
    ['wait /a --data done', 'set /a other; set /a done'],
  ] as const) {
    const world = makeShellWorld();
    const { run } = await waiting(world, line);
    await world.run(change);
    assert.equal((await run).error, undefined, line);
    assert.ok(world.client.calls.filter((call) => call === 'exists').length <= 3, line);
    assert.ok(world.client.calls.includes('removeWatches'), line);
  }
});

test('--timeout gives up, with its own exit code', async () => {
  const { error } = await makeShellWorld().runFully('wait /b --timeout 1');
  assert.equal([error?.code, error?.exitCode], ['TIMEOUT', 3]);
  assert.is(error?.sentence, '/b: does not exist after 1 ms');
});

test('it waits for one condition at a time', async () => {
  const { error } = await makeShellWorld().runFully('wait /a --gone --data x');
  assert.equal(
    [error?.code, error?.sentence],
    ['USAGE', 'wait: expected only one of --exists, --gone, and --data'],
  );
});

test('touch makes a new version with the same data, also null', async () => {
  const world = makeShellWorld();
  await world.run('touch /a');
  assert.match(await world.run('get -s /a'), /^hello\n[\s\S]*dataVersion = 1\n/);
  await world.run('create /null');
  assert.match(await world.run('touch -s /null'), /dataVersion = 1\n[\s\S]*dataLength = 0\n/);
  assert.is((await world.client.getData('/null')).data, null);
  assert.is((await world.runFully('touch /nothing')).error?.exitCode, 4);
});

test('touch fails after a concurrent change', async () => {
  const world = makeShellWorld();
  await world.run('pwd; get /a');
  const { getData } = world.client;
  world.client.getData = async (...args) => {
    const read = await getData.apply(world.client, args);
    await world.client.setData('/a', Buffer.from('theirs'));
    return read;
  };
  assert.is((await world.runFully('touch /a')).error?.exitCode, 7);
});

test.run();
