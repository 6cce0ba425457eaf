// zksh --dry-run: every command prints its changes, and sends nothing.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundled } from '../../../support/bundled.js';
import { runZksh } from '../../../support/terminal/run-zksh.js';
import { makeServedShell } from '../../../support/terminal/served-shell.js';

test('changes are printed, visible to later commands, and not sent', async () => {
  const server = await startBundled();
  const shell = makeServedShell(server.connectString, 'builtin', { isDryRun: true });
  const real = makeServedShell(server.connectString);
  try {
    await real.run('create /a hello; create /a/b; create /a/c x');
    const before = await real.run('ls -R -s /');
    for (const [line, told] of [
      ['create /n x', 'would create /n (persistent, 1 byte)\n'],
      [
        'create -p /x/y',
        'would create /x (persistent, null)\nwould create /x/y (persistent, null)\n',
      ],
      ['create -e -s /n/s-', 'would create /n/s- (ephemeral_sequential, null)\n'],
      ['set -v 0 /a xyz', 'would set /a (3 bytes)\n'],
      ['setAcl /a world:anyone:cdra', 'would setAcl /a (world:anyone:cdra)\n'],
      ["txn 'check /a 0' 'delete /a/c'", 'would delete /a/c\n'],
      [
        'cp -R /a /copy',
        'would create /copy (persistent, 5 bytes)\nwould create /copy/b (persistent, null)\nwould create /copy/c (persistent, 1 byte)\n',
      ],
      ['deleteall /a/b', 'would delete /a/b\n'],
      ['touch /[a]', 'would set /a (5 bytes)\n'],
    ] as const) {
      assert.is(await shell.run(line), told, line);
    }
    for (const [line, code] of [
      ['create /n', 5],
      ['create /none/x', 4],
      ['set -v 7 /a x', 7],
      ['delete /a/b', 4],
    ] as const) {
      assert.is((await shell.fully(line)).error?.exitCode, code, line);
    }
    assert.is(await real.run('ls -R -s /'), before);
    const run = await runZksh([
      server.connectString,
      '-n',
      '-o',
      'ndjson',
      '-c',
      'delete /a/c; get /a',
    ]);
    assert.is(
      run.stdout,
      '{"would":"delete","path":"/a/c","detail":""}\n{"path":"/a","data":"hello","encoding":"utf8"}\n',
    );
  } finally {
    await Promise.all([shell.close(), real.close()]);
    await server.close();
  }
});

test.run();
