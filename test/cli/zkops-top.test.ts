import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { formatSessionId } from '../../src/protocol/session-id.js';
import { startServer } from '../../src/server/main.js';
import { freePort } from '../support/machine/free-port.js';
import { startTerminal, terminalTest } from '../support/terminal/terminal.js';

const ZKOPS = fileURLToPath(new URL('../../bin/zkops.cjs', import.meta.url));
const CONFIG = { config: { '4lw.commands.whitelist': '*' } };

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

async function zkopsTop(...args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, NO_COLOR: '1' };
  return promisify(execFile)(process.execPath, [ZKOPS, 'top', ...args], { env }).then(
    (ended) => ({ ...ended, code: 0 }),
    (error: Ended) => error,
  );
}

test('--once prints one screen with rates, and --batch prints N screens', async () => {
  const server = await startServer(CONFIG);
  try {
    // A busy machine stalls the server for most of an interval, which is critical.
    const one = ['--servers', server.connectString, '--interval', '100', '--fail-on', 'never'];
    const once = await zkopsTop(...one, '--once');
    assert.is(once.code, 0, once.stderr + once.stdout);
    const row = once.stdout.split('\n').find((line) => line.startsWith(server.connectString));
    assert.match(row ?? '', /standalone +- +[\d.]+ +0 /);
    assert.not.ok(once.stdout.includes('\u001b'));
    const batch = await zkopsTop(...one, '--batch', '--count', '2');
    assert.is(batch.stdout.match(/^zkops top /gm)?.length, 2);
    const lines = await zkopsTop(...one, '--count', '2', '-o', 'ndjson');
    assert.is(lines.stdout.trimEnd().split('\n').length, 4);
    for (const line of lines.stdout.trimEnd().split('\n')) assert.is(JSON.parse(line).verb, 'top');
  } finally {
    await server.close();
  }
});

test('--by shows who loads the members, in every format', async () => {
  const server = await startServer(CONFIG);
  const client = createClient({ connectString: server.connectString });
  try {
    await client.create('/app');
    await client.create('/app/hot');
    for (let i = 0; i < 30; i++) {
      await Promise.all(Array.from({ length: 100 }, () => client.exists('/app/hot')));
    }
    const one = ['--servers', server.connectString, '--fail-on', 'never', '--once'];
    const screen = await zkopsTop(...one, '--by', 'path');
    assert.is(screen.code, 0, screen.stderr + screen.stdout);
    assert.match(screen.stdout, /^zkops top .* 1 member {2}by path {2}every/);
    assert.match(screen.stdout, /^PATH +REQ\/s +SHARE +BYTES\/s +WATCH +MOST AT$/m);
    assert.match(screen.stdout, /^\/app\/hot +[\d.]+ +\d+ % /m);
    const csv = await zkopsTop(...one, '--by', 'session', '-o', 'csv');
    assert.match(
      csv.stdout,
      new RegExp(`session,${formatSessionId(client.sessionId)},[\\d.]+,\\d+,0`),
    );
    assert.not.match(csv.stdout, /,path,/);
    const { members } = JSON.parse((await zkopsTop(...one, '--by', 'user', '-o', 'json')).stdout);
    assert.is(members[0].load[0].user, 'anonymous');
  } finally {
    await client.close();
    await server.close();
  }
});

test('an unknown column is a usage error', async () => {
  const { code, stderr } = await zkopsTop('--once', '--sort', 'nosuch');
  assert.is(code, 64);
  assert.match(stderr, '--sort: invalid value: "nosuch" (expected state, lag_txns,');
});

terminalTest(
  'in a terminal of 80x24, it draws, handles keys, and restores the screen',
  async () => {
    const server = await startServer(CONFIG);
    const dead = `127.0.0.1:${await freePort()}`;
    const servers = `${server.connectString},${dead}`;
    const terminal = await startTerminal({
      command: [process.execPath, ZKOPS, 'top', '--interval', '200', '--servers', servers],
    });
    try {
      await terminal.waitForRow(/^zkops top /);
      await terminal.waitForRow(/^requests\/s +[\d.]+ +.*█/);
      const rows = await terminal.screen();
      for (const member of [server.connectString, dead]) {
        assert.ok(rows.some((row) => row.startsWith(member)));
      }
      await terminal.type('ss');
      await terminal.waitForRow(/LAG▾/);
      await terminal.type('/refused');
      await terminal.press('Enter');
      await terminal.waitForScreen(
        'the dead member alone',
        (now) => !now.some((row) => row.startsWith(`${server.connectString} `)),
      );
      await terminal.press('Escape');
      await terminal.waitForRow(new RegExp(`^${server.connectString} `));
      await terminal.resize(60, 12);
      await terminal.waitForScreen('all in 60 columns', (now) => {
        return now[0]?.startsWith('zkops top ') === true && now.every((row) => row.length <= 60);
      });
      await terminal.type('h');
      await terminal.waitForRow(/^q +leaves/);
      await terminal.type('xry');
      await terminal.waitForRow(/statistics reset on 1 of 2 members/);
      await terminal.type('q');
      assert.is(await terminal.exitStatus(), 2);
      const left = (await terminal.screen()).filter((row) => !row.startsWith('Pane is dead'));
      assert.equal(
        left.filter((row) => row !== ''),
        [],
      );
    } finally {
      await terminal.close();
      await server.close();
    }
  },
);

terminalTest('it draws in a terminal even with the environment of a CI', async () => {
  const server = await startServer(CONFIG);
  const terminal = await startTerminal({
    command: [process.execPath, ZKOPS, 'top', '--servers', server.connectString],
    env: { CI: '1', CONTINUOUS_INTEGRATION: '1' },
  });
  try {
    await terminal.waitForRow(new RegExp(`^${server.connectString} +standalone `));
    await terminal.type('q');
    assert.is(await terminal.exitStatus(), 0);
  } finally {
    await terminal.close();
    await server.close();
  }
});

test.run();
