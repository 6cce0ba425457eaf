// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundled } from '../../../../support/bundled.js';
import { makeServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';

serverTest('quotas are set, shown, and removed', async (shell) => {
  await shell.run('create /q; create /q/child four');
  assert.is(
    await shell.run('setquota -n 4 -B 100 /q', 'raw'),
    '/q\tznodes\t2\t4\t\t50\n/q\tbytes\t4\t\t100\t4\n',
  );
  assert.is(
    await shell.run('get /zookeeper/quota/q/zookeeper_limits'),
    'count=4,bytes=-1=;byteHardLimit=100;countHardLimit=-1\n',
  );
  assert.match(
    await shell.run('setquota -N 1 /q'),
    /^\[Warning\]: the count quota you create is less than the existing count:2\n/,
  );
  const nested = await shell.fully('setquota -n 1 /q/child');
  assert.equal([nested.error?.code, nested.error?.exitCode], ['QUOTACONFLICT', 1]);
  await shell.run('delquota -B /q');
  assert.match(
    await shell.run('listquota /q', 'raw'),
    /^\/q\tznodes\t2\t4\t1\t.*\n\/q\tbytes\t4\t\t\t\n$/,
  );
  await shell.run('delquota /q');
  assert.is(await shell.run('ls /zookeeper/quota'), '[]\n');
  for (const verb of ['listquota', 'delquota']) {
    assert.equal((await shell.fully(`${verb} /q`)).error?.exitCode, 4);
  }
  assert.is((await shell.fully('setquota -n 1 /nope')).error?.exitCode, 4);
});

test('bad quotas are refused before anything is sent', async () => {
  const shell = makeServedShell('127.0.0.1:1');
  for (const line of [
    'setquota /a',
    'setquota -n 0 /a',
    'setquota -n x /a',
    'setquota -n 1 /',
    'setquota -n 1 /zookeeper/quota',
    'reconfig',
    'reconfig --add x --members y',
    'reconfig --remove zk1',
    "reconfig --add 'x' --version z",
  ]) {
    assert.is((await shell.fully(line)).error?.exitCode, 64, line);
  }
});

test('a chroot hides quotas, and an error says so', async () => {
  const server = await startBundled();
  const shell = makeServedShell(`${server.connectString}/app`);
  try {
    assert.equal((await shell.fully('listquota /x')).error?.code, 'CHROOT');
  } finally {
    await shell.close();
    await server.close();
  }
});

serverTest('reconfig reports that the servers refuse it', async (shell) => {
  const { error } = await shell.fully('reconfig --remove 3');
  assert.is(error?.code, 'RECONFIGDISABLED');
});

test.run();
