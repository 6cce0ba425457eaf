// Commands under one name: which one a line calls, and the effects of its declaration.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { callOf, defineFamily } from '../../../../src/commands/machine/subcommands.js';
import { defineCommand } from '../../../../src/commands/zksh/engine/command.js';
import { hasSecret } from '../../../../src/commands/zksh/engine/holds-secret.js';
import { parseLine } from '../../../../src/commands/zksh/language/parse-line.js';
import { allCommands, findCommand } from '../../../../src/commands/zksh/running/registry.js';
import { makeShellWorld, type ShellWorldOptions } from '../../../support/terminal/shell-world.js';

/** The name of the command that a line calls, and its words. */
async function called(line: string): Promise<string> {
  const tokens = parseLine(line).statements[0]?.tokens ?? [];
  const verb = await findCommand(tokens[0]?.text ?? '');
  if (verb === undefined) throw new Error(line);
  const { command, words } = callOf(verb, tokens);
  return [command.name, ...words.map(({ text }) => text)].join(' | ');
}

test('the subcommand is the first word that is neither an option nor its value', async () => {
  for (const [line, call] of [
    ['ls get', 'ls | get'],
    ['json get /a', 'json get | /a'],
    ['json set get set', 'json set | get | set'],
    ['json -s set /a b', 'json set | -s | /a | b'],
    ['queue -p 1 put /q x', 'queue put | -p | 1 | /q | x'],
    ['queue --priority 1 put /q', 'queue put | --priority | 1 | /q'],
    ['queue -p1 put /q', 'queue put | -p1 | /q'],
    ['queue --wait ls take /q', 'queue take | --wait | ls | /q'],
    ["json 'get' /a", 'json get | /a'],
    ['json -- get -a', 'json get | -- | -a'],
    ['json', 'json'],
    ['json gte /a', 'json | gte | /a'],
    ['json constructor', 'json | constructor'],
  ] as const) {
    assert.is(await called(line), call);
  }
});

test('every option has only one meaning in a family', async () => {
  for (const { name, subcommands = [] } of await allCommands()) {
    const kinds = new Map<string, string>();
    for (const { options } of subcommands) {
      for (const [long, { letter, kind = 'flag' }] of Object.entries(options)) {
        for (const flag of letter === undefined ? [`--${long}`] : [`--${long}`, `-${letter}`]) {
          assert.is(kinds.get(flag) ?? `${long} ${kind}`, `${long} ${kind}`, `${name} ${flag}`);
          kinds.set(flag, `${long} ${kind}`);
        }
      }
    }
  }
});

const WRONG: readonly (readonly [line: string, sentence: string, at: string, hint?: string])[] = [
  ['json', 'json: missing subcommand (expected get or set)', ''],
  ['json -s', 'json: missing subcommand (expected get or set)', ''],
  ['acl sow /a', 'acl: unknown subcommand: "sow" (expected show, add or remove)', 'sow', 'show?'],
  ['json x', 'json: unknown subcommand: "x" (expected get or set)', 'x', 'run help json'],
  ['json get -s /a', 'json get: unknown option: -s', '-s', '-s is an option of json set'],
  ['json -s get /a', 'json get: unknown option: -s', '-s', '-s is an option of json set'],
  ['queue take -p5 /q', 'queue take: unknown option: -p5', '-p5', '-p is an option of queue put'],
  [
    'acl show --yes /a',
    'acl show: unknown option: --yes',
    '--yes',
    'is an option of acl add, acl remove',
  ],
  ['acl show -q /a', 'acl show: unknown option: -q', '-q', 'usage: acl show [-R] path'],
  ['json get', 'json get: missing argument: path', ''],
  ['json set /a /b', 'json set: missing argument: value', ''],
  ['queue take /q x', 'queue take: unexpected argument', 'x'],
  [
    '2pc vote /t a perhaps',
    'verdict: invalid value: "perhaps" (expected commit, abort)',
    'perhaps',
  ],
  ['help ls x', 'ls: unknown subcommand', 'x'],
  ['help json x', 'json: unknown subcommand: "x" (expected get or set)', 'x'],
  ['help json get x', 'json get: unknown subcommand', 'x'],
  ["txn 'json set /a /b 1'", 'txn: unsupported operation: "json"', "'json set /a /b 1'"],
];

for (const [line, sentence, at, hint = ''] of WRONG) {
  test(`refuses ${line}`, async () => {
    const world = makeShellWorld();
    const { error } = await world.runFully(line);
    assert.equal([error?.sentence, error?.exitCode], [sentence, 64]);
    assert.is(line.slice(error?.place?.start, error?.place?.end), at);
    assert.ok((error?.hint ?? '').includes(hint), error?.hint);
    assert.equal(world.client.calls, []);
  });
}

