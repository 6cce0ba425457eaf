import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Member } from '../../../src/commands/ensemble/member.js';
import type { OpsResult } from '../../../src/commands/ensemble/verdict/result.js';
import { textWidth } from '../../../src/commands/terminal/text-width.js';
import { topBy } from '../../../src/commands/zkops/verbs/load.js';
import { loadInk } from '../../../src/shell/terminal/load-ink.js';
import { loadSums } from '../../../src/shell/top/load-rows.js';
import { sparkline } from '../../../src/shell/top/top-screen.js';
import {
  rowsOf,
  startState,
  step,
  type TopEffect,
  type TopState,
} from '../../../src/shell/top/top-state.js';
import { answering, captured, failing, verbNamed } from '../../commands/zkops/members-of.js';
import { resultOf } from '../../commands/zkops/results.js';
import { golden } from '../../fourlw/captured-view.js';
import { createElement, drawnRows } from '../../support/terminal/drawn.js';

const { TopTable } = await loadInk(() => import('../../../src/shell/top/top-table.js'));
const top = verbNamed('top');
const START = startState({ intervalMs: 3000, sort: undefined, filter: '' });
const SIZE = { columns: 80, rows: 24 };

function withRate(member: Member, requestsPerSecond: number, latencyMs = 1): Member {
  return {
    ...member,
    rates: { requestsPerSecond, writesPerSecond: 2, latencyMs, operationsPerSecond: {} },
  };
}

const look = (scale = 1): OpsResult =>
  resultOf(top, [
    withRate(captured(top, 'leader', 2181), 10 * scale),
    withRate(captured(top, 'f1', 2182), 300 * scale, 4),
    failing(top, 2183, 'refused'),
    withRate(captured(top, 'observer', 2184), 20 * scale),
  ]);

function stateAfter(...events: readonly (OpsResult | string)[]): TopState {
  return walk(events).state;
}

/** A string is a key, and a result is a poll. */
function walk(events: readonly (OpsResult | string)[]) {
  let state = START;
  const effects: TopEffect[] = [];
  for (const event of events) {
    const next = step(
      state,
      typeof event === 'string' ? { type: 'key', key: event } : { type: 'polled', result: event },
    );
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects };
}

const shown = (state: TopState, size = SIZE) =>
  drawnRows(createElement(TopTable, { state, size }), size.columns);
const ports = (state: TopState) => rowsOf(state).map(({ address }) => address.port);

test('the highest shown value sets the scale of bars', () => {
  assert.is(sparkline([0, 1, 2, 4, 8], 5), '▁▂▃▅█');
  assert.is(sparkline([100, 0, 4, 8], 3), '▁▅█');
  assert.is(sparkline([undefined, 0], 4), '   ▁');
  assert.is(sparkline([5], 0), '');
  assert.is(sparkline([], 3), '   ');
});

test('a screen of 80x24 has verdict, totals, one row per member, problems, and keys', () => {
  const rows = shown(stateAfter(look(), look(2)));
  assert.ok(rows.length <= 23);
  for (const row of rows) assert.ok(row.length <= 80, row);
  assert.match(rows[0] ?? '', /^zkops top {2}\d\d:\d\d:\d\d UTC {2}4 members {2}every 3 s$/);
  assert.is(
    rows[1],
    'WARNING: 10.0.0.1:2183: connection refused; 10.0.0.1:2181 leads, 2 of 3 voters …',
  );
  assert.match(rows[2] ?? '', /^requests\/s +660 +▅█ {2}worst ms +4 +██$/);
  assert.match(rows[4] ?? '', /^MEMBER +ROLE +LAG +REQ\/s +WRITE\/s +NOW ms/);
  assert.match(rows[5] ?? '', /^10\.0\.0\.1:2181 {2}leader +0 +20 +2 +1/);
  assert.match(rows[7] ?? '', /^10\.0\.0\.1:2183 {2}refused +- +-/);
  assert.ok(rows.some((row) => row.startsWith('10.0.0.1:2183: connection refused')));
  assert.match(rows.at(-1) ?? '', /^q quit/);
});

test('a wide terminal has the requests of every member as bars', () => {
  const rows = shown(stateAfter(look(), look(2)), { columns: 200, rows: 24 });
  assert.match(rows[4] ?? '', / REQUESTS$/);
  assert.match(rows[5] ?? '', / ▅█$/);
});

test('members that do not fit scroll, and no row is wider than the terminal', () => {
  const many = resultOf(
    top,
    Array.from({ length: 100 }, (_, at) => withRate(captured(top, 'f1', 3000 + at), at)),
  );
  const first = shown(stateAfter(many));
  assert.is(first.length, 23);
  assert.ok(first.some((row) => /^… \d+ more: up and down scroll$/.test(row)));
  const scrolled = shown(stateAfter(many, 'down', 'j', 'down', 'up'));
  assert.match(scrolled[5] ?? '', /^10\.0\.0\.1:3002 /);
  for (const columns of [20, 40, 60]) {
    for (const row of shown(stateAfter(many), { columns, rows: 10 }))
      assert.ok(row.length <= columns);
  }
});

