// The execution of a line: order, errors and their exit codes, connections, interrupts.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConnectError } from '../../../../src/client/base/errors.js';
import {
  allCommands,
  COMMAND_WORDS,
  suggestCommand,
} from '../../../../src/commands/zksh/running/registry.js';
import type { ErrorName } from '../../../../src/protocol/error-code.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeShellWorld } from '../../../support/terminal/shell-world.js';

test('statements run in order, and an error stops the line', async () => {
  const { text, results } = await makeShellWorld().runFully('get /a; get /no; get /a');
  assert.is(text, 'hello\nNode does not exist: /no\n');
  assert.is(results.length, 1);
});

test('a line that does not parse runs no statement', async () => {
  const world = makeShellWorld();
  const { text, error } = await world.runFully("set /a x; get '/a");
  const margin = ' '.repeat(2 + 'set /a x; get '.length);
  assert.is(text, `unclosed quote: '\n  set /a x; get '/a\n${margin}^\n`);
  assert.is(error?.exitCode, 64);
  assert.equal(world.opened, []);
});

const WRONG: readonly (readonly [line: string, exitCode: number, text: RegExp])[] = [
  ['gett /a', 127, /^unknown command: "gett"\n {2}gett \/a\n {2}\^{4}\n {2}did you mean get\?\n$/],
  ['rmr /a', 127, /did you mean deleteall\?/],
  ['GET /a', 127, /did you mean get\?/],
  ['frobnicate', 127, /run help to list the commands/],
  ['get /a; ls -q /', 64, /unknown option: -q\n {2}get \/a; ls -q \/\n {13}\^\^\n/],
  ['help nosuch', 127, /unknown command: "nosuch"/],
  ['cd -', 64, /no previous path/],
];

for (const [line, exitCode, text] of WRONG) {
  test(`${line} exits with ${exitCode}`, async () => {
    const run = await makeShellWorld().runFully(line);
    assert.is(run.error?.exitCode, exitCode);
    assert.match(run.text, text);
  });
}

test('only a command that needs a server connects, and only once', async () => {
  const world = makeShellWorld();
  await world.run('help; help get; version; pwd; get');
  assert.equal(world.opened, []);
  await world.run('get /a; ls /; stat /a');
  assert.is(world.opened.length, 1);
  assert.equal(world.client.calls, ['getData', 'getChildren', 'exists']);
});

const CODES: readonly (readonly [
  code: ErrorName | 'ETIMEDOUT',
  exitCode: number,
  sentence: RegExp,
])[] = [
  ['NONODE', 4, /^Node does not exist: \/a$/],
  ['NOAUTH', 8, /^Insufficient permission : \/a$/],
  ['BADVERSION', 7, /^version No is not valid : \/a$/],
  ['INVALIDACL', 1, /^Acl is not valid : \/a$/],
  ['QUOTAEXCEEDED', 1, /^Quota has exceeded : \/a$/],
  ['CONNECTIONLOSS', 3, /fake:2181: connection lost; outcome of set is unknown$/],
  ['ETIMEDOUT', 3, /fake:2181: request timed out; outcome of set is unknown$/],
  ['SESSIONEXPIRED', 3, /session expired/],
  ['NOTREADONLY', 1, /fake:2181: server is read-only/],
  ['UNIMPLEMENTED', 1, /fake:2181: server does not support set/],
  ['THROTTLEDOP', 1, /KeeperErrorCode = Op throttled due to high load for \/a/],
];

for (const [code, exitCode, sentence] of CODES) {
  test(`${code} is a sentence, and exit code ${exitCode}`, async () => {
    const world = makeShellWorld();
    world.client.failures.set('setData /a', code);
    const { error } = await world.runFully('set /a x');
    assert.match(error?.sentence ?? '', sentence);
    assert.equal([error?.code, error?.exitCode], [code, exitCode]);
  });
}

test('the error of a lost read says that it changed nothing', async () => {
  const world = makeShellWorld();
  world.client.failures.set('getData /a', 'CONNECTIONLOSS');
  const { error } = await world.runFully('get /a');
  assert.match(error?.sentence ?? '', /connection lost; get is safe to retry$/);
});

test('errors in JSON have the code, the path, and the remedy', async () => {
  const world = makeShellWorld({ format: 'ndjson' });
  assert.equal(JSON.parse(await world.run('create /x/y')), {
    error: {
      code: 'NONODE',
      exitCode: 4,
      message: 'Node does not exist: /x (the parent of /x/y)',
      path: '/x/y',
      hint: 'use create -p to create missing parents',
    },
  });
});

test('without a server, the exit code is 3 with the reason, and the next command tries again', async () => {
  const world = makeShellWorld();
  world.client.connectError = new ConnectError('fake:2181 refused the connection');
  const { error } = await world.runFully('ls /');
  assert.equal([error?.exitCode, error?.sentence], [3, 'fake:2181 refused the connection']);
  assert.is(await world.run('ls /'), '[zookeeper]\n');
});

