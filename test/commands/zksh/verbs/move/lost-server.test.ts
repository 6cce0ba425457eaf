// A copy that is interrupted reports its progress and can resume later.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundled } from '../../../../support/bundled.js';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { startProxy } from '../../../../support/peers/proxy.js';
import { makeServedShell } from '../../../../support/terminal/served-shell.js';
import { waitFor } from '../../../../support/wait-for.js';

test('a restore that loses its server reports its progress, and resumes', async () => {
  const home = makeTempDir();
  const server = await startBundled();
  const proxy = await startProxy(server.port);
  const shell = makeServedShell(server.connectString);
  const far = makeServedShell(proxy.connectString);
  try {
    const client = await shell.session.ready();
    await client.create('/t', null);
    await Promise.all(
      Array.from({ length: 2000 }, (_, i) => client.create(`/t/n${i}`, Buffer.alloc(50))),
    );
    const dump = join(home.path, 'dump');
    await shell.run(`dump --to ${dump} /t`);
    await far.session.ready();
    // No response arrives, so that it is certainly incomplete.
    proxy.stall();
    const restoring = far.fully(`restore --resume ${dump} /copy`);
    await waitFor('the copy to begin', async () => (await client.exists('/copy')) !== null);
    proxy.refuse();
    const { error } = await restoring;
    assert.equal([error?.code, error?.exitCode], ['CONNECTIONLOSS', 3]);
    assert.match(
      error?.sentence ?? '',
      /^connection lost after \d+ znodes; up to 64 more may have been written$/,
    );
    assert.match(await shell.run(`restore --resume --verify ${dump} /copy`), /, verified\n$/);
  } finally {
    await Promise.all([shell.close(), far.close()]);
    await proxy.close();
    await server.close();
    home.remove();
  }
});

test('an interrupted dump exits with 130, and resumes', async () => {
  const home = makeTempDir();
  const server = await startBundled();
  const shell = makeServedShell(server.connectString);
  const abort = new AbortController();
  const stopped = makeServedShell(server.connectString, 'builtin', { signal: abort.signal });
  try {
    const client = await shell.session.ready();
    await client.create('/t', null);
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => client.create(`/t/n${i}`, Buffer.alloc(500))),
    );
    const file = join(home.path, 'dump');
    const inner = await stopped.session.ready();
    const getData = inner.getData.bind(inner);
    inner.getData = (path, options) => {
      if (path !== '/t/n50') return getData(path, options);
      abort.abort();
      return Promise.reject(new Error('no one waits for it'));
    };
    const { error } = await stopped.fully(`dump --to ${file} /t`);
    assert.equal([error?.code, error?.exitCode], ['INTERRUPTED', 130]);
    assert.is((await shell.fully(`restore ${file} /copy`)).error?.code, 'BADDUMP');
    assert.match(await shell.run(`dump --resume --to ${file} /t`), /^Dumped 101 znodes, /);
    assert.is(await shell.run(`diff @${file} /t`), '');
  } finally {
    await Promise.all([shell.close(), stopped.close()]);
    await server.close();
    home.remove();
  }
});

test.run();
