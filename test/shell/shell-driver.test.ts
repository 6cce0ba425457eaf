// The whole shell without drawing: keys in, and the output above the prompt out.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConnectError } from '../../src/client/base/errors.js';
import { loadRenderer } from '../../src/commands/results/render.js';
import { makeVocabulary } from '../../src/commands/zksh/completing/vocabulary.js';
import { allCommands } from '../../src/commands/zksh/running/registry.js';
import { printed } from '../../src/shell/line/echo-line.js';
import { HistoryFile } from '../../src/shell/line/history.js';
import { ShellDriver } from '../../src/shell/shell-driver.js';
import { KeyDecoder } from '../../src/shell/terminal/key-decoder.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import type { FakeClient } from '../support/peers/fake-client.js';
import { makeShellWorld } from '../support/terminal/shell-world.js';
import { waitFor } from '../support/wait-for.js';

interface Shell {
  readonly client: FakeClient;
  readonly driver: ShellDriver;
  readonly writes: readonly string[];
  readonly historyPath: string;
  /** Presses the keys of a terminal's bytes. */
  send(bytes: string): void;
  /** Waits until this was written above the prompt. */
  shown(text: string): Promise<void>;
  idle(): Promise<void>;
}

const PROMPT = 'fake:2181(connected) /> ';

async function inShell(
  work: (shell: Shell) => Promise<void>,
  prepare?: (client: FakeClient, historyPath: string) => void,
): Promise<void> {
  const home = makeTempDir('driver');
  const historyPath = join(home.path, 'history');
  const { client, session } = makeShellWorld();
  prepare?.(client, historyPath);
  const driver = new ShellDriver({
    session,
    renderer: await loadRenderer('text', { isTerminal: true }),
    pipeRenderer: await loadRenderer('text', { isTerminal: false }),
    vocabulary: makeVocabulary(await allCommands()),
    historyFile: new HistoryFile(historyPath),
    columns: () => 20,
  });
  const writes: string[] = [];
  driver.scrollback.attach((text) => writes.push(text));
  const decoder = new KeyDecoder();
  const running = driver.run();
  const shell: Shell = {
    client,
    driver,
    writes,
    historyPath,
    send: (bytes) => {
      for (const key of decoder.push(bytes)) driver.press(key);
    },
    shown: async (text) => {
      await waitFor(JSON.stringify(text), () => writes.join('').includes(text)).catch((error) => {
        throw new Error(`${error}, but it is:\n${writes.join('')}`);
      });
    },
    idle: async () => {
      await waitFor('the command to end', () => driver.state.running === undefined);
      await driver.scrollback.drained();
    },
  };
  try {
    await waitFor('the session', () => driver.state.connection.state !== 'connecting');
    await work(shell);
  } finally {
    driver.dispatch({ type: 'leave' });
    await running;
    await session.close();
    home.remove();
  }
}

test('a line is shown with its prompt, then its output', async () => {
  await inShell(async ({ send, idle, writes }) => {
    send('get /a\r');
    await idle();
    assert.is(writes.join(''), `${PROMPT}get /a\nhello\n`);
  });
});

test('an invalid line prints its error with a caret, and the shell continues', async () => {
  await inShell(async ({ send, idle, writes }) => {
    send('set -v abc /a x\rset -b /a !!!\rget /nothing; get /a\rget /a\r');
    await waitFor('the last one', () => writes.join('').includes('\nhello\n'));
    await idle();
    const text = writes.join('');
    assert.match(text, /abc[\s\S]*\^\^\^/);
    assert.match(text, /Node does not exist: \/nothing\n/);
    assert.is(
      text.match(/hello/g)?.length,
      1,
      'statements after a failure in the same line do not run',
    );
  });
});

test('a password is neither shown nor kept', async () => {
  await inShell(async ({ send, idle, writes, historyPath }) => {
    send('ls /\raddauth digest user:secret\r');
    await idle();
    await waitFor('the history', () => readFileSync(historyPath, 'utf8') === 'ls /\n');
    assert.not.match(writes.join(''), /secret/);
  });
});

test('a change that arrives while typing goes to the pane, and stays when the watch ends', async () => {
  await inShell(async ({ send, idle, client, driver, shown }) => {
    send('watch /a\r');
    await idle();
    send('get /');
    await client.setData('/a', Buffer.from('new'));
    await waitFor('the change', () => driver.state.pane.rows.length === 3);
    assert.equal(driver.state.pane.rows[2], { text: '  + new', tone: 'good' });
    assert.is(driver.state.line.text, 'get /');
    send('\x15removewatches /a\r');
    await shown('  + new\nNo longer watching /a: watch removed\n');
    assert.equal(driver.state.pane.watches, []);
  });
});

test('an event of a watch that a read set is printed above the line', async () => {
  await inShell(async ({ send, idle, client, driver, shown }) => {
    send('get -w /a\r');
    await idle();
    send('get /');
    await client.setData('/a', Buffer.from('new'));
    await shown('NodeDataChanged /a\n');
    assert.is(driver.state.line.text, 'get /');
  });
});

test('Ctrl-C interrupts a command that hangs, and the next one runs', async () => {
  await inShell(async ({ send, idle, client, driver, shown }) => {
    client.getChildren = () => new Promise(() => undefined);
    send('ls /\r');
    await waitFor('it to be slow', () => driver.state.running?.isSlow);
    send('\x03');
    await shown('interrupted\n');
    send('get /a\r');
    await idle();
    await shown('hello\n');
  });
});

