import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isStorable,
  makeVocabulary,
} from '../../../../../src/commands/zksh/completing/vocabulary.js';
import { readAliases } from '../../../../../src/commands/zksh/configuration.js';
import {
  allCommands,
  findCommand,
  suggestCommand,
} from '../../../../../src/commands/zksh/running/registry.js';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

const TABLE = { all: allCommands, find: findCommand, suggest: suggestCommand };

/** The output of the lines in one shell, each to its first error. */
async function printed(...lines: readonly string[]): Promise<string> {
  const world = makeShellWorld();
  let text = '';
  for (const line of lines) text += await world.run(line);
  return text;
}

test('an alias expands to a line, followed by the other words', async () => {
  assert.is(await printed("alias show 'get'", 'show /a'), 'hello\n');
  assert.is(await printed("alias make 'create /b x; get'; make /b"), 'Created /b\nx\n');
});

test('an alias may use another alias, and recursion is cut', async () => {
  assert.is(await printed("alias a 'get'", "alias b 'a /a'", 'b'), 'hello\n');
  assert.match(await printed("alias a 'b x'", 'alias b a', 'a'), /^unknown command: "a"/);
});

test('an alias expands only at the start of a command, and not in quotes', async () => {
  assert.match(await printed("alias a 'get /a'", "'a'"), /^unknown command: "a"/);
  assert.is(await printed("alias a 'get /a'", 'create /b a', 'get /b'), 'Created /b\na\n');
});

test('aliases are listed, shown, and removed', async () => {
  const two = ["alias b 'get /b'", "alias a 'get /a'"];
  assert.is(await printed(...two, 'alias'), 'a = get /a\nb = get /b\n');
  assert.is(await printed(...two, 'alias b'), 'b = get /b\n');
  assert.match(await printed(...two, 'unalias a', 'a'), /^unknown command: "a"/);
  assert.match(await printed('unalias a'), /^unknown alias: a\n/);
  assert.match(await printed('alias a'), /^unknown alias: a\n/);
});

for (const [line, why] of [
  ["alias ls 'get'", 'name of a command'],
  ["alias exit 'get'", 'name of a command'],
  ["alias 'a b' 'get'", 'expected letters'],
  ["alias a ''", 'line is empty'],
  ["alias a 'get \"'", 'unclosed quote'],
  ["alias a 'addauth digest ann:secret'", 'contains a password'],
] as const) {
  test(`${line} is refused`, async () => {
    assert.match(await printed(line), why);
  });
}

test('the refusal does not repeat a password', async () => {
  const world = makeShellWorld();
  const { error, text } = await world.runFully("alias a 'addauth digest ann:secret'");
  assert.is(error?.place, undefined);
  assert.not.match(text, 'secret');
});

test('an error in an expansion is shown at the name of the alias', async () => {
  const world = makeShellWorld();
  await world.run("alias a 'get --nonsense'");
  const { error } = await world.runFully('  a /a');
  assert.equal([error?.place?.start, error?.place?.end], [2, 3]);
});

test('the history keeps no password passed to an alias', async () => {
  const aliases = new Map([['login', 'addauth digest']]);
  const vocabulary = makeVocabulary(await allCommands(), aliases);
  assert.not(isStorable('login ann:secret', vocabulary));
  assert.not(isStorable("alias x 'addauth digest ann:secret'", vocabulary));
  assert.ok(isStorable("alias x 'ls -l'", vocabulary));
  const world = makeShellWorld();
  await world.run("alias login 'addauth digest'");
  await world.run('login ann:secret');
  await world.run("alias x 'addauth digest ann:secret'");
  assert.equal(world.client.auth, [['digest', 'ann:secret']]);
  assert.equal(world.session.lines, ["alias login 'addauth digest'"]);
});

test('analysis and completion know aliases', async () => {
  const aliases = new Map([['ll', 'ls -l']]);
  const vocabulary = makeVocabulary(await allCommands(), aliases);
  assert.is(vocabulary.find('ll')?.name, 'ls');
  assert.ok(vocabulary.words.includes('ll'));
  aliases.delete('ll');
  assert.is(vocabulary.find('ll'), undefined);
});

test('the configuration file has aliases, and errors in them are reported', async () => {
  const home = makeTempDir('aliases');
  try {
    const file = join(home.path, 'config.json');
    assert.is((await readAliases(file, TABLE)).size, 0);
    const read = (content: string) => {
      writeFileSync(file, content);
      return readAliases(file, TABLE).then(
        (aliases) => [...aliases].join(),
        (error: Error) => error.message,
      );
    };
    assert.is(await read('{"profiles":{}}'), '');
    assert.is(await read('{"aliases":{"ll":"ls -l"}}'), 'll,ls -l');
    assert.match(await read('{"aliases":{"ls":"get"}}'), /: alias: name of a command: "ls"/);
    assert.match(await read('{"aliases":{"x":1}}'), 'alias "x" is not a string');
    assert.match(await read('{"aliases":[]}'), 'is not an object');
    assert.match(await read('{'), 'not JSON');
  } finally {
    home.remove();
  }
});

test.run();
