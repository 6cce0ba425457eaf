// The output of the shell's components on a terminal, drawn by Ink and parsed from its escapes.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadRenderer } from '../../src/commands/results/render.js';
import { makeVocabulary } from '../../src/commands/zksh/completing/vocabulary.js';
import { allCommands } from '../../src/commands/zksh/running/registry.js';
import { NO_STAT, Stat } from '../../src/protocol/data.js';
import { BrowserDriver } from '../../src/shell/browser/browser-driver.js';
import { viewOf } from '../../src/shell/browser/value-view.js';
import { ShellDriver } from '../../src/shell/shell-driver.js';
import { KeyDecoder } from '../../src/shell/terminal/key-decoder.js';
import { loadInk } from '../../src/shell/terminal/load-ink.js';
import type { MountOptions, ViewProps } from '../../src/shell/terminal/mount-ink.js';
import { TopDriver } from '../../src/shell/top/top-driver.js';
import { captured, failing, verbNamed } from '../commands/zkops/members-of.js';
import { resultOf } from '../commands/zkops/results.js';
import { createElement, drawnRows } from '../support/terminal/drawn.js';
import { makeShellWorld } from '../support/terminal/shell-world.js';
import { XtermScreen } from '../support/terminal/xterm-screen.js';
import { waitFor } from '../support/wait-for.js';

const { mountInk } = await loadInk(() => import('../../src/shell/terminal/mount-ink.js'));
const { Rows } = await loadInk(() => import('../../src/shell/terminal/rows.js'));
const { Prompt } = await loadInk(() => import('../../src/shell/shell-screen.js'));
const { openBrowser, openLine } = await loadInk(() => import('../../src/shell/screens.js'));
const { ValuePane } = await loadInk(() => import('../../src/shell/browser/browser-screen.js'));
const { openTop } = await loadInk(() => import('../../src/shell/top/top-table.js'));
const { EnsembleTable, openTable } = await loadInk(
  () => import('../../src/shell/ensemble/ensemble-table.js'),
);

