import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { actionOf, type KeyMode } from '../../../src/shell/line/keymap.js';
import type { Key } from '../../../src/shell/terminal/key-decoder.js';

const ROWS: readonly (readonly [mode: KeyMode, key: string, action: string | undefined])[] = [
  ['line', 'enter', 'enter'],
  ['line', 'alt-enter', 'newline'],
  ['line', 'tab', 'complete'],
  ['line', 'ctrl-c', 'interrupt'],
  ['line', 'ctrl-d', 'end-of-input'],
  ['line', 'ctrl-l', 'clear-screen'],
  ['line', 'ctrl-a', 'edit line-start'],
  ['line', 'home', 'edit line-start'],
  ['line', 'ctrl-e', 'edit line-end'],
  ['line', 'ctrl-k', 'edit kill-to-end'],
  ['line', 'ctrl-u', 'edit kill-to-start'],
  ['line', 'ctrl-w', 'edit kill-word-left'],
  ['line', 'ctrl-y', 'edit yank'],
  ['line', 'ctrl-t', 'edit transpose'],
  ['line', 'ctrl-r', 'edit search'],
  ['line', 'up', 'edit line-up'],
  ['line', 'ctrl-p', 'edit history-previous'],
  ['line', 'ctrl-g', undefined],
  ['line', 'page-up', 'scroll'],
  ['line', 'constructor', undefined],
  ['search', 'ctrl-g', 'edit search-cancel'],
  ['search', 'escape', 'edit search-accept'],
  ['search', 'ctrl-r', 'edit search'],
  ['search', 'enter', 'enter'],
  ['search', 'ctrl-c', 'interrupt'],
  ['question', 'enter', 'answer no'],
  ['question', 'escape', 'answer no'],
  ['question', 'ctrl-c', 'interrupt'],
  ['question', 'up', undefined],
];

test('the table gives the action of each key, in each mode', () => {
  for (const [mode, name, expected] of ROWS) {
    assert.is(describeKey({ type: 'key', name }, mode), expected, `${name} in ${mode}`);
  }
});

test('typing and pasting insert, but only y and n answer a question', () => {
  assert.is(describeKey({ type: 'text', text: 'ls' }, 'line'), 'edit insert');
  assert.is(describeKey({ type: 'paste', text: 'ls\nls' }, 'line'), 'edit insert');
  assert.is(describeKey({ type: 'text', text: 'x' }, 'search'), 'edit insert');
  assert.is(describeKey({ type: 'text', text: 'y' }, 'question'), 'answer yes');
  assert.is(describeKey({ type: 'text', text: 'N' }, 'question'), 'answer no');
  assert.is(describeKey({ type: 'text', text: 'x' }, 'question'), undefined);
  assert.is(describeKey({ type: 'paste', text: 'y' }, 'question'), undefined);
});

function describeKey(key: Key, mode: KeyMode): string | undefined {
  const action = actionOf(key, mode);
  if (action?.type === 'edit') return `edit ${action.action.type}`;
  if (action?.type === 'answer') return `answer ${action.isYes ? 'yes' : 'no'}`;
  return action?.type;
}

test.run();
