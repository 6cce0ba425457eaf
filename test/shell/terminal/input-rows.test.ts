import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Input, layOutInput } from '../../../src/shell/terminal/input-rows.js';

interface Case {
  readonly what: string;
  readonly text: string;
  /** Default: the end. */
  readonly cursor?: number;
  readonly ghost?: string;
  readonly columns?: number;
  readonly rows: readonly string[];
  readonly at: readonly [x: number, y: number];
}

const CASES: readonly Case[] = [
  { what: 'a short line', text: 'ls /', rows: ['> ls /'], at: [6, 0] },
  { what: 'the cursor inside', text: 'ls /', cursor: 1, rows: ['> ls /'], at: [3, 0] },
  { what: 'an empty line', text: '', rows: ['> '], at: [2, 0] },
  { what: 'a fold', text: 'abcdefghij', rows: ['> abcdefgh', 'ij'], at: [2, 1] },
  { what: 'an end at the edge', text: 'abcdefgh', rows: ['> abcdefgh', ''], at: [0, 1] },
  { what: 'wide characters', text: '漢字', rows: ['> 漢字'], at: [6, 0] },
  { what: 'a wide one at the edge', text: 'abcdefg漢', rows: ['> abcdefg', '漢'], at: [2, 1] },
  {
    what: 'the cursor on a wide one that is folded',
    text: 'abcdefg漢',
    cursor: 7,
    rows: ['> abcdefg', '漢'],
    at: [0, 1],
  },
  { what: 'two rows', text: 'one\ntwo', rows: ['> one', '> two'], at: [5, 1] },
  {
    what: 'the cursor before a line break',
    text: 'one\ntwo',
    cursor: 3,
    rows: ['> one', '> two'],
    at: [5, 0],
  },
  {
    what: 'a control character',
    text: 'a\x1bb',
    cursor: 2,
    rows: ['> a\\u{1b}b'],
    columns: 20,
    at: [9, 0],
  },
  { what: 'a suggestion', text: 'ls', ghost: ' /app', rows: ['> ls /app'], at: [4, 0] },
];

test('the input folds at the width, with the cursor in place', () => {
  for (const { what, text, cursor, ghost = '', columns = 10, rows, at } of CASES) {
    const laid = layOutInput(inputOf(text, cursor ?? text.length, ghost), columns, 10);
    assert.equal(plain(laid.rows), rows, what);
    assert.equal([laid.cursor.x, laid.cursor.y], at, what);
  }
});

test('of more rows than fit, those around the cursor are shown', () => {
  const text = Array.from({ length: 20 }, (_, index) => `row ${index}`).join('\n');
  const top = layOutInput(inputOf(text, 0), 20, 4);
  assert.equal(plain(top.rows), ['> row 0', '> row 1', '> row 2', '> row 3']);
  assert.equal(top.cursor, { x: 2, y: 0 });
  const end = layOutInput(inputOf(text, text.length), 20, 4);
  assert.equal(plain(end.rows), ['> row 16', '> row 17', '> row 18', '> row 19']);
  assert.equal(end.cursor, { x: 8, y: 3 });
  const middle = layOutInput(inputOf(text, text.indexOf('row 9')), 20, 4);
  assert.equal(plain(middle.rows)[middle.cursor.y], '> row 9');
});

test('of a pasted megabyte, only the part near the cursor is laid out', () => {
  const laid = layOutInput(inputOf(`${'x'.repeat(1_000_000)}end`, 1_000_003), 40, 5);
  assert.is(laid.rows.length, 5);
  assert.match(plain(laid.rows).join(''), /^x+end$/);
});

function inputOf(text: string, cursor: number, ghost = ''): Input {
  return {
    prompt: [{ text: '> ', tone: 'plain' }],
    text: [{ text, tone: 'plain' }],
    cursor,
    ghost,
  };
}

function plain(rows: readonly (readonly { readonly text: string }[])[]): readonly string[] {
  return rows.map((row) => row.map((span) => span.text).join(''));
}

test.run();