/** A state that the test changes, as a driver does. */
function sourceOf<S>(first: S) {
  const listeners = new Set<() => void>();
  let state = first;
  return {
    get state() {
      return state;
    },
    set: (next: S) => {
      state = next;
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function onScreen(
  columns: number,
  open: (terminal: MountOptions) => { close(): void },
  work: (screen: XtermScreen) => Promise<void>,
): Promise<void> {
  const screen = new XtermScreen(columns, 24);
  const { close } = open({ stdout: screen.stdout, stderr: screen.stdout });
  try {
    await work(screen);
  } finally {
    close();
  }
}

/** Presses the keys of a terminal's bytes. */
function send(driver: { press: ShellDriver['press'] }, bytes: string): void {
  for (const key of new KeyDecoder().push(bytes)) driver.press(key);
}

const plain = (text: string) => ({ text, tone: 'plain' }) as const;

test('rows: one per line, also an empty one, and none wider than the terminal', () => {
  const rows = [
    [plain('one '), plain('row')],
    [],
    [plain('x'.repeat(60))],
    [plain('漢'.repeat(20))],
  ];
  const shown = (columns: number) => drawnRows(createElement(Rows, { rows }), columns);
  assert.equal(shown(80), ['one row', '', 'x'.repeat(60), '漢'.repeat(20)]);
  assert.equal(shown(40), ['one row', '', `${'x'.repeat(39)}…`, '漢'.repeat(20)]);
});

test('the prompt sets the terminal’s own cursor, below the rows above it', async () => {
  const source = sourceOf({ x: 3, y: 1 });
  const rows = [[plain('first')], [plain('second')]];
  const view = ({ state: cursor }: ViewProps<{ x: number; y: number }>) =>
    createElement(Prompt, { input: { rows, cursor }, top: 1 });
  const open = (terminal: MountOptions) => mountInk(source, view, terminal);
  for (const columns of [80, 40]) {
    source.set({ x: 3, y: 1 });
    await onScreen(columns, open, async (screen) => {
      await screen.shows(['first', 'second']);
      await waitFor('the cursor', () => screen.cursor().x === 3 && screen.cursor().y === 2, 5000);
      source.set({ x: 5, y: 0 });
      await waitFor('the cursor', () => screen.cursor().x === 5 && screen.cursor().y === 1, 5000);
    });
  }
});

test('a value is cut to its pane, from the column that it is scrolled to', () => {
  const view = viewOf(Buffer.from('漢字 one\nx\x1b[2Jy\nthird'), 'text', 16);
  const value = { path: '/a', view, stat: new Stat(NO_STAT) };
  const shown = (valueTop: number, valueLeft: number) =>
    drawnRows(createElement(ValuePane, { value, valueTop, valueLeft, width: 12, height: 2 })).slice(
      2,
    );
  assert.equal(shown(0, 0), ['漢字 one', 'x\\u{1b}[2Jy']);
  assert.equal(shown(1, 2), ['u{1b}[2Jy', 'ird']);
  const fault = createElement(ValuePane, {
    ...{ value: { path: '/a', fault: 'no read permission' }, valueTop: 0, valueLeft: 0 },
    ...{ width: 12, height: 2 },
  });
  assert.equal(drawnRows(fault), ['', '', 'no read per…', '']);
});

const PROMPT = 'fake:2181(connected) />';
const HINT = 'Tab completes, Ctrl-R searches, help lists the commands, Ctrl-D exits';

async function inShell(
  columns: number,
  work: (driver: ShellDriver, screen: XtermScreen) => Promise<void>,
) {
  const { session } = makeShellWorld();
  const renderer = await loadRenderer('text', { isTerminal: true });
  const vocabulary = makeVocabulary(await allCommands());
  const parts = { session, renderer, pipeRenderer: renderer, vocabulary, historyFile: undefined };
  const driver = new ShellDriver(parts);
  const left = driver.run();
  try {
    const open = (terminal: MountOptions) => openLine(driver, terminal);
    await onScreen(columns, open, async (screen) => {
      await work(driver, screen);
      driver.dispatch({ type: 'leave' });
      await left;
      await waitFor('the live rows to disappear', () => !screen.rows().includes(PROMPT), 5000);
    });
  } finally {
    driver.dispatch({ type: 'leave' });
    await left;
    await session.close();
  }
}

test('the shell at 80 columns: the line, its hint, and the output above them', () =>
  inShell(80, async (driver, screen) => {
    await screen.shows([PROMPT, HINT]);
    send(driver, 'get /');
    await screen.shows([`${PROMPT} get /`, /^get \[-s\]/]);
    const cursorX = `${PROMPT} get /`.length;
    await waitFor('the cursor', () => screen.cursor().x === cursorX, 5000);
    send(driver, 'a\x1b[D');
    await screen.shows([`${PROMPT} get /a`, /^get \[-s\]/]);
    await waitFor('the cursor', () => screen.cursor().x === cursorX, 5000);
    send(driver, '\r');
    await screen.shows([`${PROMPT} get /a`, 'hello', PROMPT, HINT]);
    send(driver, 'foo ');
    await screen.shows([`${PROMPT} get /a`, 'hello', `${PROMPT} foo`, /^unknown command: "foo"/]);
    send(driver, '\x03');
    await waitFor('an empty line', () => screen.rows().at(-2) === PROMPT, 5000);
  }));

test('the shell at 40 columns: the line folds, the hint is cut, and both widen again', () =>
  inShell(40, async (driver, screen) => {
    const short = 'fake:2…(connected) />';
    await screen.shows([short, `${HINT.slice(0, 38)}…`]);
    send(driver, 'create /app 1234567890');
    await screen.shows([`${short} create /app 12345`, '67890', /^create \[-s\] .*…$/]);
    await waitFor('the cursor', () => screen.cursor().x === 5 && screen.cursor().y === 1, 5000);
    screen.resize(80, 24);
    const long = `${PROMPT} create /app 1234567890`;
    await waitFor('one row', () => screen.rows().at(-2) === long, 5000);
    send(driver, '\x03');
    await waitFor('an empty line', () => screen.rows().at(-2) === PROMPT, 5000);
  }));

test('the browser shows tree and value, and follows keys and the size', async () => {
  const { client, session } = makeShellWorld();
  await session.connect();
  await client.create('/a/child', Buffer.from('below'));
  for (let i = 10; i < 50; i++) await client.create(`/n${i}`, null);
  try {
    // The value is beside the tree if the terminal is wide enough, and below it otherwise.
    for (const [columns, beside] of [
      [80, ' +│ '],
      [40, ''],
    ] as const) {
      const driver = new BrowserDriver(session, client, '/');
      const open = (terminal: MountOptions) => openBrowser(driver, terminal);
      await onScreen(columns, open, async (screen) => {
        const has = (pattern: RegExp) => screen.hasRow(pattern);
        await has(/^\/ {2}fake:2181 \(connected\)/);
        await has(new RegExp(`^  ▸ a 1(${beside}|$)`));
        send(driver, '\x1b[B');
        await has(new RegExp(`^.*${beside}hello$`));
        send(driver, '\x1b[C');
        await has(new RegExp(`^      child(${beside}|$)`));
        send(driver, '\x1b[B');
        await has(new RegExp(`^.*${beside}below$`));
        assert.ok(screen.rows().length < 24);
        screen.resize(60, 10);
        await waitFor('ten rows', () => screen.rows().length < 10, 5000);
        send(driver, 'G');
        await has(/^ {4}zookeeper( |$)/);
        driver.leave();
      });
    }
  } finally {
    await session.close();
  }
});

test('top shows one row per member and handles its keys', async () => {
  const top = verbNamed('top');
  const result = resultOf(top, [captured(top, 'leader', 2181), failing(top, 2183, 'refused')]);
  const driver = new TopDriver({
    poll: async () => result,
    reset: async () => 'set back',
    print: undefined,
    write: () => undefined,
    intervalMs: 60_000,
    isBatch: false,
    count: undefined,
    sort: undefined,
    filter: '',
    width: 80,
  });
  try {
    driver.start();
    for (const columns of [80, 40]) {
      const open = (terminal: MountOptions) => openTop(driver, terminal);
      await onScreen(columns, open, async (screen) => {
        const has = (pattern: RegExp, count?: number) => screen.hasRow(pattern, count);
        await has(/^zkops top {2}/);
        await has(/^\S+:218[13] /, 2);
        send(driver, '/refused\r');
        await has(/^\S+:2181 /, 0);
        await has(/^\S+:2183 +refused/);
        send(driver, 'h');
        await has(/^q +leaves/);
        send(driver, 'x');
        driver.press({ type: 'key', name: 'escape' });
        await has(/^\S+:218[13] /, 2);
      });
    }
    send(driver, 'q');
    await driver.done;
  } finally {
    driver.leave();
  }
});

const MEMBERS = [1, 2, 3].map((sid) => ({
  ...{ sid, clientPort: 2180 + sid, pid: 1000 + sid, isRunning: sid !== 3 },
  ...{ state: sid === 1 ? 'leader' : 'follower', zxid: '0x100000002', connections: `${sid}` },
}));

test('the table of an ensemble stays below the messages and fits the terminal', async () => {
  const screen = new XtermScreen(80, 24);
  const table = openTable({ stdout: screen.stdout, stderr: screen.stdout });
  const rows = [
    'SERVER  CLIENTS AT      ROLE             ZXID  CONNECTIONS  PROCESS',
    '     1  127.0.0.1:2181  leader    0x100000002            1     1001',
    '     2  127.0.0.1:2182  follower  0x100000002            2     1002',
    '     3  127.0.0.1:2183  follower  0x100000002            3        -',
    'Ctrl-C stops all servers.',
  ];
  table.show(MEMBERS);
  await screen.shows(rows);
  table.print('server 3 ended\x1b[2J');
  table.writeOut('127.0.0.1:2181\n');
  const said = ['server 3 ended\\u{1b}[2J', '127.0.0.1:2181'];
  await screen.shows([...said, ...rows]);
  screen.resize(30, 24);
  await screen.shows([...said, /^SERVER .*…$/, /^ +1 /, /^ +2 /, /^ +3 /, /^Ctrl-C/]);
  table.close();
  await screen.shows([...said, /^SERVER .*…$/, /^ +1 /, /^ +2 /, /^ +3 /, /^Ctrl-C/]);
});

test('the table of an ensemble has as many rows as fit', () => {
  const shown = (rows: number) => {
    const size = { columns: 80, rows };
    return drawnRows(createElement(EnsembleTable, { state: MEMBERS, size }));
  };
  assert.is(shown(6).length, 5);
  assert.equal(shown(5).slice(2), ['… and 2 more', 'Ctrl-C stops all servers.']);
});

test.run();
