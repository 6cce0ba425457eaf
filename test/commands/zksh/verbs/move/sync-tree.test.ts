// conformance: runs against Apache's server, too.
// Makes a subtree equal to another, between paths, clusters, and dumps.
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundled } from '../../../../support/bundled.js';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { makeServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';
import { plant } from './plant.js';

serverTest('sync-tree creates, sets, sets ACLs, and deletes on request', async (shell) => {
  await plant(shell);
  assert.match(
    await shell.run('sync-tree /t /copy'),
    /^\/copy now equals the source: 23 znodes, 1\d+ bytes \(23 created, 0 set\), 0 ACLs set, 0 deleted\n$/,
  );
  assert.is(await shell.run('diff /t /copy'), '');
  assert.is(await shell.run('sync-tree /t /copy'), '/copy now equals the source: no changes\n');
  await shell.run('set /copy/empty other; delete /copy/null; setAcl /copy/blob world:anyone:cdra');
  await shell.run('create /copy/new; create /copy/new/a; create /copy/new/a/b; create /copy/newer');
  const listed = await shell.run('sync-tree -n --delete /t /copy');
  assert.is(
    listed,
    '~ /copy/blob  (ACL)\n~ /copy/empty  (data)\n- /copy/new\n- /copy/new/a\n- /copy/new/a/b\n- /copy/newer\n+ /copy/null\n/copy would equal the source: 2 znodes, 0 bytes (1 created, 1 set), 1 ACL set, 4 deleted\n',
  );
  const refused = await shell.fully('sync-tree --delete /t /copy');
  assert.equal([refused.error?.code, refused.error?.exitCode], ['UNCONFIRMED', 64]);
  assert.match(
    refused.error?.sentence ?? '',
    /not confirmed: delete of 4 znodes: \/copy\/new, \/copy\/new\/a, \/copy\/new\/a\/b, \/copy\/newer$/,
  );
  assert.is((await shell.fully('diff -q /t /copy')).error?.sentence, '7 znodes differ');
  await shell.run('sync-tree /t /copy');
  assert.is((await shell.fully('diff -q /t /copy')).error?.sentence, '4 znodes differ');
  assert.match(await shell.run('sync-tree --delete --yes /t /copy'), /, 4 deleted\n$/);
  assert.is(await shell.run('diff /t /copy'), '');
});

serverTest('sync-tree copies a tree with restrictive ACLs, which it sets last', async (shell) => {
  await shell.run('create /t; create /t/in; create /t/in/deep 1; create /copy; create /copy/in');
  await shell.run('create /copy/in/old; setAcl --force /t/in world:anyone:r');
  assert.match(
    await shell.run('sync-tree --delete --yes /t /copy'),
    /\(1 created, 0 set\), 1 ACL set, 1 deleted\n$/,
  );
  assert.is(await shell.run('diff /t /copy; ls /copy/in'), '[deep]\n');
});

serverTest('a concurrent change is not overwritten, but named', async (shell) => {
  await shell.run('create /t; create /t/a new; create /t/b; create /copy; create /copy/a old');
  await shell.run('create /copy/b; create /copy/gone');
  const client = await shell.session.ready();
  const setData = client.setData.bind(client);
  const remove = client.delete.bind(client);
  client.setData = async (path, data, version) => {
    await setData(path, Buffer.from('theirs'));
    return setData(path, data, version);
  };
  client.delete = async (path, version) => {
    await setData(path, Buffer.from('theirs'));
    return remove(path, version);
  };
  const { error } = await shell.fully('sync-tree --delete --yes /t /copy');
  assert.equal([error?.code, error?.exitCode], ['PARTIAL', 9]);
  assert.match(error?.sentence ?? '', /\/copy\/a \(BADVERSION\), \/copy\/gone \(BADVERSION\)/);
  assert.is(await shell.run('get /copy/a; get /copy/gone'), 'theirs\ntheirs\n');
});

test('the prompt asks a question, and "no" changes nothing', async () => {
  const server = await startBundled();
  const shell = makeServedShell(server.connectString, 'builtin', { isInteractive: true });
  try {
    await shell.run('create /t 1; create /copy 2');
    for (let i = 0; i < 7; i++) await shell.run(`create /copy/n${i}`);
    const { error } = await shell.fully('sync-tree --delete /t /copy');
    assert.is(error?.code, 'REFUSED');
    assert.is(
      shell.questions[0],
      `Delete 7 znodes that exist only in the target: ${[0, 1, 2, 3, 4].map((i) => `/copy/n${i}`).join(', ')} and 2 more?`,
    );
    assert.is(await shell.run('get /copy'), '2\n');
    shell.answers.push(true);
    await shell.run('sync-tree --delete /t /copy');
    assert.is(await shell.run('diff /t /copy'), '');
  } finally {
    await shell.close();
    await server.close();
  }
});

test('between clusters and from dumps, and never from an incomplete one', async () => {
  const [here, there] = await Promise.all([startBundled(), startBundled()]);
  const shell = makeServedShell(here.connectString);
  const other = makeServedShell(there.connectString);
  const home = makeTempDir();
  try {
    await plant(shell);
    const place = `zk://${there.connectString}/t`;
    await shell.run(`sync-tree /t ${place}; diff /t ${place}`);
    await other.run('create /t/more; set /t/empty x');
    await shell.run(`sync-tree --delete --yes ${place} /t2; diff ${place} /t2`);
    for (const format of ['ndjson', 'json', 'yaml', 'dir']) {
      const dump = join(home.path, format);
      await shell.run(`dump --format ${format} --to ${dump} /t`);
      await other.fully('create /t/more');
      await shell.run(`sync-tree --delete --yes @${dump} ${place}; diff /t ${place}`);
      const lines = format === 'dir' ? join(dump, 'znodes.ndjson') : dump;
      truncateSync(lines, 1000);
      const { error } = await shell.fully(`sync-tree --delete --yes @${dump} ${place}`);
      assert.is(error?.code, 'BADDUMP');
      assert.is(await shell.run(`diff /t ${place}`), '');
    }
  } finally {
    await Promise.all([shell.close(), other.close()]);
    await Promise.all([here.close(), there.close()]);
    home.remove();
  }
});

test('a source that is partly unreadable keeps the whole target', async () => {
  const server = await startBundled();
  const shell = makeServedShell(server.connectString);
  try {
    await shell.run('create /t; create /t/a; setAcl --force /t/a world:anyone:a; create /copy');
    await shell.run('create /copy/a; create /copy/b');
    const { error } = await shell.fully('sync-tree --delete --yes /t /copy');
    assert.equal([error?.code, error?.exitCode], ['PARTIAL', 9]);
    assert.is(await shell.run('ls /copy'), '[a, b]\n');
  } finally {
    await shell.close();
    await server.close();
  }
});

test('nested trees, dumps as targets, and missing parents are refused', async () => {
  const server = await startBundled();
  const shell = makeServedShell(server.connectString);
  try {
    await shell.run('create /t; create /t/a');
    for (const places of ['/t /t/a', '/t/a /t', '/t /t', '/t @file']) {
      assert.is((await shell.fully(`sync-tree ${places}`)).error?.exitCode, 64, places);
    }
    assert.is((await shell.fully('sync-tree --yes /t /u')).error?.exitCode, 64);
    assert.is((await shell.fully('sync-tree /t /zookeeper/quota')).error?.code, 'GUARDED');
    assert.is((await shell.fully('sync-tree /t /nope/u')).error?.exitCode, 4);
    assert.is((await shell.fully('sync-tree /nope /u')).error?.exitCode, 4);
    assert.is((await shell.fully('ls /u')).error?.exitCode, 4);
    await shell.run('create -e /e; create /copy');
    const readOnly = makeServedShell(server.connectString, 'builtin', { isReadOnly: true });
    assert.is((await readOnly.fully('sync-tree /t /copy')).error?.code, 'READONLY');
    await readOnly.close();
  } finally {
    await shell.close();
    await server.close();
  }
});

test.run();
