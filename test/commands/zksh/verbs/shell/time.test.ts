// Commands that run another one: time and repeat.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { complete } from '../../../../../src/commands/zksh/completing/complete.js';
import {
  isStorable,
  makeVocabulary,
} from '../../../../../src/commands/zksh/completing/vocabulary.js';
import { allCommands } from '../../../../../src/commands/zksh/running/registry.js';
import { analyzeLine } from '../../../../../src/shell/line/line-analysis.js';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';
import { waitFor } from '../../../../support/wait-for.js';

const withoutTime = (text: string) => text.replace(/^[\d.]+ ms/m, 'T ms');

test('time prints the duration of a command and its number of requests', async () => {
  const world = makeShellWorld();
  assert.is(
    withoutTime(await world.run('time get -s /a'))
      .split('\n')
      .at(-2),
    'T ms, 1 request',
  );
  assert.is(withoutTime(await world.run('time pwd')), '/\nT ms, 0 requests\n');
  const { results } = await world.runFully('time set /a x');
  const message = results.find(({ kind }) => kind === 'message');
  assert.ok(message?.kind === 'message' && Number(message.fields['elapsedMs']) >= 0);
  assert.is(world.client.calls.includes('setData'), true);
});

test('an error is that of the command, at its position', async () => {
  const world = makeShellWorld();
  const { error, text } = await world.runFully('time get -q /a');
  assert.equal([error?.code, error?.place], ['USAGE', { ...error?.place, start: 9, end: 11 }]);
  assert.not.match(text, / ms/);
  assert.is((await world.runFully('repeat 3 get /nothing')).error?.exitCode, 4);
  assert.is((await world.runFully('time')).error?.code, 'USAGE');
  assert.is((await world.runFully('repeat 0 pwd')).error?.code, 'USAGE');
});

test('a shell also refuses a forbidden command within another one', async () => {
  const world = makeShellWorld({ isReadOnly: true });
  assert.is((await world.runFully('time set /a x')).error?.code, 'READONLY');
  assert.is(world.client.calls.includes('setData'), false);
});

test('repeat runs a command N times, stops at the first error, and can be nested', async () => {
  const world = makeShellWorld();
  assert.is(await world.run('repeat 3 --every 1 get /a'), 'hello\nhello\nhello\n');
  const { text, error } = await world.runFully('repeat 3 create /b x');
  assert.equal([text.startsWith('Created /b\n'), error?.exitCode], [true, 5]);
  const nested = withoutTime(await world.run('time repeat 2 -- repeat 2 pwd'));
  assert.is(nested, '/\n/\n/\n/\nT ms, 0 requests\n');
});

test('repeat is interrupted while it waits', async () => {
  const world = makeShellWorld();
  const run = world.runFully('repeat 2 --every 1000000 get /a');
  await waitFor('the first run', () => world.client.calls.includes('getData'));
  world.abort.abort();
  assert.is((await run).error?.code, 'INTERRUPTED');
});

test('the history keeps no password of a command within another one', async () => {
  const world = makeShellWorld();
  await world.run('time addauth digest ann:secret');
  await world.run('repeat 2 time addauth digest ann:secret');
  assert.equal(world.session.lines, []);
  const vocabulary = makeVocabulary(await allCommands());
  assert.is(isStorable('time addauth digest ann:secret', vocabulary), false);
  assert.is(isStorable('time get /a', vocabulary), true);
  const { spans } = analyzeLine('time addauth digest ann:secret', 0, vocabulary, world.session);
  assert.not.match(spans.map(({ text }) => text).join(''), /secret/);
});

test('the analysis of a line knows the command within another one', async () => {
  const { session } = makeShellWorld();
  const vocabulary = makeVocabulary(await allCommands());
  const faultOf = (line: string) => analyzeLine(line, 0, vocabulary, session).fault;
  assert.is(faultOf('repeat 2 get -s /a'), undefined);
  assert.match(faultOf('time get --nothing /a;') ?? '', /get: unknown option: --nothing/);
  const context = {
    vocabulary,
    cwd: '/',
    listChildren: async (path: string) => (path === '/' ? ['app'] : []),
    listFiles: async () => [],
  };
  const completed = async (line: string) => (await complete(line, line.length, context)).text;
  assert.is(await completed('time get /a'), '/app ');
  assert.is(await completed('repeat 3 --every 5 whoa'), 'whoami ');
  assert.is(await completed('repeat 3 --ev'), '--every ');
});

test.run();
