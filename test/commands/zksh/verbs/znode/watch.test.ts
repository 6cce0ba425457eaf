import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeShellWorld, type ShellWorld } from '../../../../support/terminal/shell-world.js';
import { waitFor } from '../../../../support/wait-for.js';

/** Starts a line that watches, and waits until it does. */
async function watching(world: ShellWorld, line: string) {
  const run = world.runFully(line);
  await waitFor('the watch', () => world.client.calls.includes('addWatch'));
  return run;
}

function started(world: ShellWorld): Promise<void> {
  return waitFor('the watch', () => world.client.calls.includes('addWatch')).then(() => undefined);
}

test('changes are shown with old and new value, up to --count of them', async () => {
  const world = makeShellWorld({ isTerminal: true });
  const run = world.runFully('watch -R -c 3 /a');
  await started(world);
  await world.run('set /a x');
  await world.run('create /a/b y');
  await world.run('delete /a/b');
  assert.is(
    (await run).text,
    [
      'NodeDataChanged /a (version 0 to 1)',
      '  - hello',
      '  + x',
      'NodeCreated /a/b',
      '  + y',
      'NodeDeleted /a/b',
      '  - y',
      '',
    ].join('\n'),
  );
  assert.ok(world.client.calls.includes('removeWatches'));
});

test('a pipe gets text, as of every command, and JSON if requested', async () => {
  const world = makeShellWorld();
  const run = world.run('watch -c 1 /a');
  await started(world);
  await world.run('set /a x');
  assert.is(await run, 'NodeDataChanged /a (version 0 to 1)\n  - hello\n  + x\n');
  const json = makeShellWorld({ format: 'ndjson' });
  const printed = json.run('watch -c 1 /a');
  await started(json);
  await json.run('set /a x');
  assert.equal(JSON.parse(await printed), {
    event: 'NodeDataChanged',
    path: '/a',
    zxid: '0x2',
    before: { data: 'hello', encoding: 'utf8', version: 0 },
    after: { data: 'x', encoding: 'utf8', version: 1 },
  });
});

test('--data, --children, and --no-values select the output', async () => {
  const lines = async (options: string) => {
    const world = makeShellWorld({ isTerminal: true });
    const run = world.runFully(`watch -R ${options} /a`);
    await started(world);
    for (const line of ['create /a/b y', 'set /a/b z', 'delete /a/b', 'delete /a']) {
      await world.run(line);
    }
    return (await run).text.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
  };
  assert.equal(await lines('--data -c 1'), ['NodeDataChanged /a/b (version 0 to 1)']);
  assert.equal(await lines('--children -c 3'), [
    'NodeCreated /a/b',
    'NodeDeleted /a/b',
    'NodeDeleted /a',
  ]);
  assert.equal(await lines('--no-values -c 2'), ['NodeCreated /a/b', 'NodeDataChanged /a/b']);
});

test('--until ends at once if the condition holds, or later when it does', async () => {
  for (const condition of ['exists', 'value=hello', 'version=0', 'children=0']) {
    assert.is((await makeShellWorld().runFully(`watch -u ${condition} /a`)).text, '', condition);
  }
  assert.is((await makeShellWorld().runFully('watch -u deleted /b')).text, '');
  for (const [condition, lines] of [
    ['value=bye', ['set /a x', 'set /a bye']],
    ['version=2', ['set /a x', 'set /a y']],
    ['children=1', ['create /a/b']],
    ['deleted', ['delete /a']],
  ] as const) {
    const world = makeShellWorld();
    const run = world.runFully(`watch --until ${condition} /a`);
    await started(world);
    for (const line of lines) await world.run(line);
    assert.is((await run).error, undefined, condition);
  }
});

