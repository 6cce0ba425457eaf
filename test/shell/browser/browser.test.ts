// The browser without a terminal: keys and responses in, requests and rows out.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { textWidth } from '../../../src/commands/terminal/text-width.js';
import { ShellSession } from '../../../src/commands/zksh/session/shell-session.js';
import { BrowserDriver } from '../../../src/shell/browser/browser-driver.js';
import { indexOfSelected } from '../../../src/shell/browser/browser-state.js';
import { KeyDecoder } from '../../../src/shell/terminal/key-decoder.js';
import { loadInk } from '../../../src/shell/terminal/load-ink.js';
import type { TerminalSize } from '../../../src/shell/terminal/terminal-size.js';
import { FakeClient } from '../../support/peers/fake-client.js';
import { createElement, drawnRows } from '../../support/terminal/drawn.js';
import { waitFor } from '../../support/wait-for.js';

interface World {
  readonly client: FakeClient;
  readonly browser: BrowserDriver;
  /** Presses the keys of a terminal's bytes, and waits until the responses have arrived. */
  send(bytes: string): Promise<void>;
  resize(size: TerminalSize): void;
  rows(): readonly string[];
  /** The names of the tree, the selected one in brackets. */
  tree(): readonly string[];
}

const { BrowserScreen, TreePane, layoutOf } = await loadInk(
  () => import('../../../src/shell/browser/browser-screen.js'),
);
const UP = '\x1b[A';
const DOWN = '\x1b[B';
const RIGHT = '\x1b[C';
const LEFT = '\x1b[D';

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function browsing(root = '/', changedAt?: number): Promise<World> {
  const client = new FakeClient();
  if (changedAt !== undefined) client.changedAt = changedAt;
  const session = new ShellSession({ target: 'fake:2181', createClient: async () => client });
  await session.connect();
  for (const [path, data] of [
    ['/app', 'hello'],
    ['/app/config', '{"debug":true}'],
    ['/app/漢字', 'wide'],
    ['/app/x\x1b[2Jy', 'odd'],
    ['/web', 'w'],
  ] as const) {
    await client.create(path, Buffer.from(data));
  }
  const browser = new BrowserDriver(session, client, root);
  const decoder = new KeyDecoder();
  let size: TerminalSize = { columns: 80, rows: 12 };
  const resize = (next: TerminalSize) => {
    size = next;
    browser.dispatch({ type: 'resized', ...layoutOf(size) });
  };
  resize(size);
  await settled();
  const texts = () => {
    const { state } = browser;
    return drawnRows(createElement(BrowserScreen, { state, size }), size.columns);
  };
  return {
    client,
    browser,
    resize,
    send: async (bytes) => {
      for (const key of decoder.push(bytes)) browser.press(key);
      await settled();
    },
    rows: texts,
    tree: () => {
      const { state } = browser;
      const pane = createElement(TreePane, { ...state, width: 40, height: 10 });
      const at = indexOfSelected(state) - state.top;
      return drawnRows(pane, 40)
        .map((row, index) => (index === at ? `[${row.trim()}]` : row.trim()))
        .filter((row) => row !== '');
    },
  };
}

test('the root is open, and marks show which znodes have children', async () => {
  const { tree, rows, browser } = await browsing();
  assert.equal(tree(), ['[▾ / 3]', '▸ app 3', 'web', 'zookeeper']);
  assert.match(rows()[0] ?? '', /^\/ {2}fake:2181 \(connected\)$/);
  browser.leave();
});

test('keys move, open, and close, and the value follows', async () => {
  const { send, tree, rows } = await browsing();
  await send(DOWN);
  assert.match(rows()[3] ?? '', / │ hello$/);
  assert.match(rows()[1] ?? '', /version 0, 5 bytes, 3 children, as text/);
  await send(RIGHT);
  await send(RIGHT);
  assert.is(tree()[2], '[config]');
  assert.match(rows()[4] ?? '', / │ {3}"debug": true$/);
  await send(LEFT);
  assert.is(tree()[1], '[▾ app 3]');
  await send(LEFT);
  assert.is(tree()[1], '[▸ app 3]');
  await send('G');
  assert.is(tree().at(-1), '[zookeeper]');
  await send('gk');
  assert.is(tree()[0], '[▾ / 3]');
});

