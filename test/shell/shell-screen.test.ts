import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { textWidth } from '../../src/commands/terminal/text-width.js';
import { makeVocabulary } from '../../src/commands/zksh/completing/vocabulary.js';
import { allCommands } from '../../src/commands/zksh/running/registry.js';
import { resolvePath } from '../../src/commands/znodes/resolve-path.js';
import { EMPTY_LINE } from '../../src/shell/line/line-editor.js';
import { initialState, type ShellState } from '../../src/shell/shell-state.js';
import { loadInk } from '../../src/shell/terminal/load-ink.js';
import {
  addWatchRows,
  beginWatch,
  NO_PANE,
  rowsOf as paneRowsOf,
} from '../../src/shell/watch-pane.js';
import { createElement, drawnRows } from '../support/terminal/drawn.js';

const { ShellScreen, StatusBar, frameOf } = await loadInk(
  () => import('../../src/shell/shell-screen.js'),
);

const resolver = { resolve: (text: string) => resolvePath(text, '/') };
const BASE = initialState(makeVocabulary(await allCommands()), {
  server: 'zk1:2181',
  state: 'connected',
  chroot: '',
  cwd: '/',
});

function typed(text: string, more: Partial<ShellState> = {}): ShellState {
  return { ...BASE, line: { ...EMPTY_LINE, text, cursor: text.length }, ...more };
}

function rowsOf(state: ShellState, columns = 80, rows = 24): readonly string[] {
  const size = { columns, rows };
  const shown = drawnRows(createElement(ShellScreen, { state, resolver, size }), columns);
  const frame = frameOf({ state, resolver, size }).rows.map((row) => row.map(({ text }) => text));
  assert.equal(
    frame.map((texts) => texts.join('').trimEnd()),
    shown,
    'a repair knows the rows on the screen',
  );
  return shown;
}

test('the line is above its messages', () => {
  const [line, status] = rowsOf(typed('stat /a'));
  assert.is(line, 'zk1:2181(connected) /> stat /a');
  assert.match(status ?? '', /^stat \[/);
  assert.match(rowsOf(typed('foo '))[1] ?? '', /^unknown command: "foo"/);
  assert.match(rowsOf(typed(''))[1] ?? '', /Ctrl-D exits/);
});

test('a search, a question, and a slow command show themselves', () => {
  const search = { query: 'ls', index: 0, hasFailed: false, before: { text: '', cursor: 0 } };
  const searching = { ...BASE, line: { ...EMPTY_LINE, text: 'ls /', search } };
  assert.is(rowsOf(searching)[0], "(search 'ls') ls /");
  assert.is(rowsOf(typed('typed on', { question: 'Sure?' }))[0], 'Sure? [y/N]');
  const long = `Delete 9 znodes: ${'/many/of/them, '.repeat(20)}?`;
  const [asked = '', below] = rowsOf(typed('typed on', { question: long }));
  assert.match(asked, /^Delete 9 znodes: \/many.*… \[y\/N\]$/);
  assert.is(below, rowsOf(typed('typed on', { question: 'Sure?' }))[1], 'one row');
  const running = { line: 'deleteall /a', isSlow: true };
  const slow = rowsOf(typed('typed on', { running, queue: ['ls /'] }));
  assert.equal(slow, ['typed on', 'running deleteall /a, 1 more in the queue; Ctrl-C interrupts']);
});

test('it is lower and narrower than every terminal', () => {
  const menu = Array.from({ length: 500 }, (_, index) => `name-${index}`);
  const watched = paneRowsOf('NodeCreated /漢字\n'.repeat(30));
  const text = `create /a '${'漢字 and more\n'.repeat(40)}`;
  for (const [columns, rows] of [
    [80, 24],
    [200, 60],
    [20, 5],
    [10, 4],
  ] as const) {
    const pane = addWatchRows(beginWatch(NO_PANE, '/a'), watched, 30);
    const shown = rowsOf(typed(text, { menu, pane }), columns, rows);
    assert.ok(shown.length < rows, `${shown.length} rows of ${rows}`);
    assert.ok(shown.every((row) => textWidth(row) < columns, `${columns} columns`));
  }
});

test('the status is one row, whatever it contains', () => {
  const status = { text: 'a\nb\x1b[2J漢字', tone: 'bad' } as const;
  const shown = (columns: number) => drawnRows(createElement(StatusBar, { status, columns }));
  assert.equal(shown(80), ['a b\\u{1b}[2J漢字']);
  assert.equal(shown(14), ['a b\\u{1b}[2J…']);
});

test('no row remains when the shell exits', () => {
  assert.equal(rowsOf({ ...BASE, isLeaving: true }), []);
});

test.run();
