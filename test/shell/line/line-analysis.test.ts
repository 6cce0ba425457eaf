// The analysis of a line before Enter.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeVocabulary } from '../../../src/commands/zksh/completing/vocabulary.js';
import { allCommands } from '../../../src/commands/zksh/running/registry.js';
import { resolvePath } from '../../../src/commands/znodes/resolve-path.js';
import { analyzeLine } from '../../../src/shell/line/line-analysis.js';

const aliases = new Map([['ll', 'ls -l']]);
const vocabulary = makeVocabulary(await allCommands(), aliases);
const resolver = { resolve: (text: string) => resolvePath(text, '/') };

function analyze(text: string, cursor = text.length) {
  return analyzeLine(text, cursor, vocabulary, resolver);
}

/** The text with each styled span in brackets: "[command ls] [path /a]". */
function toned(text: string): string {
  return analyze(text)
    .spans.map(({ tone, text: piece }) => (tone === 'plain' ? piece : `[${tone} ${piece}]`))
    .join('');
}

test('words have the style of their kind', () => {
  assert.is(toned('ls -s /a'), '[command ls] [option -s] [path /a]');
  assert.is(toned("create /a 'x y'"), "[command create] [path /a] [value 'x y']");
  assert.is(
    toned('get /a; foo; ls /'),
    '[command get] [path /a]; [bad foo]; [command ls] [path /]',
  );
  assert.is(toned('json get /a x'), '[command json] [command get] [path /a] x');
  assert.is(
    toned("queue -p 1 put /a 'x'"),
    "[command queue] [option -p] 1 [command put] [path /a] [value 'x']",
  );
  assert.is(toned('json get --help'), '[command json] [command get] [option --help]');
  assert.is(toned('ll /a'), '[command ll] [path /a]');
  assert.is(toned('set /a "open'), '[command set] [path /a] [bad "][value open]');
});

test('a secret is shown as dots', () => {
  const { spans } = analyze('addauth digest user:pw');
  const drawn = spans.map(({ text }) => text).join('');
  assert.is(drawn, 'addauth digest •••••••');
});

test('an error that further typing cannot fix is reported', () => {
  for (const [line, fault] of [
    ['foo ', /unknown command: "foo"/],
    ['xyz', /unknown command: "xyz"/],
    ['ls -Q ', /unknown option: -Q/],
    ['ls --nonsense', /unknown option: --nonsense/],
    ['ls /a /b', /unexpected argument/],
    ['set /n two words', /unexpected argument/],
    ['watch /a touch', /unexpected argument/],
    ['watch --until soon /a', /--until: invalid condition/],
    ['deleteall /zookeeper ', /refuses to delete a system path: \/zookeeper/],
    ['get /[z-a]* ', /reversed range/],
    ['set -v abc ', /invalid number/],
    ['get /a//b', /invalid path/],
    ['get "', /unclosed quote/],
    ['get; ls /', /missing argument: path/],
    ['json gte', /json: unknown subcommand: "gte" \(expected get or set\); did you mean get\?/],
    ['json gets ', /unknown subcommand: "gets"/],
    ['json; ls /', /json: missing subcommand \(expected get or set\)/],
    ['json get -s ', /json get: unknown option: -s; -s is an option of json set/],
    ['time json ge ', /unknown subcommand: "ge"/],
    ['setAcl / world:anyone:q ', /unknown permission: "q"/],
  ] as const) {
    assert.match(analyze(line).fault ?? '(none)', fault, line);
  }
});

test('an incomplete line is not an error', () => {
  for (const line of [
    '',
    'cre',
    'create',
    'create ',
    'create --',
    'create --con',
    'create -t',
    'json',
    'json ',
    'json s',
    'json -s',
    'json set --cre',
    'json set /a /b',
    'json --help',
    'ls -l --help /a /b',
    'queue -p 1 put /a',
    'help json get',
    'll /a',
    'create -t ',
    'create -t 1000 /a',
    'get /a',
    'get /a; ',
    'watch /a -- touch x',
    'watch --until exi',
    'deleteall /',
    'deleteall /a/*; ls /',
    'get /a/{b,c}*/** ',
    'ls {/a,/b}/[x-z]? ',
    'ls -',
    'setAcl / world:any',
    '# a comment',
  ]) {
    assert.is(analyze(line).fault, undefined, line);
  }
});

test('the synopsis is that of the command at the cursor', () => {
  assert.match(analyze('get /a; create ').synopsis ?? '', /^create \[/);
  assert.match(analyze('get /a; create ', 3).synopsis ?? '', /^get \[/);
  assert.is(analyze('foo ').synopsis, undefined);
  assert.match(analyze('json ').synopsis ?? '', /^json get\|set \.\.\. {3}Read or change/);
  assert.match(analyze('json get /a').synopsis ?? '', /^json get path \[pointer\] {3}Print/);
});

test('an enormous line is not analyzed', () => {
  const { spans, fault } = analyze(`set /a ${'x'.repeat(30_000)}`);
  assert.is(spans.length, 1);
  assert.is(fault, undefined);
});

test.run();
