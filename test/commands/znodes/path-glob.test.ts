import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseLine } from '../../../src/commands/zksh/language/parse-line.js';
import { expandBraces, parsePathGlob } from '../../../src/commands/znodes/path-glob.js';

/** The word as in a line, and its pattern, or undefined for a plain path. */
function patternOf(word: string, cwd = '/') {
  const token = parseLine(`get ${word}`).statements[0]?.tokens[1];
  return token?.pattern === undefined ? undefined : parsePathGlob(token.pattern, cwd);
}

function textsOf(word: string, cwd?: string): readonly string[] | undefined {
  return patternOf(word, cwd)?.map(({ text }) => text);
}

/** Whether the last name of the pattern matches this one. */
function fits(word: string, name: string): boolean {
  return (patternOf(word) ?? []).some(({ names }) => {
    const last = names.at(-1);
    return last?.kind === 'match'
      ? last.fits.test(name)
      : last?.kind === 'name' && last.name === name;
  });
}

test('quotes and backslashes make a wildcard literal', () => {
  for (const word of [
    "'/a*'",
    '"/a?"',
    '/a\\*',
    "/a'*'b",
    '/a/b',
    '/a{b}',
    '/a[',
    '/a{b,c',
    '/[]',
  ]) {
    assert.is(patternOf(word), undefined, word);
  }
  for (const [word, name] of [
    ["/a'*'*", 'a*b'],
    ['/a\\*?', 'a*c'],
    ['/a"{"*', 'a{'],
    ["/['-'a]*", '-x'],
    ['/["]"a]*', ']x'],
    ["/[a'-'c]", '-'],
    ['/\\xc3\\xa9*', 'été'.slice(0, 1)],
  ] as const) {
    assert.ok(fits(word, name), `${word} ${name}`);
  }
  assert.not.ok(fits("/a'*'*", 'axb'));
  assert.not.ok(fits("/[a'-'c]", 'b'));
});

test('names match as in a shell', () => {
  for (const [word, name] of [
    ['/*', 'any'],
    ['/a**b', 'axxb'],
    ['/?', '漢'],
    ['/[!a-c]', 'd'],
    ['/[^a]', 'b'],
    ['/[]a]', ']'],
    ['/a.b*', 'a.bc'],
    ['/(x|y)*', '(x|y)z'],
  ] as const) {
    assert.ok(fits(word, name), `${word} ${name}`);
  }
  for (const [word, name] of [
    ['/a.b*', 'axbc'],
    ['/[!a-c]', 'b'],
    ['/?', 'ab'],
    ['/x?', 'x'],
  ] as const) {
    assert.not.ok(fits(word, name), `${word} ${name}`);
  }
});

test('braces expand to patterns, also nested, with slashes, and with whole paths', () => {
  assert.equal(textsOf('/a/{b,c/d}/e'), ['/a/b/e', '/a/c/d/e']);
  assert.equal(textsOf('{x,/y,z{1,2}}', '/cwd'), ['/cwd/x', '/y', '/cwd/z1', '/cwd/z2']);
  assert.equal(textsOf('/app{,-old}'), ['/app', '/app-old']);
  assert.equal(textsOf('{,b}', '/cwd'), ['/cwd/b']);
  assert.equal(textsOf("/{a,'b,c'}"), ['/a', '/b,c']);
  assert.equal(textsOf('/{a}{b,c}'), ['/{a}b', '/{a}c']);
  assert.equal(expandBraces('a{b,c'), ['a{b,c']);
});

test('relative patterns start at the working path, whose own name is literal', () => {
  assert.equal(textsOf('x*', '/od*d'), ['/od*d/x*']);
  const [pattern] = patternOf('x*', '/od*d') ?? [];
  assert.equal(pattern?.names[0], { kind: 'name', name: 'od*d' });
  assert.equal(textsOf('../*', '/a/b'), ['/a/*']);
});

test('** matches any depth only as a whole name', () => {
  const kinds = (word: string) => patternOf(word)?.[0]?.names.map(({ kind }) => kind);
  assert.equal(kinds('/a/**/b'), ['name', 'any-depth', 'name']);
  assert.equal(kinds('/a**'), ['match']);
});

test('invalid patterns are refused', () => {
  assert.throws(() => patternOf('/[z-a]'), /reversed range/);
  assert.ok(fits('/[z\\-a]', '-'));
  assert.throws(() => patternOf(`/${'{a,b}'.repeat(14)}`), /more than 10000/);
  for (const many of ['{', '{a,', '{,}']) {
    assert.throws(() => patternOf(`/${many.repeat(501)}`), /more than 500 braces/);
  }
  assert.is(patternOf(`/${'\\{'.repeat(501)}`), undefined);
});

test('a pattern of many stars matches in time linear in the name', () => {
  assert.not.ok(fits(`/${'*a'.repeat(30)}b`, 'a'.repeat(10_000)));
  assert.ok(fits(`/${'*a'.repeat(30)}`, 'a'.repeat(10_000)));
});

test.run();