test('help explains a family, and each of its subcommands separately', async () => {
  const world = makeShellWorld();
  const family = await world.run('help queue');
  assert.match(family, /^queue put\|take\|peek\|ls \.\.\.\n {2}Add items to a queue/);
  assert.match(family, /\n\nSubcommands\n {2}queue put \[-p N\] path \[data\] {3,}Add an item/);
  assert.not.match(family, /Options/);
  const one = await world.run('help queue put');
  assert.match(one, /^queue put \[-p N\] path \[data\]\n {2}Add an item to a queue\n/);
  assert.match(one, /\n {2}-p, --priority N /);
  assert.not.match(one, /--wait/);
  assert.is(world.opened.length, 0);
});

test('--help prints help at any place of an option, and runs nothing', async () => {
  const world = makeShellWorld({ isReadOnly: true });
  for (const [line, same] of [
    ['json --help', 'help json'],
    ['json get --help', 'help json get'],
    ['json --help set', 'help json set'],
    ['json set --help --bogus', 'help json set'],
    ['ls -l --help /a', 'help ls'],
    ['help --help', 'help help'],
    ['repeat 1 json get --help', 'help json get'],
    ['lock --help /a -- ls --help', 'help lock'],
  ] as const) {
    assert.is(await world.run(line), await world.run(same), line);
  }
  assert.equal(world.client.calls, []);
  const other = makeShellWorld();
  await other.run("create /x '--help'; create /y -- --help");
  assert.is(await other.run('get /x; get /y'), '--help\n--help\n');
  assert.is((await other.runFully('set -v --help /a x')).error?.code, 'USAGE');
});

test('help in JSON has the subcommands of a family', async () => {
  const { subcommands, options } = JSON.parse(
    await makeShellWorld({ format: 'json' }).run('help json'),
  );
  const names = subcommands.map(({ name }: { readonly name: string }) => name);
  assert.equal([names, options], [['json get', 'json set'], undefined]);
  assert.ok('create' in subcommands[1].options);
});

const DATA = `set /a '{"b": 1}'`;

/** The output of a line and its questions, in a shell whose /a has JSON. */
async function inShell(line: string, options: ShellWorldOptions): Promise<string> {
  const world = makeShellWorld(options);
  await world.client.setData('/a', Buffer.from('{"b": 1}'), -1);
  const { text, error } = await world.runFully(line);
  return [error?.sentence ?? text, ...world.questions].join('');
}

test('each subcommand is declared as reading or changing', async () => {
  const readOnly = { isReadOnly: true };
  assert.is(await inShell('json get /a b', readOnly), '1\n');
  assert.is(
    await inShell('json set /a b 2', readOnly),
    'json set: not allowed in a read-only shell',
  );
  const isProtected = { isProtected: true, profile: 'prod', isInteractive: true, answer: false };
  assert.is(await inShell('json get /a b', isProtected), '1\n');
  assert.is(
    await inShell('json set /a b 2', isProtected),
    'json set: not allowed: prod is protectedprod is protected: json set /a?',
  );
  const dryRun = { isDryRun: true };
  assert.is(await inShell('json set /a b 2; json get /a b', dryRun), 'would set /a (8 bytes)\n1\n');
  const failing = makeShellWorld();
  failing.client.failures.set('getData /a', 'CONNECTIONLOSS');
  const read = await failing.runFully('json get /a');
  assert.match(read.error?.sentence ?? '', /lost; json get is safe to retry$/);
  const set = await failing.runFully('json set /a b 2');
  assert.match(set.error?.sentence ?? '', /outcome of json set is unknown$/);
});

test('a pattern, a wrapper, and an alias call a subcommand correctly', async () => {
  assert.is(await inShell('json set /a* b 2', {}), 'json set: not confirmed: 1 znode: /a');
  assert.is(await inShell('repeat 2 json get /a b', {}), '1\n1\n');
  assert.match(await inShell('time json get /a b', {}), /^1\n[\d.]+ ms, 1 request\n$/);
  assert.is(await inShell("alias jg 'json get'; jg /a b", {}), '1\n');
  assert.is(
    await inShell("alias j 'json -s'; j set /a b x; json get /a b", { format: 'raw' }),
    '/a\nx\n',
  );
  const { error } = await makeShellWorld().runFully(`${DATA}; json set /* b 2`);
  assert.match(error?.hint ?? '', /^pass --yes to skip the confirmation/);
});

test('a family with a secret is treated as secret', () => {
  const options = { pin: { kind: 'secret', summary: 'a secret' } } as const;
  const parts = { group: 'shell', summary: 'do something', args: {}, examples: [] } as const;
  const run = async () => ({ kind: 'end' }) as const;
  const safe = defineCommand({ ...parts, name: 'x a', options: {}, run });
  const secret = defineCommand({ ...parts, name: 'x b', options, run });
  const family = { name: 'x', group: 'shell', summary: 'do something' } as const;
  assert.not.ok(hasSecret(defineFamily({ ...family, subcommands: [safe] })));
  assert.ok(hasSecret(defineFamily({ ...family, subcommands: [safe, secret] })));
});

test.run();
