import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../../src/commands/machine/parse-arguments.js';
import { CommandError } from '../../../src/commands/program/command-error.js';
import { parseLine } from '../../../src/commands/zksh/language/parse-line.js';
import { findCommand } from '../../../src/commands/zksh/running/registry.js';
import { resolvePath } from '../../../src/commands/znodes/resolve-path.js';

async function parse(line: string) {
  const [statement] = parseLine(line).statements;
  const [name, ...words] = statement?.tokens ?? [];
  const command = await findCommand(name?.text ?? '');
  if (statement === undefined || command === undefined) throw new Error(line);
  return parseArguments(command, words, statement, {
    resolve: (text) => resolvePath(text, '/site'),
  });
}

const line = (text: string) => ({ from: 'line', bytes: Buffer.from(text) });

const GOOD: readonly (readonly [line: string, options: object, args: object])[] = [
  ['get /a', { stat: false, base64: false }, { path: '/a' }],
  ['wait --timeout 5s /a', { timeout: 5000 }, { path: '/a' }],
  ['wait -t 250 /a', { timeout: 250 }, { path: '/a' }],
  ['create -t 7d /a', { ttl: 604_800_000 }, { path: '/a' }],
  ['get -s /a', { stat: true }, { path: '/a' }],
  ['get /a -s', { stat: true }, { path: '/a' }],
  ['get -sb /a', { stat: true, base64: true }, { path: '/a' }],
  ['get --stat /a', { stat: true }, { path: '/a' }],
  ['get b/c', {}, { path: '/site/b/c' }],
  ['get ..', {}, { path: '/' }],
  ['get -- -a', {}, { path: '/site/-a' }],
  ["get '-s'", { stat: false }, { path: '/site/-s' }],
  ['set /a -5', {}, { path: '/a', data: line('-5') }],
  ['set /a -.5', {}, { path: '/a', data: line('-.5') }],
  ["set /a '-s'", { stat: false }, { data: line('-s') }],
  ['set /a -- -s', { stat: false }, { data: line('-s') }],
  ['set /a -', {}, { data: { from: 'stdin' } }],
  ["set /a '-'", {}, { data: line('-') }],
  ['set /a @f', {}, { data: { from: 'file', file: 'f' } }],
  ["set /a '@f'", {}, { data: line('@f') }],
  ['set /a @', {}, { data: line('@') }],
  ['set -v 3 /a x', { version: 3 }, { data: line('x') }],
  ['set -v3 /a x', { version: 3 }, { data: line('x') }],
  ['set -v -1 /a x', { version: -1 }, { data: line('x') }],
  ['set --version=3 /a x', { version: 3 }, { data: line('x') }],
  ['set --version 3 /a x', { version: 3 }, { data: line('x') }],
  ['set -sv3 /a x', { stat: true, version: 3 }, { data: line('x') }],
  ['create /a', {}, { path: '/a' }],
  [
    'create /a x auth::r',
    {},
    { path: '/a', data: line('x'), acl: [{ perms: 1, id: { scheme: 'auth', id: '' } }] },
  ],
];

for (const [text, options, args] of GOOD) {
  test(`takes ${text}`, async () => {
    const parsed = await parse(text);
    for (const [name, value] of Object.entries(options)) {
      assert.equal(parsed.options[name], value, name);
    }
    for (const [name, value] of Object.entries(args)) assert.equal(parsed.args[name], value, name);
  });
}

const BAD: readonly (readonly [line: string, sentence: RegExp, at: string, hint?: RegExp])[] = [
  ['get', /get: missing argument: path/, '', /^usage: get /],
  ['set /a', /set: missing argument: data/, ''],
  ['set /n two words', /set: unexpected argument/, 'words', /'two words'/],
  ['set /n a b c d', /3 unexpected arguments/, 'b c d'],
  ['delete /v 0', /unexpected argument/, '0', /delete -v VERSION/],
  ['get /a w', /unexpected argument/, 'w', /use -w/],
  ['whoami me', /whoami: unexpected argument/, 'me', /^usage: whoami$/],
  ['get -q /a', /get: unknown option: -q/, '-q'],
  ['get -sq /a', /get: unknown option: -q/, '-sq'],
  ['get --sta /a', /unknown option: --sta/, '--sta', /did you mean --stat\?/],
  ['get --json /a', /get: unknown option: --json/, '--json', /^for JSON, start zksh with -o json$/],
  ['get --toString /a', /unknown option: --toString/, '--toString'],
  ['set /a -x', /unknown option: -x/, '-x', /quote it or put it after --/],
  ['get -s -s /a', /--stat: repeated option/, '-s'],
  ['get --stat=1 /a', /takes no value/, '--stat=1'],
  ['set /a x -v', /-v: missing value: VERSION/, '-v'],
  ['set -v abc /a x', /--version: invalid number: "abc"/, 'abc'],
  ['set -v 1.5 /a x', /invalid number/, '1.5'],
  ['set -v 99999999999 /a x', /expected -1 to 2147483647/, '99999999999'],
  ['set -v -2 /a x', /expected -1 to/, '-2'],
  ['create -t 0 /a', /--ttl: out of range: 0 .expected 1ms to 1099511627775ms/, '0'],
  ['create -t x /a', /--ttl: invalid duration/, 'x'],
  ['create /a x world:anyone:q', /unknown permission: "q"/, 'q'],
  ["create /a x 'world:anyone:q'", /unknown permission: "q"/, "'world:anyone:q'"],
  ['setAcl /a bogus', /invalid ACL entry: "bogus"/, 'bogus'],
  ['get //a', /invalid path: \/\/a: it has an empty name/, '//a'],
  ["get ''", /invalid path: "" \(expected a path/, "''"],
  ['get "/a\\x00"', /U\+0000/, '"/a\\x00"'],
  ['get "/\\xff"', /not UTF-8/, '"/\\xff"'],
  ['watch /a touch x', /watch: 2 unexpected arguments/, 'touch x', /put -- before a command/],
  ['watch /a touch -- x', /watch: unexpected argument/, 'touch'],
  ['addWatch -m ONCE /a', /--mode: invalid value: .*PERSISTENT, PERSISTENT_RECURSIVE/, 'ONCE'],
  ['addWatch -m PERSISTEN /a', /--mode: invalid value:/, 'PERSISTEN', /did you mean PERSISTENT\?/],
];

for (const [text, sentence, at, hint] of BAD) {
  test(`refuses ${text}`, async () => {
    try {
      await parse(text);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, CommandError);
      const { message, exitCode, place, hint: given } = error as CommandError;
      assert.match(message, sentence);
      assert.is(exitCode, 64);
      assert.is(text.slice(place?.start, place?.end), at);
      if (hint !== undefined) assert.match(given ?? '', hint);
    }
  });
}

test.run();
