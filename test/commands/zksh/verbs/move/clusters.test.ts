// Copies from one cluster to another, and comparisons of two.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundled } from '../../../../support/bundled.js';
import { makeServedShell } from '../../../../support/terminal/served-shell.js';
import { plant } from './plant.js';

test('a copy to another cluster, and a comparison with it', async () => {
  const [here, there] = await Promise.all([startBundled(), startBundled()]);
  const shell = makeServedShell(here.connectString);
  const other = makeServedShell(there.connectString);
  try {
    await plant(shell);
    await other.run('create /in');
    const place = `zk://${there.connectString}/in/copy`;
    assert.match(await shell.run(`cp -R /t ${place}`), /^Copied 23 znodes, /);
    assert.is(await shell.run(`diff /t ${place}`), '');
    await other.run('set /in/copy changed');
    assert.equal((await shell.fully(`diff -q /t ${place}`)).text, '');
    assert.equal((await shell.fully(`diff -q /t ${place}`)).error?.code, 'DIFFERENT');
    assert.match(
      await other.run(`cp -R zk://${here.connectString}/t/names /n`),
      /^Copied 16 znodes, /,
    );
  } finally {
    await Promise.all([shell.close(), other.close()]);
    await Promise.all([here.close(), there.close()]);
  }
});

test('a password goes only to the servers that it was given for', async () => {
  const [here, there] = await Promise.all([startBundled(), startBundled()]);
  const auth = [{ scheme: 'digest', auth: 'ann:secret' }];
  const shell = makeServedShell(here.connectString, 'builtin', { auth });
  const other = makeServedShell(there.connectString, 'builtin', { auth });
  try {
    await other.run('create /mine x auth::cdrwa');
    const place = `zk://${there.connectString}/mine`;
    assert.is((await shell.fully(`cp ${place} /copy`)).error?.exitCode, 8);
    await shell.run(`cp --send-auth ${place} /copy; diff --send-auth ${place} /copy`);
  } finally {
    await Promise.all([shell.close(), other.close()]);
    await Promise.all([here.close(), there.close()]);
  }
});

test.run();
