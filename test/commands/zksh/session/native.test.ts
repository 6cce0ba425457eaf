// Verbs over Apache's C client, including those that must refuse a missing feature.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nativeTest } from '../../../conformance/clients/client-suite-native.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeServedShell, type ServedShell } from '../../../support/terminal/served-shell.js';

function shellTest(name: string, run: (shell: ServedShell) => Promise<void>): void {
  nativeTest(name, async () => {
    const server = await startBundled();
    const shell = makeServedShell(server.connectString, 'native');
    try {
      await run(shell);
    } finally {
      await shell.close();
      await server.close();
    }
  });
}

shellTest('commands read trees over the C client', async (shell) => {
  await shell.run("create /t ''; create /t/a 'one two'; create -e /t/e x; create /t/a/b ''");
  assert.is(await shell.run('tree /t'), '/t\n├── a\n│   └── b\n└── e\n');
  assert.is(await shell.run('find -t ephemeral /t'), '/t/e\n');
  assert.is(await shell.run('grep two /t'), '/t/a:one two\n');
  assert.is(await shell.run('du /t', 'raw'), '8\t4\t/t\n7\t2\t/t/a\n1\t1\t/t/e\n');
  assert.is(await shell.run('ls -l /t', 'raw').then((text) => text.split('\n').length), 3);
  assert.match(await shell.run('who /t', 'raw'), /^\/t\/e\t0x[0-9a-f]+\t127\.0\.0\.1:\d+\t/);
  await shell.run('check /t/a 0');
});

shellTest('bytes are copied, dumped, and restored over the C client', async (shell) => {
  const home = makeTempDir();
  try {
    const client = await shell.session.ready();
    const blob = randomBytes(1_000_000);
    await client.create('/a', blob);
    const dump = join(home.path, 'dump');
    await shell.run('cp --no-acl /a /b');
    await shell.run(`dump --no-acl --to ${dump} /b; restore --no-acl --verify ${dump} /c`);
    for (const path of ['/b', '/c']) assert.ok((await shell.bytes(`get ${path}`)).equals(blob));
    assert.is(await shell.run('deleteall -y /c; ls /'), 'Deleted /c\n[a, b, zookeeper]\n');
  } finally {
    home.remove();
  }
});

shellTest('an operation that the C client lacks is refused without effect', async (shell) => {
  await shell.run("create /a ''");
  for (const line of ["txn 'delete /a'", 'mv /a /b', 'dump /a', 'cp /a /b', 'getAcl /a']) {
    const { error } = await shell.fully(line);
    assert.is(error?.code, 'UNSUPPORTED', line);
    assert.match(error?.sentence ?? '', /use the built-in client/, line);
  }
  assert.is(await shell.run('ls /'), '[a, zookeeper]\n');
});

test.run();
