import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/four-letter.js';
import { VERBS } from '../../src/commands/ops/index.js';
import { runVerb } from '../../src/commands/ops/run.js';
import { freePort } from '../support/free-port.js';
import { oracleTest, startOracle } from '../support/oracle.js';
import { makeTempDir } from '../support/temp-dir.js';

const ZKOPS = fileURLToPath(new URL('../../src/bin/zkops.js', import.meta.url));

interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly error: string;
}

/** Runs the command as a person would, without a terminal. */
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

test('a closed port is a row that says refused, exit code 2', async () => {
  const server = `127.0.0.1:${await freePort()}`;
  const { exitCode, out, error } = await zkops(['mntr', '--servers', server]);
  assert.is(exitCode, 2);
  assert.is(error, '');
  assert.match(out, new RegExp(`^${server} +refused$`, 'm'));
  assert.ok(out.endsWith('CRITICAL: no member serves\n'));
  assert.not.ok(out.includes('\u001b'), 'no colour into a pipe');
});

test('colour is forced where FORCE_COLOR says so', async () => {
  const server = `127.0.0.1:${await freePort()}`;
  const { out } = await zkops(['ruok', '--servers', server], { FORCE_COLOR: '1' });
  assert.ok(out.includes('\u001b[31mrefused'));
});

test('usage and a bad hosts file are told on stderr, with 64 and 65', async () => {
  const folder = makeTempDir('zkops');
  try {
    const hosts = join(folder.path, 'hosts.txt');
    writeFileSync(hosts, 'zk1\nzk2:0\n');
    const bad = await zkops(['mntr', '--ensemble', hosts]);
    assert.is(bad.exitCode, 65);
    assert.is(bad.out, '');
    assert.ok(bad.error.startsWith(`zkops: ${hosts}:2: port 0 `), bad.error);
    const unknown = await zkops(['mntt']);
    assert.is(unknown.exitCode, 64);
    assert.ok(unknown.error.includes('Did you mean mntr'), unknown.error);
    assert.is((await zkops(['--help'])).exitCode, 0);
  } finally {
    folder.remove();
  }
});

oracleTest("every word works against Apache's server, beside a closed port", async () => {
  const oracle = await startOracle();
  const folder = makeTempDir('zkops');
  try {
    const dead = `127.0.0.1:${await freePort()}`;
    const hosts = join(folder.path, 'hosts.txt');
    writeFileSync(hosts, `${oracle.connectString} # Apache's\n${dead}\n`);

    const mntr = await zkops(['mntr', '--ensemble', hosts]);
    assert.is(mntr.exitCode, 2, mntr.out + mntr.error);
    assert.match(mntr.out, new RegExp(`^${oracle.connectString} +serving +standalone `, 'm'));
    assert.match(mntr.out, new RegExp(`^${dead} +refused `, 'm'));
    for (const line of mntr.out.split('\n')) assert.ok(line.length <= 80, line);

    // In this process: starting seventeen others would tell nothing more.
    for (const verb of VERBS.filter(({ isReset }) => isReset !== true)) {
      const { members, verdict } = await runVerb(verb, [{ host: '127.0.0.1', port: oracle.port }], {
        ask: askWord,
        timeoutMs: 20_000,
        deadlineMs: 60_000,
        confirmMs: 1,
        now: () => new Date(),
      });
      assert.is(verdict.level, 'healthy', `${verb.name}: ${verdict.summary}`);
      assert.is(members[0]?.fault, undefined, verb.name);
      assert.is(members[0]?.note, undefined, verb.name);
    }
    const alone = ['--servers', oracle.connectString];
    assert.is((await zkops(['srvr', '-q', ...alone])).out, '');
    assert.is((await zkops(['stmk', '307', '--yes', ...alone])).exitCode, 0);
    assert.is((await zkops(['gtmk', ...alone, '-o', 'raw'])).out, '307');
    assert.is((await zkops(['srst', '--yes', ...alone])).exitCode, 0);
  } finally {
    await oracle.close();
    folder.remove();
  }
});

oracleTest("Apache's default whitelist leaves srvr, and a footnote", async () => {
  const oracle = await startOracle({ config: { '4lw.commands.whitelist': 'srvr' } });
  try {
    const alone = ['--servers', oracle.connectString];
    const mntr = await zkops(['mntr', ...alone]);
    assert.is(mntr.exitCode, 0, mntr.out);
    assert.ok(mntr.out.includes('4lw.commands.whitelist=srvr,mntr'), mntr.out);
    const ruok = await zkops(['ruok', ...alone]);
    assert.is(ruok.exitCode, 3);
    assert.match(ruok.out, / not-whitelisted /);
  } finally {
    await oracle.close();
  }
});

test.run();
