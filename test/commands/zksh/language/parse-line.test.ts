import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseLine } from '../../../../src/commands/zksh/language/parse-line.js';
import { quoteWord } from '../../../../src/commands/zksh/language/quote-word.js';
import { safeText } from '../../../../src/protocol/sanitize.js';

/** The words of each statement of a valid text. */
function words(text: string): string[][] {
  const { statements, fault, consumed } = parseLine(text);
  assert.is(fault, undefined, `${text}: ${fault?.message}`);
  assert.is(consumed, text.length);
  return statements.map(({ tokens }) => tokens.map((token) => token.text));
}

const WORDS: readonly (readonly [text: string, ...statements: string[][]])[] = [
  [''],
  ['   '],
  [';;; \n ;'],
  ['ls /', ['ls', '/']],
  ['  ls   /a\t/b  ', ['ls', '/a', '/b']],
  ['ls /\r\nget /a\r\n', ['ls', '/'], ['get', '/a']],
  ['ls /;get /a', ['ls', '/'], ['get', '/a']],
  ['# only a comment', ...[]],
  ['ls / # rest ; of line\nget /a', ['ls', '/'], ['get', '/a']],
  ['ls /a#b', ['ls', '/a#b']],
  ["set /a 'two words'", ['set', '/a', 'two words']],
  ['set /a "two words"', ['set', '/a', 'two words']],
  ["set /a ''", ['set', '/a', '']],
  ['set /a ""', ['set', '/a', '']],
  ["set /a 'a;b#c\nd'", ['set', '/a', 'a;b#c\nd']],
  ["set /a 'C:\\temp\\x'", ['set', '/a', 'C:\\temp\\x']],
  ['set /a C:\\\\temp', ['set', '/a', 'C:\\temp']],
  ['set /a "say \\"hi\\""', ['set', '/a', 'say "hi"']],
  ["set /a it\\'s", ['set', '/a', "it's"]],
  ["set /a '\"'", ['set', '/a', '"']],
  ['ls /a\\ b', ['ls', '/a b']],
  ['ls /a\\;b', ['ls', '/a;b']],
  ['ls \\#a', ['ls', '#a']],
  ['ls /\'a b\'"c d"e', ['ls', '/a bc de']],
  ['set /a \\n\\t\\r\\0', ['set', '/a', '\n\t\r\0']],
  ['set /a "\\x41\\u00e9\\u{1F600}\\uD83D\\uDE00"', ['set', '/a', 'Aé😀😀']],
  ['set /a "\\xc3\\xa9"', ['set', '/a', 'é']],
  ['set /a \\😀', ['set', '/a', '😀']],
  ['ls \\\n/a', ['ls', '/a']],
  ['set /a "one \\\ntwo"', ['set', '/a', 'one two']],
  ['set /a ab\\\r\ncd', ['set', '/a', 'abcd']],
  ['set /a {}', ['set', '/a', '{}']],
  ['set /a \'{"a": 1}\'', ['set', '/a', '{"a": 1}']],
  ['set /a -- -5', ['set', '/a', '--', '-5']],
  ['set /größe 値', ['set', '/größe', '値']],
];

for (const [text, ...statements] of WORDS) {
  test(`splits ${JSON.stringify(text)}`, () => assert.equal(words(text), statements));
}

