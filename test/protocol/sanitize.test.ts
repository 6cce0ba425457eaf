import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resultToText } from '../../src/commands/results/kinds.js';
import { errorToText, loadRenderer } from '../../src/commands/results/render.js';
import type { Result } from '../../src/commands/results/result.js';
import { csvLine, plainLine as plainRow } from '../../src/commands/results/rows.js';
import { drawable } from '../../src/commands/terminal/text-width.js';
import { plainLine, safeJson, safeLine, safeText } from '../../src/protocol/sanitize.js';

// A name from a hostile server, with one character of each kind that a terminal obeys or hides.

/** One code point and more of each category that must not reach a terminal as it is. */
const HOSTILE: Readonly<Record<string, readonly number[]>> = {
  'C0 controls': [0x00, 0x07, 0x08, 0x09, 0x0a, 0x0d, 0x1b],
  'C1 controls and DEL': [0x7f, 0x80, 0x85, 0x9b, 0x9f],
  'bidi controls': [0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069],
  'zero width': [0x200b, 0x200c, 0x200d, 0x2060, 0xfeff],
  'format characters': [0xad, 0x600, 0x6dd, 0x70f, 0x180e, 0xfff9, 0xfffb, 0x1d173],
  'variation selectors': [0xfe00, 0xfe0f, 0xe0100, 0xe01ef],
  'tag characters': [0xe0001, 0xe0020, 0xe007f],
  'lone surrogates': [0xd800, 0xdbff, 0xdc00, 0xdfff],
  'separators of lines': [0x2028, 0x2029],
  'letters that show nothing': [0x34f, 0x115f, 0x3164, 0xffa0],
};
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const onTerminal = { isTerminal: true } as const;
const ndjson = await loadRenderer('ndjson', onTerminal);
const table = await loadRenderer('table', onTerminal);

/** Every output that draws a name on a terminal, without the line ends of its own. */
const OUTPUTS: Readonly<Record<string, (name: string) => string>> = {
  children: (name) => line({ kind: 'children', path: '/', children: [name] }),
  path: (name) => line({ kind: 'path', path: name }),
  paths: (name) => line({ kind: 'paths', paths: [name] }),
  rows: (name) =>
    line({ kind: 'rows', columns: [{ key: 'a' }], rows: [[name]] }).replace('\n', ' '),
  heading: (name) =>
    line({
      kind: 'of-path',
      path: name,
      isFirst: true,
      result: { kind: 'count', count: 1 },
    } as Result).replace('\n', ' '),
  error: (name) => errorToText({ sentence: `no ${name}`, code: 'X' } as never).trimEnd(),
  json: (name) => ndjson.result({ kind: 'path', path: name }).toString().trimEnd(),
  table: (name) =>
    table
      .result({ kind: 'paths', paths: [name] })
      .toString()
      .replaceAll('\n', ' '),
  'csv of zkops': (name) => csvLine([name]).trimEnd(),
  'plain of zkops': (name) => plainRow([name]).trimEnd(),
  'a pane of the shell': (name) => drawable(name),
};

function line(result: Result): string {
  return String(resultToText(result, onTerminal as never)).trimEnd();
}

for (const [category, codes] of Object.entries(HOSTILE)) {
  for (const [output, draw] of Object.entries(OUTPUTS)) {
    test(`${category} are shown as escapes: ${output}`, () => {
      for (const code of codes) {
        const drawn = draw(`a${String.fromCodePoint(code)}b`);
        assert.not.match(drawn, HARMFUL, code.toString(16));
        assert.is.not(drawn, draw('ab'), code.toString(16));
      }
    });
  }
}

test('every code point is harmless once it is escaped', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const char = String.fromCodePoint(code);
    if (HARMFUL.test(safeLine(char))) assert.unreachable(code.toString(16));
  }
});

test('an escape cannot be forged by one that is spelled out', () => {
  assert.is.not(safeLine('a\u202e'), safeLine('a\\u{202e}'));
  assert.is(safeLine('C:\\a'), 'C:\\a');
});

test('text of several lines keeps them, and its tabs', () => {
  assert.is(safeText('a\n\tb\u001b[1m'), 'a\n\tb\\u{1b}[1m');
  assert.is(safeText('\u202e'), '\\u{202e}');
});

test('a program gets names exactly, on one line', () => {
  assert.is(plainLine('a\u200bb'), 'a\u200bb');
  const result: Result = { kind: 'path', path: 'a\nb' };
  assert.is(resultToText(result, { isTerminal: false } as never), 'a\\u{a}b\n');
});

test('JSON that was made safe says the same', () => {
  const value = { a: '\u202e\u007f\u{e0001}\n' };
  const json = safeJson(JSON.stringify(value, null, 2));
  assert.equal(JSON.parse(json), value);
  assert.not.match(json.replaceAll('\n', ''), HARMFUL);
});

for (const [value, field] of [
  ['=1+1', "'=1+1"],
  ['@SUM(1)', "'@SUM(1)"],
  ['+cmd|x', "'+cmd|x"],
  ['-2+3', "'-2+3"],
  ['\t=1', "'\\u{9}=1"],
  ['\r=1', "'\\u{d}=1"],
  ['=a,b', `"'=a,b"`],
  [-5, '-5'],
  ['-5', '-5'],
  ['+1.5', '+1.5'],
  ['-', '-'],
] as const) {
  test(`the CSV of ${JSON.stringify(value)} is ${field}: no formula, and numbers stay numbers`, () => {
    assert.is(csvLine([value]), `${field}\n`);
  });
}

test.run();
