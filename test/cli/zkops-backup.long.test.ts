// conformance: runs against Apache's server, too.
/** A backup of an ensemble under load, interrupted and continued, restores to any moment. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { createClient } from '../../src/client/index.js';
import { WORDS } from '../../src/fourlw/index.js';
import { startEnsemble } from '../../src/server/main.js';
import { callTask, taskJson } from '../commands/zkops/call-task.js';
import { makeDir } from '../server/node/storage/make-dir.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { SteadyWriters } from '../support/peers/steady-writers.js';
import { Random } from '../support/random.js';
import { waitFor } from '../support/wait-for.js';

const MOMENTS = 20;

/** The digests that a member keeps: one of every 128 txns. */
async function digestsOf(port: number): Promise<ReadonlyMap<bigint, bigint>> {
  // Before the first digest the answer is empty.
  const answer = await askWord({ host: '127.0.0.1', port }, 'hash').catch(() => '');
  const text = `${answer}`;
  return new Map(WORDS.hash.parse(text).digests.map(({ zxid, digest }) => [zxid, digest]));
}

/** A backup in this process, until `stop`. */
function startBackup(dataDir: string, to: string) {
  const control = new AbortController();
  const args = ['backup', 'run', dataDir, '--to', to, '--interval', '20'];
  const ended = callTask(args, { signal: control.signal });
  return {
    stop: async () => {
      control.abort();
      return ended;
    },
  };
}

async function lastOf(to: string): Promise<bigint> {
  const { totals } = await taskJson(['backup', 'status', to]);
  return BigInt(String(totals['last']));
}

test('a backup under load restores to random moments with the digest of the ensemble', async () => {
  const home = makeTempDir('backup');
  const to = join(home.path, 'kept');
  const ensemble = await startEnsemble({
    dir: join(home.path, 'zk'),
    config: {
      '4lw.commands.whitelist': '*',
      'admin.enableServer': 'false',
      snapCount: '700',
      preAllocSize: '64',
    },
  });
  try {
    const [first, second] = ensemble.members;
    const dataDir = second?.dataDir ?? '';
    let backup = startBackup(dataDir, to);
    const writers = await SteadyWriters.start(ensemble.connectString, 8);
    const digests = new Map<bigint, bigint>();
    const collect = async (count: number) => {
      await waitFor(
        `${count} digests`,
        async () => {
          for (const [zxid, digest] of await digestsOf(first?.port ?? 0)) digests.set(zxid, digest);
          return digests.size >= count;
        },
        120_000,
      );
    };
    await collect(15);
    assert.is((await backup.stop()).exitCode, 0);
    await collect(20);
    backup = startBackup(dataDir, to);
    await collect(40);
    await writers.close();
    const newest = [...digests.keys()].reduce((a, b) => (a > b ? a : b));
    await waitFor('the backup to catch up', async () => (await lastOf(to)) >= newest, 30_000);
    const ended = await backup.stop();
    assert.is(ended.exitCode, 0, ended.out);

    const random = new Random(18);
    const left = [...digests];
    for (let i = 0; i < MOMENTS; i++) {
      const [[zxid, digest] = [0n, 0n]] = left.splice(random.below(left.length), 1);
      const at = `0x${zxid.toString(16)}`;
      const folder = join(home.path, `at-${at}`);
      const restored = await taskJson(['backup', 'restore', to, '--at', at, '--to', folder]);
      assert.is(restored.exitCode, 0, restored.verdict.summary);
      const [row] = restored.rows;
      assert.is(row?.['check'], 'fits');
      assert.is(row?.['digest'], BigInt.asUintN(64, digest).toString(), at);
      const { tree } = (await makeDir(folder).recover()).database;
      assert.is(tree.digest.value, digest, at);
      assert.is(tree.lastProcessedZxid, zxid);
    }
  } finally {
    await ensemble.close();
    home.remove();
  }
});

oracleTest("a backup of Apache's server is restored into ours, to a time", async () => {
  const home = makeTempDir('backup');
  const to = join(home.path, 'kept');
  const oracle = await startOracle({ dataDir: join(home.path, 'apache') });
  try {
    const client = createClient({ connectString: oracle.connectString });
    await client.connect();
    await client.create('/kept', Buffer.from('first'));
    const { mtime } = await client.setData('/kept', Buffer.from('second'));
    await waitFor('the clock to go on', () => Date.now() > Number(mtime) + 5);
    await client.setData('/kept', Buffer.from('mistake'));
    const run = await callTask(['backup', 'run', oracle.dataDir, '--to', to, '--once']);
    assert.is(run.exitCode, 0, run.out);
    await client.close();
    const at = new Date(Number(mtime)).toISOString();
    const dry = await taskJson(['backup', 'restore', to, '--at', at, '--dry-run']);
    assert.is(dry.rows[0]?.['time'], at);
    assert.is(dry.rows[0]?.['check'], 'fits');
    assert.is(dry.totals['later'], 1);
    const folder = join(home.path, 'restored');
    await callTask(['backup', 'restore', to, '--at', at, '--to', folder]);
    const server = await startBundled({ dataDir: folder });
    try {
      const reader = createClient({ connectString: server.connectString });
      await reader.connect();
      assert.is(`${(await reader.getData('/kept')).data}`, 'second');
      await reader.close();
    } finally {
      await server.close();
    }
  } finally {
    await oracle.close();
    home.remove();
  }
});

test.run();
