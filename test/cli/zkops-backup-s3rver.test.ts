// conformance: runs against Apache's server, too.
import { spawn } from 'node:child_process';
import { readdirSync, rmSync, truncateSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { WORDS } from '../../src/fourlw/index.js';
import { withAws } from '../commands/zkops/backup/s3-world.js';
import { makeDir } from '../server/node/storage/make-dir.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { SteadyWriters } from '../support/peers/steady-writers.js';
import { waitFor } from '../support/wait-for.js';

const ZKOPS = fileURLToPath(new URL('../../bin/zkops.cjs', import.meta.url));
const TARGET = 's3://bucket/zk/one';
/** The only account of s3rver. */
const KEY = 'S3RVER';

interface S3rver {
  readonly httpServer: Server;
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

// The package has no types.
const Store: new (options: Readonly<Record<string, unknown>>) => S3rver = createRequire(
  import.meta.url,
)('@20minutes/s3rver');

interface World {
  readonly home: string;
  /** Called with each request before the store answers it. */
  readonly onRequest: (listener: (request: IncomingMessage) => void) => void;
}

/** A store with an empty bucket, whose credentials are in the environment of this process. */
async function withStore(use: (world: World) => Promise<void>): Promise<void> {
  const home = makeTempDir('s3rver');
  const store = new Store({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(home.path, 'store'),
    vhostBuckets: false,
    configureBuckets: [{ name: 'bucket' }],
  });
  const { port } = await store.run();
  const url = `http://127.0.0.1:${port}`;
  const aws = {
    AWS_ENDPOINT_URL_S3: url,
    AWS_ACCESS_KEY_ID: KEY,
    AWS_SECRET_ACCESS_KEY: KEY,
    TMPDIR: home.path,
  };
  const onRequest: World['onRequest'] = (listener) =>
    void store.httpServer.prependListener('request', listener);
  try {
    await withAws(aws, () => use({ home: home.path, onRequest }));
  } finally {
    await store.close();
    home.remove();
  }
}

/** With the variables of this process. */
function backup(...args: readonly string[]) {
  return watchProcess(
    spawn(process.execPath, [ZKOPS, 'backup', ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

async function ended(...args: readonly string[]) {
  const run = backup(...args);
  return { exitCode: await run.ended, output: run.output() };
}

/** One txn of every 128, by zxid. Before the first one the answer of the member is empty. */
async function digestsOf(port: number): Promise<readonly [bigint, bigint][]> {
  const text = await askWord({ host: '127.0.0.1', port }, 'hash').catch(() => '');
  return WORDS.hash.parse(`${text}`).digests.map(({ zxid, digest }) => [zxid, digest]);
}

/** Ends `run` by SIGKILL while the store receives a part of a log that is not the first one. */
function killInPut({ onRequest }: World, run: ReturnType<typeof backup>): void {
  let puts = 0;
  onRequest(({ method, url = '' }) => {
    if (method !== 'PUT' || !url.includes('/log.')) return;
    puts++;
    if (puts === 2) run.process.kill('SIGKILL');
  });
}

test('a backup in s3rver survives a kill, has one writer, and restores to a zxid', () =>
  withStore(async (world) => {
    const [member, spool] = [join(world.home, 'data'), join(world.home, 'spool')];
    const server = await startBundled({ dataDir: member, config: { preAllocSize: '64' } });
    const writers = await SteadyWriters.start(server.connectString, 8);
    try {
      const to = ['run', member, '--to', TARGET, '--spool'];
      const killed = backup(...to, spool, '--interval', '20');
      killInPut(world, killed);
      assert.is(await killed.ended, null, killed.output());
      const second = await ended(...to, join(world.home, 'other'), '--once');
      assert.is(second.exitCode, 3, second.output);
      assert.match(second.output, 'another backup writes to it: process');
      const [zxid, digest] = await waitFor('a digest of the member', async () => {
        const [oldest] = await digestsOf(server.port);
        return oldest;
      });
      await writers.close();
      const resumed = await ended(...to, spool, '--once');
      assert.is(resumed.exitCode, 0, resumed.output);
      assert.match(resumed.output, ' 0 snapshots and ');
      const folder = join(world.home, 'restored');
      const at = `0x${zxid.toString(16)}`;
      const restored = await ended('restore', TARGET, '--at', at, '--to', folder);
      assert.is(restored.exitCode, 0, restored.output);
      const { tree } = (await makeDir(folder).recover()).database;
      assert.equal([tree.lastProcessedZxid, tree.digest.value], [zxid, digest]);
      // The disk of the spool folder loses most of it.
      const files = join(spool, 'version-2');
      for (const name of readdirSync(files)) truncateSync(join(files, name), 100);
      rmSync(join(files, readdirSync(files)[0] ?? ''));
      const healed = await ended(...to, spool, '--once', '--keep-time', '1ms');
      assert.is(healed.exitCode, 0, healed.output);
      const again = await ended('restore', TARGET, '--dry-run');
      assert.is(again.exitCode, 0, again.output);
    } finally {
      await writers.close();
      await server.close();
    }
  }));

test('s3rver refuses a wrong secret', () =>
  withStore(() =>
    withAws({ ...process.env, AWS_SECRET_ACCESS_KEY: 'wrong' }, async () => {
      const { exitCode, output } = await ended('status', TARGET);
      assert.is(exitCode, 3);
      assert.match(output, 'SignatureDoesNotMatch (HTTP status 403)');
    }),
  ));

test.run();