test('--timeout gives up with exit code 3, also without a connection', async () => {
  const world = makeShellWorld();
  const { error } = await world.runFully('watch -t 20 --until deleted /a');
  assert.equal([error?.code, error?.exitCode], ['TIMEOUT', 3]);
  assert.match(error?.sentence ?? '', /\/a: not yet deleted after 20 ms/);
  const lost = makeShellWorld();
  await lost.session.ready();
  lost.client.exists = () => new Promise(() => undefined);
  assert.is((await lost.runFully('watch -t 20 --until deleted /a')).error?.code, 'TIMEOUT');
});

test('watch ends on an interrupt or with the session', async () => {
  for (const [end, code, exitCode] of [
    ['interrupt', 'INTERRUPTED', 130],
    ['expire', 'SESSIONEXPIRED', 3],
  ] as const) {
    const world = makeShellWorld();
    const run = world.runFully('watch /a');
    await started(world);
    if (end === 'interrupt') world.abort.abort();
    else world.client.setState('expired');
    const { error } = await run;
    assert.equal([error?.code, error?.exitCode], [code, exitCode]);
  }
});

test('at the prompt, it runs in the background until it is removed', async () => {
  const world = makeShellWorld({ isInteractive: true, isTerminal: true });
  assert.is(await world.run('watch /a'), 'Watching /a; removewatches /a stops it\n');
  await world.run('set /a x');
  const twice = await world.runFully('watch /a');
  assert.is(twice.error?.code, 'WATCHED');
  await world.run('removewatches /a');
  await waitFor('the end to be reported', () => world.notified.length === 2);
  assert.equal(
    world.notified.map(({ kind }) => kind),
    ['change', 'watching'],
  );
  // It can be watched again.
  assert.is((await watching(world, 'watch /a')).error, undefined);
});

test('at the prompt, --count waits', async () => {
  const world = makeShellWorld({ isInteractive: true, isTerminal: true });
  const run = world.runFully('watch -c 1 /a');
  await started(world);
  await world.run('set /a x');
  assert.match((await run).text, /^NodeDataChanged \/a /);
});

test('a command runs for each change, and its failures make exit code 9', async () => {
  const world = makeShellWorld({ isTerminal: true });
  const program = 'process.stdout.write(process.env.ZKSH_EVENT + "\\n"); process.exit(3)';
  const run = world.runFully(`watch -c 1 /a -- ${process.execPath} -e '${program}'`);
  await started(world);
  await world.run('set /a x');
  const { text, error } = await run;
  assert.match(text, /\n {2}\+ x\nNodeDataChanged\n.* ended with exit status 3\n/);
  assert.equal([error?.code, error?.exitCode], ['PARTIAL', 9]);
  assert.match(error?.sentence ?? '', /failed for 1 of 1 changes/);
});

test('with JSON, the results of a command are JSON too', async () => {
  const world = makeShellWorld({ format: 'ndjson' });
  const run = world.run(`watch -c 1 /a -- ${process.execPath} -e 'console.log("hi")'`);
  await started(world);
  await world.run('set /a x');
  const lines = (await run)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.is(lines[0].event, 'NodeDataChanged');
  assert.equal(lines[1], { output: { data: 'hi\n', encoding: 'utf8' } });
  assert.is(lines[2].exitCode, 0);
});

test('invalid arguments are refused before anything is sent', async () => {
  const world = makeShellWorld();
  for (const [line, sentence] of [
    ['watch /a touch x', /watch: 2 unexpected arguments/],
    ['watch --until soon /a', /--until: invalid condition: .*expected exists, deleted/],
    ['watch --until version=x /a', /--until: invalid condition: .*expected exists, deleted/],
    ['watch --data --children /a', /expected only one of --data and --children/],
    ['watch --no-values -u exists /a', /cannot combine --no-values with --until/],
  ] as const) {
    const { error } = await world.runFully(line);
    assert.match(error?.sentence ?? '', sentence);
    assert.is(error?.exitCode, 64);
  }
  assert.equal(world.client.calls, []);
});

test.run();