const FAULTS: readonly (readonly [
  text: string,
  message: RegExp,
  place: readonly [number, number],
  isIncomplete: boolean,
])[] = [
  ["set /a 'open", /unclosed quote: '/, [7, 8], true],
  ['set /a "open\nmore', /unclosed quote: "/, [7, 8], true],
  ['ls /; set /a "x', /unclosed quote/, [13, 14], true],
  ['ls \\', /backslash at the end/, [3, 4], true],
  ['ls \\\n', /backslash at the end/, [3, 4], true],
  ['ls / \\\r\n', /backslash at the end/, [5, 6], true],
  ['set /a C:\\docs', /invalid escape: \\d/, [9, 11], false],
  ['set /a "\\q"', /invalid escape: \\q/, [8, 10], false],
  ['set /a "\\ "', /invalid escape/, [8, 10], false],
  ['set /a \\x4', /\\x expects two hex digits/, [7, 9], false],
  ['set /a \\u12', /\\u expects four hex digits/, [7, 9], false],
  ['set /a \\ud800', /incomplete surrogate pair/, [7, 13], false],
  ['set /a \\udc00x', /invalid character code/, [7, 13], false],
  ['set /a \\u{110000}', /invalid character code/, [7, 17], false],
  ['set /a {"a": 1}', /would lose its inner quotes/, [8, 9], false],
  ["set /a ['x']", /would lose its inner quotes/, [8, 9], false],
];

for (const [text, message, [start, end], isIncomplete] of FAULTS) {
  test(`refuses ${JSON.stringify(text)}`, () => {
    const { fault } = parseLine(text);
    assert.match(fault?.message ?? '', message);
    assert.equal([fault?.start, fault?.end, fault?.isIncomplete], [start, end, isIncomplete]);
  });
}

test('an error keeps the statements before it and has its own position', () => {
  const { statements, consumed } = parseLine("ls /; get '/a");
  assert.equal(
    statements.map(({ tokens }) => tokens.map(({ text }) => text)),
    [
      ['ls', '/'],
      ['get', '/a'],
    ],
  );
  assert.is(consumed, 5);
  assert.is(statements[1]?.tokens[1]?.openQuote, "'");
});

test('tokens have their position and whether they were quoted', () => {
  const text = `set "/a b" -x '-x' \\-x x'y'`;
  const tokens = parseLine(text).statements[0]?.tokens ?? [];
  assert.equal(
    tokens.map(({ start, end }) => text.slice(start, end)),
    ['set', '"/a b"', '-x', "'-x'", '\\-x', "x'y'"],
  );
  assert.equal(
    tokens.map(({ isQuoted }) => isQuoted),
    [false, true, false, true, true, false],
  );
});

test('every byte can be written, and bytes that are not text are marked', () => {
  const all = Array.from({ length: 256 }, (_, byte) => byte);
  const hex = all.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  for (const line of [`set /a "${hex}"`, `set /a ${hex}`]) {
    const token = parseLine(line).statements[0]?.tokens[2];
    assert.equal(token?.bytes, Buffer.from(all));
    assert.is(token?.isText, false);
  }
});

test('quoteWord gives a word that parses back, without quotes if possible', () => {
  const names = [
    '',
    'plain',
    '/a/b',
    '/a*b/{c,d}[e]?',
    'a b',
    "it's",
    '"',
    '\\',
    'a;b',
    '#a',
    'a#b',
    '-x',
    '@file',
    '{"a": 1}',
    '[1]',
    'line\nbreak',
    'tab\there',
    '\0\x01\x7f\x85',
    `all ' of " it \\ at\nonce`,
    'größe 値 😀',
    ' ',
    '$x `y` (z) *',
    '/a\u202eb\u200b',
    "it's \u{e0041}",
    '/a\\u{202e}b',
    '/a \\\\u{5c}u{202e}',
    '\\\u2028"',
  ];
  for (const name of names) {
    const quoted = quoteWord(name);
    // A terminal shows it as it is, so it can be pasted.
    assert.is(safeText(quoted), quoted);
    const { statements, fault } = parseLine(`get ${quoted}`);
    assert.is(fault, undefined, name);
    assert.equal(
      statements[0]?.tokens.map(({ text }) => text),
      ['get', name],
    );
  }
  assert.is(quoteWord('/a/b#c'), '/a/b#c');
  assert.is(quoteWord('/a\x1b'), '"/a\\u001b"');
  assert.is(quoteWord('a b'), "'a b'");
  assert.is(quoteWord("it's"), '"it\'s"');
});

test('never throws, for any text', () => {
  const signs = [
    ' ',
    "'",
    '"',
    '\\',
    ';',
    '\n',
    '#',
    '|',
    'x',
    'u',
    '{',
    '}',
    '0',
    'a',
    '\r',
    'é',
    '😀',
  ];
  let state = 12345;
  for (let round = 0; round < 5000; round++) {
    let text = '';
    for (let length = 0; length < 12; length++) {
      state = (state * 1103515245 + 12345) & 0x7fffffff;
      text += signs[(state >> 16) % signs.length];
    }
    const { statements, fault, consumed } = parseLine(text);
    for (const { tokens, start, end } of statements) {
      assert.ok(tokens.length > 0 && start < end && end <= text.length, text);
    }
    assert.ok(consumed <= text.length);
    if (fault !== undefined) assert.ok(fault.start < fault.end && fault.end <= text.length, text);
  }
});

test('the text after a | is the line of another shell, to its end', () => {
  const line = "get /a | jq '.x; .y' # c\nls /|x; ls '|' |wc";
  const { statements, fault } = parseLine(line);
  assert.is(fault, undefined);
  assert.equal(
    statements.map(({ tokens, pipe }) => [...tokens.map(({ text }) => text), pipe?.text]),
    [
      ['get', '/a', "jq '.x; .y' # c"],
      ['ls', '/|x', undefined],
      ['ls', '|', 'wc'],
    ],
  );
  const [first] = statements;
  assert.is(line.slice(first?.pipe?.start, first?.pipe?.end), "| jq '.x; .y' # c");
  assert.is(quoteWord('|x'), "'|x'");
});

test('a | needs text on both sides', () => {
  for (const [line, message] of [
    ['get /a |', 'missing program after |'],
    ['get /a | \nls /', 'missing program after |'],
    ['| cat', 'missing command before |'],
  ] as const) {
    assert.is(parseLine(line).fault?.message, message);
  }
});

test.run();
