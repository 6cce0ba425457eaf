// A bar marks the cursor in a line.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  EMPTY_LINE,
  editLine,
  type LineAction,
  type LineState,
} from '../../../src/shell/line/line-editor.js';

type Simple = Exclude<LineAction['type'], 'insert' | 'replace' | 'set-text'>;

function line(text: string): LineState {
  const cursor = text.indexOf('|');
  return { ...EMPTY_LINE, text: text.replace('|', ''), cursor };
}

function drawn({ text, cursor }: LineState): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

function play(
  start: string,
  actions: readonly (Simple | LineAction)[],
  history: readonly string[] = [],
): LineState {
  let state = line(start);
  for (const action of actions) {
    const whole = typeof action === 'string' ? ({ type: action } as LineAction) : action;
    state = editLine(state, whole, history);
  }
  return state;
}

const insert = (text: string): LineAction => ({ type: 'insert', text });

const EDITS: readonly (readonly [start: string, action: Simple, end: string])[] = [
  ['ab|c', 'left', 'a|bc'],
  ['|abc', 'left', '|abc'],
  ['abc|', 'right', 'abc|'],
  ['a👩‍👩‍👧|b', 'left', 'a|👩‍👩‍👧b'],
  ['a|e\u0301b', 'right', 'ae\u0301|b'],
  ['get /app/node|', 'word-left', 'get /app/|node'],
  ['get /app/|node', 'word-left', 'get /|app/node'],
  ['get| /app/node', 'word-right', 'get /app|/node'],
  ['é漢字 x|', 'word-left', 'é漢字 |x'],
  ['abc|', 'line-start', '|abc'],
  ['|abc', 'line-end', 'abc|'],
  ['ab\ncd|\nef', 'line-start', 'ab\n|cd\nef'],
  ['ab\n|cd\nef', 'line-end', 'ab\ncd|\nef'],
  ['ab|c', 'delete-left', 'a|c'],
  ['|abc', 'delete-left', '|abc'],
  ['a🇩🇪|b', 'delete-left', 'a|b'],
  ['a|🇩🇪b', 'delete-right', 'a|b'],
  ['abc|', 'delete-right', 'abc|'],
  ['get /app/node|', 'kill-word-left', 'get |'],
  ['get /app  |', 'kill-word-left', 'get |'],
  ['get /app/node|', 'kill-name-left', 'get /app/|'],
  ['get |/app/node', 'kill-word-right', 'get |/node'],
  ['get |/app', 'kill-to-end', 'get |'],
  ['get |/app', 'kill-to-start', '|/app'],
  ['ab|\ncd', 'kill-to-end', 'ab|cd'],
  ['ab|cd', 'transpose', 'acb|d'],
  ['abc|', 'transpose', 'acb|'],
  ['|abc', 'transpose', '|abc'],
  ['a|', 'transpose', 'a|'],
  ['abc\nd|e', 'line-up', 'a|bc\nde'],
  ['a\nlonger|', 'line-up', 'a|\nlonger'],
  ['longer|\na', 'line-down', 'longer\na|'],
];

test('each edit changes the line as its name says', () => {
  for (const [start, action, end] of EDITS) {
    assert.is(drawn(play(start, [action])), end, `${action} on ${start}`);
  }
});

test('typing inserts at the cursor', () => {
  assert.is(drawn(play('a|d', [insert('bc')])), 'abc|d');
  assert.is(drawn(play('|', [insert('one\ntwo')])), 'one\ntwo|');
  assert.is(
    drawn(play('get /a|', [{ type: 'replace', from: 4, to: 6, text: '/app ' }])),
    'get /app |',
  );
});

test('consecutive kills are yanked together, in order', () => {
  assert.is(play('a b c|', ['kill-word-left', 'kill-word-left']).killed, 'b c');
  assert.is(drawn(play('a b c|', ['kill-word-left', 'kill-word-left', 'yank'])), 'a b c|');
  assert.is(play('|a b', ['kill-word-right', 'kill-to-end']).killed, 'a b');
  // Another key between them starts a new kill.
  assert.is(play('a b c|', ['kill-word-left', 'left', 'kill-to-start']).killed, 'a b');
});

test('history moves from the current line and back to it', () => {
  const history = ['first', 'second'];
  const back = 'history-previous';
  assert.is(drawn(play('dra|ft', [back], history)), 'second|');
  assert.is(drawn(play('dra|ft', [back, back], history)), 'first|');
  assert.is(drawn(play('dra|ft', [back, back, back], history)), 'first|');
  assert.is(drawn(play('dra|ft', [back, 'history-next'], history)), 'draft|');
  assert.is(drawn(play('|', ['line-up', 'line-up', 'line-down'], history)), 'second|');
  assert.is(drawn(play('dra|ft', ['line-down'], history)), 'dra|ft');
  // In the middle of several rows, only Ctrl-P leaves them.
  assert.is(drawn(play('a\nb|', ['history-previous'], history)), 'second|');
});

test('Up and Down find entries with the prefix of the current line', () => {
  const history = ['get /a', 'ls /', 'get /b', 'ls /b'];
  assert.is(drawn(play('get|', ['line-up'], history)), 'get /b|');
  assert.is(drawn(play('get|', ['line-up', 'line-up'], history)), 'get /a|');
  assert.is(drawn(play('get|', ['line-up', 'line-up', 'line-up'], history)), 'get /a|');
  assert.is(drawn(play('get|', ['line-up', 'line-up', 'line-down'], history)), 'get /b|');
  assert.is(drawn(play('get|', ['line-up', 'line-down'], history)), 'get|');
  assert.is(drawn(play('set|', ['line-up'], history)), 'set|', 'no entry has that prefix');
  assert.is(drawn(play('get|', ['line-up', 'history-previous'], history)), 'ls /|');
});

test('a search finds the latest entry, continues to earlier ones, and can be canceled', () => {
  const history = ['create /a', 'ls /', 'create /b', 'create /b', 'get /a'];
  const search = (...more: (Simple | LineAction)[]) =>
    play('dra|ft', ['search', insert('cre'), ...more], history);
  assert.is(drawn(search()), '|create /b');
  assert.is(drawn(search('search')), '|create /a', 'equal entries are one');
  assert.is(search('search', 'search').search?.hasFailed, true);
  assert.is(drawn(search('search', 'search')), '|create /a', 'the last match stays');
  assert.is(drawn(search('search-cancel')), 'dra|ft');
  assert.is(drawn(search('search-accept')), '|create /b');
  assert.is(search('search-accept').search, undefined);
  assert.is(drawn(search('line-end')), 'create /b|', 'a move accepts the match');
  assert.is(drawn(search(insert('x'))), '|create /b');
  assert.is(search(insert('x')).search?.hasFailed, true);
  assert.is(search(insert('x'), 'delete-left').search?.hasFailed, false);
  assert.is(drawn(search('delete-left', 'delete-left', 'delete-left')), 'dra|ft');
});

test.run();
