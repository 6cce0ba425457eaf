/** The data directory after a crash during or after a restore. */
import { copyFileSync, cpSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import { type BundledProcess, spawnBundled, startBundled } from '../../../support/bundled.js';
import { freePort } from '../../../support/machine/free-port.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { ADMIN, namesServedFrom, restore, snapshot } from './restore-world.js';

/** Kills the server and starts another on its files. */
async function killed(server: BundledProcess, dataDir: string): Promise<string[]> {
  await server.stop('SIGKILL');
  return namesServedFrom(dataDir);
}

test('after kill -9, the restored tree is there, with later acknowledged writes', async () => {
  const home = makeTempDir('restore');
  const dataDir = join(home.path, 'data');
  const adminPort = await freePort();
  const server = await spawnBundled(dataDir, { ...ADMIN, 'admin.serverPort': `${adminPort}` });
  const client = new ZooKeeper({ connectString: `127.0.0.1:${server.port}` });
  try {
    await client.connect();
    await client.create('/kept');
    const bytes = await snapshot(adminPort);
    for (let i = 0; i < 50; i++) await client.create(`/gone-${i}`);
    assert.is((await restore(adminPort, bytes)).status, 200);
    await client.create('/after');
    assert.equal(await killed(server, dataDir), ['after', 'kept', 'zookeeper']);
  } finally {
    await client.close();
    await server.stop('SIGKILL');
    home.remove();
  }
});

test('a crash during a restore leaves the old tree or the new one, never both', async () => {
  const home = makeTempDir('restore');
  const dataDir = join(home.path, 'data');
  const [folder, seed] = [join(dataDir, 'version-2'), join(home.path, 'seed')];
  const server = await startBundled({ dataDir, config: ADMIN });
  const client = new ZooKeeper({ connectString: server.connectString });
  try {
    await client.connect();
    await client.create('/old');
    const bytes = await snapshot(server.adminPort ?? 0);
    await client.create('/newest');
    await client.close();
    await server.close();
    writeFileSync(seed, bytes);
    const childrenWith = async (...names: string[]): Promise<string[]> => {
      const copy = join(home.path, 'copy');
      rmSync(copy, { recursive: true, force: true });
      cpSync(dataDir, copy, { recursive: true });
      for (const name of names) copyFileSync(seed, join(copy, 'version-2', name));
      const served = await namesServedFrom(copy);
      const left = readdirSync(join(copy, 'version-2'));
      const isOver = !left.some((name) => name.startsWith('restored.'));
      assert.ok(isOver, left.join());
      return served;
    };
    const zxid = '2';
    assert.equal(await childrenWith(`restored.${zxid}.tmp`), ['newest', 'old', 'zookeeper']);
    assert.equal(await childrenWith(`restored.${zxid}`), ['old', 'zookeeper']);
    // The old logs are removed first, and then the old snapshots.
    for (const prefix of ['log.', 'snapshot.']) {
      for (const name of readdirSync(folder)) {
        if (name.startsWith(prefix)) unlinkSync(join(folder, name));
      }
      assert.equal(await childrenWith(`restored.${zxid}`), ['old', 'zookeeper'], prefix);
    }
  } finally {
    await client.close();
    await server.close();
    home.remove();
  }
});

test.run();
