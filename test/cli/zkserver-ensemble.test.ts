import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/index.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { startTerminal, terminalTest } from '../support/terminal/terminal.js';
import { waitFor } from '../support/wait-for.js';

const ZKSERVER = fileURLToPath(new URL('../../bin/zkserver.cjs', import.meta.url));

interface Ensemble {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  out(): string;
  said(): string;
  /** The process of server `sid`, as printed. */
  pidOf(sid: number): number;
  /** Resolves to the connect string. */
  serving(): Promise<string>;
}

async function within(
  args: readonly string[],
  use: (ensemble: Ensemble) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, [ZKSERVER, 'ensemble', '--base-port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let said = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    await use({
      child,
      ended,
      out: () => out,
      said: () => said,
      pidOf: (sid) =>
        Number(new RegExp(`server ${sid} \\(127.0.0.1:\\d+, process (\\d+)\\)`).exec(said)?.[1]),
      serving: () =>
        waitFor('the ensemble to serve', () => {
          if (child.exitCode !== null) throw new Error(said);
          return out.endsWith('\n') ? out.trim() : undefined;
        }),
    });
  } finally {
    // The first signal ends the servers in turn, and the second by force.
    child.kill('SIGTERM');
    child.kill('SIGINT');
    await ended;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('serves as an ensemble, and ends its members in order', () =>
  within(['--size', '3', '--observers', '1'], async (ensemble) => {
    const connectString = await ensemble.serving();
    assert.is(connectString.split(',').length, 4);
    const client = createClient({ connectString });
    try {
      await client.connect();
      await client.create('/a', Buffer.from('hello'));
      assert.is(`${(await client.getData('/a')).data}`, 'hello');
    } finally {
      await client.close();
    }
    await waitFor('the roles', () => /: leader$/m.test(ensemble.said()));
    await waitFor('the observer', () => /^server 4 .*: observer$/m.test(ensemble.said()));
    const pids = [1, 2, 3, 4].map(ensemble.pidOf);
    assert.ok(pids.every(isAlive));
    ensemble.child.kill('SIGINT');
    assert.is(await ensemble.ended, 0);
    assert.not.ok(pids.some(isAlive));
  }));

test('reports which member died, with its log, and continues with the others', () =>
  within([], async (ensemble) => {
    const connectString = await ensemble.serving();
    const [, sid] = await waitFor('a follower', () =>
      /^server (\d) .*: follower$/m.exec(ensemble.said()),
    );
    const follower = Number(sid);
    process.kill(ensemble.pidOf(follower), 'SIGKILL');
    await waitFor('it to be reported', () =>
      new RegExp(
        `^server ${follower} ended \\(by SIGKILL\\); /.*/zkserver.out ends in:$`,
        'm',
      ).test(ensemble.said()),
    );
    const client = createClient({ connectString });
    try {
      await client.connect();
      await client.create('/after', null);
    } finally {
      await client.close();
    }
    ensemble.child.kill('SIGTERM');
    assert.is(await ensemble.ended, 0);
  }));

test('keeps its data in the given folder, and serves it again', async () => {
  const { path, remove } = makeTempDir('ensemble');
  try {
    for (const round of [1, 2]) {
      await within(['--size', '1', '--dir', path], async (ensemble) => {
        const client = createClient({ connectString: await ensemble.serving() });
        try {
          await client.connect();
          if (round === 1) await client.create('/kept', Buffer.from('kept'));
          assert.is(`${(await client.getData('/kept')).data}`, 'kept');
        } finally {
          await client.close();
        }
        ensemble.child.kill('SIGTERM');
        assert.is(await ensemble.ended, 0);
      });
    }
    assert.equal(readdirSync(path), ['1']);
    assert.is(readFileSync(join(path, '1', 'myid'), 'utf8'), '1\n');
    assert.ok(existsSync(join(path, '1', 'zoo.cfg')));
  } finally {
    remove();
  }
});

test('ends with a failure when no member is left', async () => {
  await within(['--size', '1'], async (ensemble) => {
    await ensemble.serving();
    await waitFor('its role', () => ensemble.pidOf(1) > 0);
    process.kill(ensemble.pidOf(1), 'SIGKILL');
    assert.is(await ensemble.ended, 1);
    assert.match(ensemble.said(), /all servers of the ensemble have ended/);
  });
});

terminalTest('on a terminal, it shows a table below the connect string', async () => {
  const terminal = await startTerminal({
    command: [process.execPath, ZKSERVER, 'ensemble', '--base-port', '0'],
    env: { CI: '1', CONTINUOUS_INTEGRATION: '1' },
  });
  try {
    await terminal.waitForRow(/ leader +0x\w+ +\d+ +\d+$/);
    const follower = await terminal.waitForRow(/ follower +0x\w+ +\d+ +\d+$/);
    await terminal.waitForRow(/^127\.0\.0\.1:\d+,127\.0\.0\.1:\d+,127\.0\.0\.1:\d+$/);
    const [sid, pid] = [/^ +(\d)/, /(\d+)$/].map((part) => Number(part.exec(follower)?.[1]));
    process.kill(pid ?? 0, 'SIGKILL');
    await terminal.waitForRow(new RegExp(`^ +${sid} .* ended \\(by SIGKILL\\) .* -$`));
    await terminal.resize(40, 24);
    await terminal.waitForRow(/^SERVER {2}CLIENTS AT .*…$/);
    const shown = await terminal.screen();
    assert.is(shown.filter((row) => row.startsWith('SERVER')).length, 1, shown.join('\n'));
    assert.is(shown.filter((row) => row === 'Ctrl-C stops all servers.').length, 1);
    await terminal.press('C-c');
    assert.is(await terminal.exitStatus(), 0);
    const left = await terminal.transcript();
    assert.ok(left.some((row) => row.startsWith(`server ${sid} ended (by SIGKILL); `)));
    assert.is(left.filter((row) => row.includes('ended (exit st')).length, 2);
  } finally {
    await terminal.close();
  }
});

for (const [args, message] of [
  [['--size', '0'], /--size: out of range: 0 \(expected 1 to 63\)/],
  [['--size', 'many'], /--size: invalid number: "many" \(expected an integer\)/],
  [['--observers', '-1'], /--observers: out of range: -1 \(expected 0 to 63\)/],
  [['--base-port', '70000'], /--base-port: out of range: 70000 \(expected 0 to 63000\)/],
  [['zoo.cfg'], /ensemble: unexpected argument/],
] as const) {
  test(`refuses ${args.join(' ')}`, () =>
    within(args, async (ensemble) => {
      assert.is(await ensemble.ended, 64);
      assert.match(ensemble.said(), message);
    }));
}

test.run();