test('Ctrl-C cuts an output of 100,000 lines short and reports it', async () => {
  await inShell(async ({ send, idle, client, writes, shown }) => {
    const children = Array.from({ length: 100_000 }, (_, index) => `n${index}`);
    serveChildren(client, '/a', children);
    send('ls -R /a\r');
    await waitFor('the first lines', () => writes.join('').includes('/a/n0\n'));
    send('\x03');
    await shown('interrupted\n');
    await idle();
    assert.match(writes.join(''), /… \d+ more lines not shown\n/);
    assert.not.match(writes.join(''), /\/a\/n99999\n/);
  });
});

test('an output of 100,000 lines is complete and in order', async () => {
  await inShell(async ({ send, idle, client, writes }) => {
    const children = Array.from({ length: 100_000 }, (_, index) => `n${index + 100_000}`);
    serveChildren(client, '/a', children);
    send('ls -R /a\r');
    await idle();
    const expected = ['/a', ...children.map((name) => `/a/${name}`)].join('\n');
    assert.is(writes.join(''), `${PROMPT}ls -R /a\n${expected}\n`);
    assert.ok(writes.every((text) => text.length < 100_000));
  });
});

test('one key answers a question', async () => {
  await inShell(async ({ send, idle, client, driver, writes }) => {
    await client.create('/t');
    await client.create('/t/child');
    send('deleteall /t\r');
    await waitFor('the question', () => driver.state.question);
    send('n');
    await idle();
    assert.ok(await client.exists('/t/child'));
    const row = writes
      .join('')
      .split('\n')
      .find((text) => text.endsWith('[y/N] no'));
    assert.is(row?.length, 20);
    send('deleteall /t\r');
    await waitFor('the question', () => driver.state.question);
    send('y');
    await idle();
    assert.is(await client.exists('/t'), null);
  });
});

test('a question and its answer take one row of the scrollback', () => {
  const shown = (text: string, columns: number) =>
    printed({ spans: [{ text, tone: 'plain' }], answer: ' [y/N] yes' }, () => columns);
  const question = `Delete ${'/a'.repeat(40)}?`;
  assert.is(shown('Sure?', 40), 'Sure? [y/N] yes');
  assert.is(shown(question, 40), `${question.slice(0, 29)}… [y/N] yes`);
  assert.is(shown('a\nb', 8), 'a\nb [y/N] yes');
});

test('TAB completes names from the server, including new ones', async () => {
  await inShell(async ({ send, idle, driver }) => {
    send('get /z\t');
    await waitFor('the path', () => driver.state.line.text === 'get /zookeeper ');
    send('\x15create /zoo\r');
    await idle();
    send('get /z\t');
    await waitFor('the common prefix', () => driver.state.line.text === 'get /zoo');
    send('\t');
    await waitFor('the list', () => driver.state.menu);
    assert.equal(driver.state.menu, ['zoo', 'zookeeper']);
  });
});

test('a lost and restored connection is reported', async () => {
  await inShell(async ({ client, driver, shown }) => {
    client.setState('disconnected', new Error('the connection was reset'));
    await shown('the connection was reset; reconnecting\n');
    assert.is(driver.state.connection.state, 'disconnected');
    client.setState('connected');
    await shown('reconnected to fake:2181; session continues\n');
  });
});

test('an unreachable server is reported, and the shell stays', async () => {
  await inShell(
    async ({ shown, send, driver }) => {
      await shown('no server: refused\n');
      send('version\r');
      await shown('zksh');
      assert.is(driver.state.isLeaving, false);
    },
    (client) => {
      client.connectError = new ConnectError('no server: refused');
    },
  );
});

test('the history of earlier shells is there', async () => {
  await inShell(
    async ({ send, driver, historyPath, idle }) => {
      send('\x1b[A');
      assert.is(driver.state.line.text, 'ls /old');
      send('\x03get /a\r');
      await idle();
      await waitFor('the entry', () => readFileSync(historyPath, 'utf8') === 'ls /old\nget /a\n');
    },
    (_client, path) => writeFileSync(path, 'ls /old\n'),
  );
});

test('a history that cannot be saved is reported once', async () => {
  await inShell(
    async ({ send, shown, writes, idle }) => {
      await shown('history is not saved: ');
      send('get /a\rls /\r');
      await idle();
      assert.is(writes.join('').match(/history is not saved/g)?.length, 1);
    },
    (_client, path) => {
      // A folder in place of the file.
      mkdirSync(path);
    },
  );
});

test('the data of a znode cannot control the terminal', async () => {
  await inShell(async ({ send, idle, client, writes }) => {
    await client.create('/esc', Buffer.from('\x1b[2Jgone'));
    send('get /esc\rget --raw /esc\r');
    await waitFor('both', () => writes.join('').match(/gone/g)?.length === 2);
    await idle();
    assert.not.ok(writes.join('').includes('\x1b'));
  });
});

function serveChildren(client: FakeClient, parent: string, children: readonly string[]): void {
  const { getChildren } = client;
  client.getChildren = async (path, options) => {
    const { stat } = await getChildren.call(client, parent, options);
    return { children: path === parent ? [...children] : [], stat };
  };
}

test.run();
