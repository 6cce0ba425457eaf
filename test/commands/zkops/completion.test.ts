import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../src/server/main.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { runZkops } from '../../support/terminal/run-zkops.js';

// A busy machine must not hide what the servers answer.
process.env['ZKSH_COMPLETION_TIMEOUT'] = '30s';

async function values(...words: string[]): Promise<readonly string[]> {
  const { exitCode, out, error } = await runZkops(['__complete', '--', ...words]);
  assert.equal([exitCode, error], [0, ''], words.join(' '));
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t', 1)[0] ?? '');
}

test('verbs, subcommands, options, and choices come from the declarations', async () => {
  assert.equal(await values('heal'), ['health']);
  assert.equal(await values('snap', ''), ['verify', 'top', 'dump', 'diff']);
  assert.equal(await values('help', 'snap', 'v'), ['verify']);
  assert.equal(await values('clients', '--by='), ['--by=host', '--by=member', '--by=session']);
  assert.equal(await values('health', '-o', 'js'), ['json']);
  assert.equal(await values('health', '--fail'), ['--fail-on']);
  assert.equal(await values('completion', ''), ['bash', 'zsh', 'fish']);
});

test('files and folders are left to the shell', async () => {
  assert.equal(await values('health', '--ensemble', 'ho'), [':files']);
  assert.equal(await values('snap', 'verify', ''), [':files']);
  assert.equal(await values('backup', 'run', '--to', ''), [':folders']);
  assert.equal(await values('log', 'dump', '--from', ''), ['']);
});

test('limits have their names, also after a role', async () => {
  const limits = await values('check', '--warn', 'out');
  assert.equal(limits, ['outstanding_requests=', ':nospace']);
  assert.equal((await values('check', '--crit', 'leader:out'))[0], 'leader:outstanding_requests=');
});

test('members come from the line: a list, or a hosts file', async () => {
  const home = makeTempDir('completion');
  try {
    const file = join(home.path, 'hosts');
    writeFileSync(file, 'zk1:2181 name=east\nzk2:2181\n');
    assert.equal(await values('gate', '--ensemble', file, '--restart', ''), ['east', 'zk2:2181']);
    assert.equal(await values('gate', '--servers', 'a:1,b:2', '--restart', 'b'), ['b:2']);
    assert.equal(await values('gate', '--ensemble', '/no/such', '--restart', ''), ['']);
  } finally {
    home.remove();
  }
});

test('keys and znodes come from a member that answers', async () => {
  const server = await startServer({ config: { '4lw.commands.whitelist': '*' } });
  try {
    const { connectString } = server;
    const keys = await values('conf', '--servers', connectString, '--keys', 'tick');
    assert.equal(keys, ['tickTime']);
    assert.ok((await values('mntr', '--keys', 'digest_mis')).includes('digest_mismatches_count'));
    const paths = await values('smoke', '--servers', connectString, '--path', '/zoo');
    assert.equal(paths, ['/zookeeper/', ':nospace']);
    assert.equal(await values('log', 'dump', '--path', '/'), ['']);
  } finally {
    await server.close();
  }
});

test.run();
