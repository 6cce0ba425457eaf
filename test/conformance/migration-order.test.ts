/** A migration out of order: the second server starts while the first one still runs. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest, spawnJava, startOracle } from '../support/apache/oracle.js';
import { runZkserver, spawnBundled } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { withClient } from '../support/peers/seat-client.js';

/** Names and hashes of snapshots and logs. */
function filesOf(dataDir: string): readonly string[] {
  const folder = join(dataDir, 'version-2');
  return readdirSync(folder)
    .filter((name) => /^(snapshot|log)\./.test(name))
    .toSorted()
    .map(
      (name) =>
        `${name} ${createHash('sha1')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    );
}

const kept = (port: number) =>
  withClient({ connectString: `127.0.0.1:${port}` }, async (client) => {
    const { data } = await client.getData('/kept');
    return data?.toString();
  });

const keep = (port: number) =>
  withClient({ connectString: `127.0.0.1:${port}` }, (client) =>
    client.create('/kept', Buffer.from('kept')),
  );

function configOf(folder: string, dataDir: string, port: number): string {
  const file = join(folder, 'zoo.cfg');
  writeFileSync(
    file,
    `dataDir=${dataDir}\nclientPort=${port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n`,
  );
  return file;
}

oracleTest(
  "zkserver beside Apache's running server names the next step, and changes nothing",
  async () => {
    const folder = makeTempDir('order');
    const oracle = await startOracle({ dataDir: join(folder.path, 'data') });
    const refusal = async (port: number) => {
      const before = filesOf(oracle.dataDir);
      const file = configOf(folder.path, oracle.dataDir, port);
      const { ended, output } = runZkserver(['start-foreground', file]);
      const status = await ended;
      assert.equal(filesOf(oracle.dataDir), before);
      return { status, output: output() };
    };
    try {
      // It opens its log with the first write, so until then only the port shows that it runs.
      const idle = await refusal(oracle.port);
      assert.is(idle.status, 5, idle.output);
      assert.match(
        idle.output,
        /cannot listen for clients: in use .* Stop the server that uses it/,
      );
      await keep(oracle.port);
      for (const port of [oracle.port, await freePort()]) {
        const { status, output } = await refusal(port);
        assert.is(status, 4, output);
        assert.match(output, `process ${oracle.pid()} (java) has it open for writing`);
        assert.match(output, 'Stop that server first, or use another folder');
      }
      assert.is(await kept(oracle.port), 'kept');
    } finally {
      await oracle.close();
      folder.remove();
    }
  },
);

oracleTest("Apache's server beside the running zkserver ends, and changes nothing", async () => {
  const folder = makeTempDir('order');
  const dataDir = join(folder.path, 'data');
  const server = await spawnBundled(dataDir);
  try {
    await keep(server.port);
    const before = filesOf(dataDir);
    const file = configOf(folder.path, dataDir, server.port);
    const apache = watchProcess(
      spawnJava(['org.apache.zookeeper.server.quorum.QuorumPeerMain', file]),
    );
    assert.is.not(await apache.ended, 0);
    assert.match(apache.output(), /already in use/);
    assert.equal(filesOf(dataDir), before);
    assert.is(await kept(server.port), 'kept');
  } finally {
    await server.stop('SIGKILL');
    folder.remove();
  }
});

test.run();
