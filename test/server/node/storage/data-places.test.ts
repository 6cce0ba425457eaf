// conformance: runs against Apache's server, too.
/** Servers refuse logs and snapshots in each other's folders: one of the folders is not theirs. */
import { mkdirSync, readdirSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../src/client/zookeeper.js';
import { ServerError } from '../../../../src/server/main.js';
import { oracleTest, startOracle } from '../../../support/apache/oracle.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

interface Places {
  readonly dataDir: string;
  readonly log: string;
  readonly empty: string;
}

/** A data directory with one log, which has a znode. */
async function withData(run: (places: Places) => Promise<void>): Promise<void> {
  const home = makeTempDir('data-places');
  const at = (name: string) => join(home.path, name);
  try {
    const server = await startBundled({ dataDir: at('data') });
    const client = createClient({ connectString: server.connectString });
    await client.connect();
    await client.create('/kept');
    await client.close();
    await server.close();
    await run({ dataDir: at('data'), log: at('log'), empty: at('empty') });
  } finally {
    home.remove();
  }
}

async function refusal(dataDir: string, dataLogDir: string): Promise<string> {
  const started = await startBundled({ dataDir, config: { dataLogDir } }).catch(
    (error: Error) => error,
  );
  if (!(started instanceof Error)) await started.close();
  assert.instance(started, ServerError);
  return (started as Error).message;
}

test('a dataLogDir that a link leads to dataDir is the same folder', async () => {
  await withData(async ({ dataDir, log }) => {
    symlinkSync(dataDir, log);
    for (const dataLogDir of [log, `${dataDir}/../data`]) {
      const server = await startBundled({ dataDir, config: { dataLogDir } });
      const client = createClient({ connectString: server.connectString });
      try {
        await client.connect();
        assert.ok(await client.exists('/kept'));
      } finally {
        await client.close();
        await server.close();
      }
    }
  });
});

test('other users of the machine cannot read the data', async () => {
  await withData(async ({ dataDir }) => {
    const folder = join(dataDir, 'version-2');
    const files = readdirSync(folder).filter((name) => /^(log|snapshot)\./.test(name));
    assert.ok(files.length >= 2, files.join());
    for (const name of files) assert.is(statSync(join(folder, name)).mode & 0o007, 0, name);
  });
});

test('a new dataLogDir does not hide the logs in dataDir', async () => {
  await withData(async ({ dataDir, log, empty }) => {
    const [snapFolder, logFolder] = [join(dataDir, 'version-2'), join(log, 'version-2')];
    const isLog = (name: string) => name.startsWith('log.');
    const logs = readdirSync(snapFolder).filter(isLog);
    const message = await refusal(dataDir, log);
    assert.match(message, `${snapFolder}: has logs (newest: ${logs.at(-1)}), but dataLogDir`);
    assert.match(message, `Move its log.* files to ${logFolder}`);
    assert.equal(readdirSync(snapFolder).filter(isLog), logs);

    mkdirSync(logFolder, { recursive: true });
    for (const name of logs) renameSync(join(snapFolder, name), join(logFolder, name));
    const server = await startBundled({ dataDir, config: { dataLogDir: log } });
    const client = createClient({ connectString: server.connectString });
    await client.connect();
    assert.ok(await client.exists('/kept'));
    await client.close();
    await server.close();

    const other = await refusal(empty, dataDir);
    assert.match(other, `${snapFolder}: has snapshots (newest: `);
    assert.match(other, `Move its snapshot.* files to ${join(empty, 'version-2')}`);
  });
});

oracleTest("Apache's server refuses them, too", async () => {
  await withData(async ({ dataDir, log, empty }) => {
    for (const [data, dataLogDir] of [
      [dataDir, log],
      [empty, dataDir],
    ] as const) {
      const started = await startOracle({ dataDir: data, config: { dataLogDir } }).catch(
        (error: Error) => error,
      );
      if (!(started instanceof Error)) await started.close();
      assert.instance(started, Error, `${data} ${dataLogDir}`);
    }
  });
});

test.run();