test('a missing chroot has its own error', async () => {
  const world = makeShellWorld({ target: 'fake:2181/app' });
  await world.run('pwd; delete /a');
  world.client.failures.set('getChildren /', 'NONODE');
  world.client.exists = async () => null;
  const { error } = await world.runFully('ls /');
  assert.is(error?.sentence, 'chroot does not exist: /app');
  assert.is(error?.exitCode, 4);
  assert.is(error?.hint, 'connect to fake:2181 and create it there');
});

test('servers after the chroot would be part of its path', async () => {
  const world = makeShellWorld({ target: 'fake:2181/app,other:2181/app' });
  world.client.failures.set('getChildren /', 'NONODE');
  world.client.exists = async () => null;
  const { error } = await world.runFully('ls /');
  assert.is(error?.hint, 'write the chroot once, after the last server: host1,host2/chroot');
});

test('a read-only shell refuses every command that changes data, and sends nothing', async () => {
  const lines = ['create /x', 'set /a y', 'delete /a', 'deleteall /a', 'setAcl /a world:anyone:r'];
  for (const line of lines) {
    const world = makeShellWorld({ isReadOnly: true });
    const { error } = await world.runFully(line);
    assert.is(error?.code, 'READONLY', line);
    assert.equal(world.client.calls, [], line);
  }
  for (const line of ['lock /a -- true', 'queue put /a x', 'group join /a', '2pc abort /a']) {
    const { error } = await makeShellWorld({ isReadOnly: true }).runFully(line);
    assert.is(error?.code, 'READONLY', line);
  }
  const world = makeShellWorld({ isReadOnly: true });
  assert.is(
    await world.run('queue ls /a; group ls /a; lock --ls /a'),
    '[]\n[]\nno holder, no waiters\n',
  );
  assert.is(await world.run('get /a'), 'hello\n');
  assert.is(world.opened[0]?.canBeReadOnly, true);
});

const CHANGING = ['create', 'delete', 'setData', 'setACL', 'multi', 'reconfig'];

test('every command whose example changes data is declared as mutating', async () => {
  // Some write files.
  const folder = makeTempDir('examples');
  const before = process.cwd();
  process.chdir(folder.path);
  try {
    await checkExamples();
  } finally {
    process.chdir(before);
    folder.remove();
  }
});

async function checkExamples(): Promise<void> {
  const verbs = await allCommands();
  for (const command of verbs.flatMap((verb) => verb.subcommands ?? [verb])) {
    // One connects elsewhere, two wait, one reads a file, one opens an editor, begin needs commit,
    // and undo needs an earlier command. Recipes wait for others, and test/cli covers them.
    const others = ['connect', 'watch', 'wait', 'restore', 'begin', 'edit', 'undo'];
    if (others.includes(command.name)) continue;
    if (command.group === 'recipes') continue;
    const world = makeShellWorld({ isInteractive: true });
    await world.run('create -p /app/old; create /app/config; create /app/ready');
    if (command.name === 'mv') await world.run('delete /app/old; create -p /app/old/x');
    if (command.name === 'delquota') await world.run('setquota -n 5 /app');
    if (/^json/.test(command.name)) await world.run(`set /app/config '{"db": {}, "servers": []}'`);
    world.client.calls.length = 0;
    for (const { line } of command.examples) await world.run(line);
    const isChanging = world.client.calls.some((call) => CHANGING.includes(call));
    assert.is(isChanging, command.isMutating ?? false, command.name);
  }
}

test('an interrupt ends the wait for a response', async () => {
  const world = makeShellWorld();
  world.client.getData = () => new Promise(() => {});
  const running = world.runFully('get /a');
  world.abort.abort();
  const { error } = await running;
  assert.equal([error?.code, error?.exitCode], ['INTERRUPTED', 130]);
});

test('quit and exit end the shell', async () => {
  for (const line of ['quit', 'exit']) {
    const { results } = await makeShellWorld().runFully(line);
    assert.equal(results, [{ kind: 'exit' }]);
  }
});

test('the registry and the declarations name the same commands', async () => {
  const commands = await allCommands();
  const declared = commands.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
  assert.equal(declared, COMMAND_WORDS);
  for (const command of commands.flatMap((verb) => [verb, ...(verb.subcommands ?? [])])) {
    if (command.subcommands === undefined) assert.ok(command.examples.length > 0, command.name);
    assert.match(command.summary, /^[A-Z].*[^.]$/, command.name);
    const letters = Object.values(command.options).flatMap(({ letter }) => letter ?? []);
    assert.is(new Set(letters).size, letters.length, command.name);
  }
});

test('suggestions are similar, or absent', () => {
  assert.is(suggestCommand('creat'), 'create');
  assert.is(suggestCommand('sl'), 'ls');
  assert.is(suggestCommand('getacl'), 'getAcl');
  assert.is(suggestCommand('gteAcl'), 'getAcl');
  assert.is(suggestCommand('getEph'), 'getEphemerals');
  assert.is(suggestCommand('xyzzy'), undefined);
});

test.run();