test('rows can be sorted by a column, reversed, filtered, and restored to list order', () => {
  assert.equal(ports(stateAfter(look())), [2181, 2182, 2183, 2184]);
  const byRate: TopState = { ...stateAfter(look()), sort: 'requests_per_second' };
  assert.equal(ports(byRate), [2182, 2184, 2181, 2183]);
  assert.equal(ports({ ...byRate, isReversed: true }), [2183, 2181, 2184, 2182]);
  assert.is(stateAfter(look(), 's', 's').sort, 'lag_txns');
  assert.is(stateAfter(look(), 's', 'left').sort, undefined);
  assert.is(stateAfter(look(), 'left').sort, 'version');
  assert.equal(ports(stateAfter(look(), '/', '8', '2', 'enter')), [2182]);
  assert.equal(ports(stateAfter(look(), '/', 'r', 'e', 'f', 'x', 'backspace', 'enter')), [2183]);
  assert.equal(ports(stateAfter(look(), '/', '9', '9', 'escape')).length, 4);
});

test('keys exit, poll now, pause, and show help, and a reset needs a confirmation', () => {
  assert.equal(walk(['q']).effects, ['quit']);
  assert.equal(walk(['ctrl-c']).effects, ['quit']);
  assert.equal(walk([' ']).effects, ['poll']);
  const kinds = ['path', 'session', 'address', 'user', undefined];
  assert.equal(
    kinds.map((_, at) => walk(Array.from({ length: at + 1 }, () => 'b')).state.by),
    kinds,
  );
  assert.equal(walk(['b']).effects, ['poll']);
  assert.is(stateAfter('p').isPaused, true);
  assert.ok(shown(stateAfter(look(), 'h')).some((row) => row.startsWith('q         leaves')));
  assert.is(stateAfter(look(), 'h', 'q').isHelp, false);
  assert.equal(walk(['r']).effects, []);
  assert.match(shown(stateAfter(look(), 'r')).at(-1) ?? '', /members \(srst\)\? y or n$/);
  assert.equal(walk(['r', 'n']).effects, []);
  assert.equal(walk(['r', 'y']).effects, ['reset']);
  assert.equal(walk(['/', 'q', 'r', 'y']).effects, [], 'keys typed into a filter are text');
});

test('the help fits 80 columns, and a large terminal gets charts', () => {
  const state = stateAfter(look(), look(2), look(3));
  const help = shown({ ...state, isHelp: true }).join('\n');
  assert.match(help, /^s, right {2}next sort column; left: previous; escape: none$/m);
  assert.not.match(help, '…');
  const large = shown(state, { columns: 200, rows: 50 });
  assert.ok(large.length > 35 && large.length < 50, `${large.length} rows`);
  assert.ok(large.includes('worst ms') && large.some((row) => /█/.test(row.slice(150))));
  assert.not.ok(shown(state).includes('worst ms'));
});

test('the trend is as long as the widest terminal, and no longer', () => {
  const state = stateAfter(...Array.from({ length: 300 }, () => look()));
  assert.is(state.trends.get('10.0.0.1:2181')?.requests.length, 240);
});

test('by path, the rows are those of all members together', () => {
  const lines = (hot: number, port: number) =>
    `total\t${hot + 10}\t5000\t7\t40\npath\t${hot}\t4000\t7\t/hot\npath\t10\t900\t0\t/${port}\n`;
  const verb = topBy('path');
  const member = (port: number, hot: number) =>
    answering(verb, port, (word) =>
      word === 'load' ? lines(hot, port) : golden(port === 2181 ? 'leader' : 'f1', word),
    );
  const result = resultOf(verb, [
    member(2181, 300),
    member(2182, 80),
    failing(verb, 2183, 'refused'),
  ]);
  const state = { ...stateAfter(result), by: 'path' as const };
  const rows = shown(state, { columns: 80, rows: 24 });
  const at = rows.findIndex((row) => row.startsWith('PATH'));
  assert.equal(
    rows.slice(at, at + 4).map((row) => row.trimEnd()),
    [
      'PATH   REQ/s  SHARE  BYTES/s  WATCH  MOST AT',
      '/hot     380   95 %     7.8K     14  10.0.0.1:2181',
      '/2181     10    3 %     900B      0  10.0.0.1:2181',
      '/2182     10    3 %     900B      0  10.0.0.1:2182',
    ],
  );
  const [first] = loadSums({ ...state, sort: 'watch_count', isReversed: true });
  assert.is(first?.watches, 0);
  assert.equal(
    loadSums({ ...state, filter: '218' }).map(({ name }) => name),
    ['/2181', '/2182'],
  );
  for (let columns = 1; columns < 90; columns++) {
    for (const row of shown(state, { columns, rows: 24 }))
      assert.ok(textWidth(row) <= columns, row);
  }
});

test('no row is wider than the terminal, whatever it contains', () => {
  const wide = { ...captured(top, 'leader', 2181), server: '漢字ノード一' };
  const state = stateAfter(resultOf(top, [wide, failing(top, 2182, 'refused')]));
  const states = [START, state, { ...state, isHelp: true }];
  for (let columns = 1; columns < 90; columns++) {
    for (const each of states.flatMap((one) => [one, { ...one, notice: '漢字'.repeat(50) }])) {
      for (const row of shown(each, { columns, rows: 24 })) {
        assert.ok(textWidth(row) <= columns, `${columns}: ${row}`);
      }
    }
  }
  const rows = shown(state);
  const placeOf = (word: string) => {
    const row = rows.find((each) => each.includes(`  ${word} `)) ?? '';
    return textWidth(row.slice(0, row.indexOf(word)));
  };
  assert.is(placeOf('leader'), placeOf('refused'));
});

test.run();
