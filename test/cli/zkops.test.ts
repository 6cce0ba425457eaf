// conformance: runs against Apache's server, too.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { runVerb } from '../../src/commands/ensemble/verdict/run.js';
import { VERBS } from '../../src/commands/zkops/index.js';
import { startServer } from '../../src/server/main.js';
import { type Oracle, oracleTest, startOracle } from '../support/apache/oracle.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';

const ZKOPS = fileURLToPath(new URL('../../bin/zkops.cjs', import.meta.url));

interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly error: string;
}

/** Runs the command without a terminal. */
function zkops(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { FORCE_COLOR: _, COLUMNS: __, ...rest } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [ZKOPS, ...args],
      { env: { ...rest, NO_COLOR: '', ...env }, timeout: 60_000 },
      (error, out, stderr) => {
        const code = error === null ? 0 : error.code;
        resolve({ exitCode: typeof code === 'number' ? code : -1, out, error: stderr });
      },
    );
  });
}

test('a closed port is a row with "refused", and exit code 2', async () => {
  const server = `127.0.0.1:${await freePort()}`;
  const { exitCode, out, error } = await zkops(['mntr', '--servers', server]);
  assert.is(exitCode, 2);
  assert.is(error, '');
  assert.match(out, new RegExp(`^${server} +refused$`, 'm'));
  assert.ok(out.endsWith('CRITICAL: no member serves: no answers\n'));
  assert.not.ok(out.includes('\u001b'), 'no color into a pipe');
});

test('FORCE_COLOR forces color', async () => {
  const server = `127.0.0.1:${await freePort()}`;
  const { out } = await zkops(['ruok', '--servers', server], { FORCE_COLOR: '1' });
  assert.ok(out.includes('\u001b[31mrefused'));
});

test('wrong usage and a bad hosts file are reported on stderr, with 64 and 65', async () => {
  const folder = makeTempDir('zkops');
  try {
    const hosts = join(folder.path, 'hosts.txt');
    writeFileSync(hosts, 'zk1\nzk2:0\n');
    const bad = await zkops(['mntr', '--ensemble', hosts]);
    assert.is(bad.exitCode, 65);
    assert.is(bad.out, '');
    assert.ok(bad.error.startsWith(`zkops: ${hosts}:2: invalid port: 0 `), bad.error);
    const unknown = await zkops(['mntt']);
    assert.is(unknown.exitCode, 64);
    assert.ok(unknown.error.endsWith('\n  did you mean mntr?\n'), unknown.error);
    assert.is((await zkops(['--help'])).exitCode, 0);
  } finally {
    folder.remove();
  }
});

/** Runs every word except the resets, in this process, to avoid the start of seventeen others. */
async function askEveryWord(ports: readonly number[]): Promise<void> {
  for (const verb of VERBS.filter(({ isReset }) => isReset !== true)) {
    const { members, verdict } = await runVerb(
      verb,
      ports.map((port) => ({ host: '127.0.0.1', port })),
      { ask: askWord, timeoutMs: 20_000, deadlineMs: 60_000, confirmMs: 1, now: () => new Date() },
    );
    const isEnsembleAsked = verb.judge === 'ensemble' && ports.length > 1;
    const expected = isEnsembleAsked ? 'warning' : 'healthy';
    assert.is(verdict.level, expected, `${verb.name}: ${verdict.summary}`);
    for (const { server, fault, note } of members) {
      assert.equal([fault, note], [undefined, undefined], `${verb.name} ${server}`);
    }
  }
}

test('the bundled server answers every word', async () => {
  const bundled = await startServer({ config: { '4lw.commands.whitelist': '*' } });
  try {
    await askEveryWord([bundled.port]);
    const alive = await zkops(['srvr', '--servers', bundled.connectString]);
    assert.is(alive.exitCode, 0, alive.out + alive.error);
    assert.ok(alive.out.endsWith('HEALTHY: the standalone server serves\n'), alive.out);
  } finally {
    await bundled.close();
  }
});

oracleTest("the bundled server, Apache's, and a closed port are three rows", async () => {
  const bundled = await startServer({ config: { '4lw.commands.whitelist': '*' } });
  const folder = makeTempDir('zkops');
  let oracle: Oracle | undefined;
  try {
    oracle = await startOracle();
    const dead = `127.0.0.1:${await freePort()}`;
    const hosts = join(folder.path, 'hosts.txt');
    writeFileSync(hosts, `${bundled.connectString}\n${oracle.connectString} # Apache's\n${dead}\n`);

    const mntr = await zkops(['mntr', '--ensemble', hosts]);
    // Each standalone server has its own data, so one that is down is critical.
    assert.is(mntr.exitCode, 2, mntr.out + mntr.error);
    for (const server of [bundled, oracle]) {
      assert.match(mntr.out, new RegExp(`^${server.connectString} +serving +standalone `, 'm'));
    }
    assert.match(mntr.out, new RegExp(`^${dead} +refused `, 'm'));
    assert.match(mntr.out, new RegExp(`^${dead}: connection refused`, 'm'));
    for (const line of mntr.out.split('\n')) assert.ok(line.length <= 80, line);

    await askEveryWord([bundled.port, oracle.port]);
    const alone = ['--servers', oracle.connectString];
    assert.is((await zkops(['srvr', '-q', ...alone])).out, '');
    assert.is((await zkops(['stmk', '307', '--yes', ...alone])).exitCode, 0);
    assert.is((await zkops(['gtmk', ...alone, '-o', 'raw'])).out, '307');
    assert.is((await zkops(['srst', '--yes', ...alone])).exitCode, 0);
  } finally {
    await oracle?.close();
    await bundled.close();
    folder.remove();
  }
});

oracleTest("Apache's default whitelist permits only srvr, so zkops cannot judge", async () => {
  const oracle = await startOracle({ config: { '4lw.commands.whitelist': 'srvr' } });
  try {
    const alone = ['--servers', oracle.connectString];
    const mntr = await zkops(['mntr', ...alone]);
    assert.is(mntr.exitCode, 3, mntr.out);
    assert.ok(mntr.out.includes('4lw.commands.whitelist=srvr,mntr'), mntr.out);
    const quiet = await zkops(['check', '-q', '--crit', 'open_files=0', ...alone]);
    assert.is(quiet.exitCode, 3);
    assert.match(quiet.out, /UNKNOWN .*mntr is not in its whitelist/);
    const ruok = await zkops(['ruok', ...alone]);
    assert.is(ruok.exitCode, 3);
    assert.match(ruok.out, / not-whitelisted /);
  } finally {
    await oracle.close();
  }
});

test.run();