test('the root of a new ensemble has no time, and an impossible time is a number', async () => {
  for (const [path, time, shown] of [
    ['/', undefined, 'changed never'],
    ['/app', 2 ** 62, `changed ${2 ** 62}`],
    ['/app', 1_700_000_000_000, 'changed 2023-11-14 22:13:20 UTC'],
  ] as const) {
    const { rows, browser } = await browsing(path, time);
    assert.match(rows().join('\n'), shown);
    browser.leave();
  }
});

test('v cycles through the formats, and Tab scrolls the value', async () => {
  const { send, rows, client, browser } = await browsing('/app');
  await send('x');
  assert.match(rows()[3] ?? '', /00000000 {2}68 65 6c 6c 6f/);
  await client.setData(
    '/app',
    Buffer.from(Array.from({ length: 40 }, (_, i) => `n${i}`).join('\n')),
  );
  await settled();
  await send(`t\t${DOWN}${DOWN}`);
  assert.match(rows()[3] ?? '', / │ n2$/);
  await send('\x1b[F');
  assert.match(rows().at(-2) ?? '', / │ n39$/);
  await send(`\t${UP}q`);
  assert.is(await browser.left, '/app');
});

test('the view shows changes on the server', async () => {
  const { tree, rows, client } = await browsing();
  await client.create('/new', null);
  await client.delete('/web');
  await client.setData('/', Buffer.from('of the root'));
  await settled();
  assert.equal(tree(), ['[▾ / 3]', '▸ app 3', 'new', 'zookeeper']);
  assert.match(rows()[3] ?? '', /of the root/);
});

test('when the selected znode is deleted, its parent is selected', async () => {
  const { tree, send, client } = await browsing();
  await send(DOWN + DOWN);
  assert.is(tree()[2], '[web]');
  await client.delete('/web');
  await settled();
  assert.is(tree()[0], '[▾ / 2]');
});

test('a search finds a part of a name', async () => {
  const { tree, send, rows } = await browsing();
  await send('/KEEP\r');
  assert.is(tree()[3], '[zookeeper]');
  await send('/p\rn');
  assert.is(tree()[1], '[▸ app 3]');
  await send('N');
  assert.is(tree()[3], '[zookeeper]');
  await send('/nothing');
  assert.match(rows().at(-1) ?? '', /no match for "nothing"/);
});

test('a name below closed znodes is found, and its ancestors open', async () => {
  const { tree, send, rows, client } = await browsing();
  await client.create('/web/config', null);
  await send('/CONFIG');
  assert.match(rows().at(-1) ?? '', /no match for "CONFIG" in the open tree; Enter searches/);
  await send('\r');
  assert.equal(tree().slice(0, 3), ['▾ / 3', '▾ app 3', '[config]']);
  await send('n');
  assert.equal(tree().slice(-2), ['[config]', 'zookeeper']);
  await send('n');
  assert.is(tree()[2], '[config]');
  await send('/no such name\r');
  assert.match(rows().at(-1) ?? '', /no match for "no such name"/);
});

test('a znode without read permission shows the reason, and keys still work', async () => {
  const { client, send, rows, tree } = await browsing();
  client.failures.set('getChildren /app', 'NOAUTH');
  client.failures.set('getData /app', 'NOAUTH');
  await send(DOWN + RIGHT);
  assert.match(tree()[1] ?? '', /app.* no read permission/);
  assert.match(rows()[3] ?? '', /no read permission/);
  await send(DOWN);
  assert.is(tree()[2], '[web]');
});

test('rows fit the terminal at any size, whatever the names contain', async () => {
  const { send, resize, rows } = await browsing('/app');
  await send(DOWN + DOWN);
  for (const columns of [20, 40, 61, 100]) {
    for (const lines of [3, 8, 30]) {
      resize({ columns, rows: lines });
      const drawn = rows();
      assert.ok(drawn.length < lines, `${columns}x${lines}`);
      for (const row of drawn) {
        assert.ok(textWidth(row) < columns, JSON.stringify(row));
        assert.not.ok(row.includes('\x1b'));
      }
    }
  }
});

test('a lost connection is in the title, and open znodes are read again afterwards', async () => {
  const { client, rows, browser } = await browsing();
  client.setState('disconnected');
  assert.match(rows()[0] ?? '', /\(disconnected\)/);
  const before = client.calls.length;
  client.setState('connected');
  await waitFor('it to be read again', () => client.calls.length >= before + 2);
  assert.ok(client.calls.slice(before).includes('getChildren'));
  assert.match(rows()[0] ?? '', /\(connected\)/);
  browser.leave();
});

test.run();
