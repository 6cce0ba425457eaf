/** A folder that the unit may not write, and one on a disk that is read-only. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/client/index.js';
import { runZkserver } from '../../support/bundled.js';
import { namespaceTest } from '../../support/machine/namespaces.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';

const UNIT = /The unit allows only .*--unit/;
const DISK = /The disk is read-only\. .*dmesg/;
const SERVE = /serving on .*:(\d+),/;

/** A server in a unit, on a disk of its own; `prepare` sees the disk as $0. */
async function withServer(
  prepare: string,
  use: (server: ReturnType<typeof runZkserver>, disk: string) => Promise<void>,
): Promise<void> {
  const { path, remove } = makeTempDir('sandbox');
  const script = `mount -t tmpfs disk "$0" && ${prepare} && INVOCATION_ID=1 exec "$@"`;
  const server = runZkserver(
    ['start-foreground', '0', join(path, 'zk'), '-D', 'zookeeper.admin.enableServer=false'],
    ['unshare', '--mount', 'sh', '-c', script, path],
  );
  try {
    await use(server, path);
  } finally {
    await server.stop('SIGKILL');
    remove();
  }
}

const endOf = (server: ReturnType<typeof runZkserver>) =>
  waitFor('the server to end', () => server.process.exitCode ?? undefined);

for (const [what, prepare, advice] of [
  ['the unit', 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"', UNIT],
  ['the disk', 'mount -o remount,ro "$0"', DISK],
] as const) {
  namespaceTest(`a server that ${what} does not let write says so`, () =>
    withServer(prepare, async (server) => {
      assert.is(await endOf(server), 4, server.output());
      assert.match(server.output(), advice);
    }),
  );
}

namespaceTest('a disk that becomes read-only ends the server as a full one does', () =>
  withServer('true', async (server, disk) => {
    const [, port] = await waitFor('the server to serve', () => SERVE.exec(server.output()));
    // No log is open before the first transaction.
    const inside = ['--mount', '--target', `${server.process.pid}`];
    const remount = ['mount', '-o', 'remount,ro', disk];
    const { status, stderr } = spawnSync('nsenter', [...inside, ...remount], { encoding: 'utf8' });
    assert.is(status, 0, stderr);
    const client = createClient({ connectString: `127.0.0.1:${port}` });
    client.connect().catch(() => undefined);
    try {
      assert.is(await endOf(server), 6, server.output());
      assert.match(server.output(), DISK);
      assert.not.match(server.output(), UNIT);
    } finally {
      await client.close();
    }
  }),
);

test.run();
