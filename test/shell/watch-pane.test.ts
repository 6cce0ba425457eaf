import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadInk } from '../../src/shell/terminal/load-ink.js';
import {
  addWatchRows,
  beginWatch,
  endWatch,
  leftovers,
  NO_PANE,
  type WatchPane as Pane,
  paneHeight,
  rowsOf,
  scrollPane,
} from '../../src/shell/watch-pane.js';
import { createElement, drawnRows } from '../support/terminal/drawn.js';

const { WatchPane } = await loadInk(() => import('../../src/shell/shell-screen.js'));

function withRows(count: number): Pane {
  const rows = Array.from({ length: count }, (_, i) => ({
    text: `row ${i}`,
    tone: 'event' as const,
  }));
  return addWatchRows(beginWatch(NO_PANE, '/app -R'), rows, count);
}

function texts(pane: Pane, columns = 40, maxRows = 4): readonly string[] {
  const height = paneHeight(pane, maxRows);
  const rows = drawnRows(createElement(WatchPane, { pane, columns, height }), columns);
  assert.is(rows.length, height);
  return rows;
}

test('each event has its time, its details have none', () => {
  const rows = rowsOf('NodeDataChanged /a\n  - x\n  + y\n', '12:34:56');
  assert.equal(
    rows.map(({ text }) => text),
    ['12:34:56 NodeDataChanged /a', '  - x', '  + y'],
  );
});

test('without a watch, no pane is shown', () => {
  assert.equal(texts(NO_PANE), []);
  assert.equal(texts(endWatch(withRows(3), '/app -R')), []);
});

test('the newest rows are below a title as wide as the terminal', () => {
  const [title, ...rows] = texts(withRows(9), 60);
  assert.match(title ?? '', /^── watching \/app -R · 9 changes · PageUp scrolls up ─+$/);
  assert.is(title?.length, 60);
  assert.equal(rows, ['row 6', 'row 7', 'row 8']);
});

test('a pane that is scrolled back stays in place when more rows arrive', () => {
  const back = scrollPane(withRows(20), 1);
  assert.equal(texts(back).slice(1), ['row 12', 'row 13', 'row 14']);
  const updated = addWatchRows(back, rowsOf('NodeCreated /app/x\n  + new'), 1);
  assert.equal(texts(updated).slice(1), ['row 12', 'row 13', 'row 14']);
  assert.match(texts(updated, 60)[0] ?? '', /PageDown scrolls down/);
  assert.equal(texts(scrollPane(scrollPane(updated, -1), -1)).slice(1), [
    'row 19',
    'NodeCreated /app/x',
    '  + new',
  ]);
});

test('scrolling stops at the first row', () => {
  let pane = withRows(6);
  for (let i = 0; i < 9; i++) pane = scrollPane(pane, 1);
  assert.equal(texts(pane).slice(1), ['row 0', 'row 1', 'row 2']);
});

test('old rows are dropped, and the last row counts them', () => {
  const pane = withRows(2500);
  assert.is(pane.rows.length, 2000);
  assert.is(leftovers(pane)[0]?.text, '… 500 earlier rows dropped');
  assert.is(leftovers(withRows(3)).length, 3);
});

test('rows are cut to the width, and never move the cursor', () => {
  const pane = addWatchRows(
    beginWatch(NO_PANE, '/a'),
    rowsOf('NodeCreated /\x1b[2J\x07漢字漢字漢字'),
    1,
  );
  assert.equal(texts(pane, 20).slice(1), ['NodeCreated /\\u{1b}…']);
  assert.is(texts(pane, 8)[0], '── watc…');
});

test('old and new values have their colors', () => {
  assert.equal(
    rowsOf('NodeDataChanged /a\n  - x\n  + y\n    z\n  …\n').map(({ tone }) => tone),
    ['event', 'bad', 'good', 'dim', 'dim'],
  );
});

test.run();
