/** The AdminServer's restore over HTTP, and the data directory after it. */
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import { DIGEST_VERSION } from '../../../../src/files/digest.js';
import { writeSnapshot } from '../../../../src/files/snapshot.js';
import { CreateModes } from '../../../../src/protocol/create-mode.js';
import type { RunningServer } from '../../../../src/server/main.js';
import type { ServerReport } from '../../../../src/server/node/log/logger.js';
import { sourceOf } from '../../../../src/server/persistence/snapshot-source.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';
import { TreeWorld } from '../../tree/tree-world.js';
import {
  ADMIN,
  type Answer,
  AS_ROOT,
  namesBelowRoot,
  restore,
  snapshot,
} from '../storage/restore-world.js';

interface World {
  readonly server: RunningServer;
  readonly client: ZooKeeper;
  readonly dataDir: string | undefined;
  readonly adminPort: number;
  readonly reports: ServerReport[];
}

async function withServer(
  run: (world: World) => Promise<void>,
  config: Readonly<Record<string, string>> = {},
  isKept = true,
): Promise<void> {
  const home = makeTempDir('restore');
  const dataDir = isKept ? join(home.path, 'data') : undefined;
  const reports: ServerReport[] = [];
  const server = await startBundled({
    ...(dataDir === undefined ? {} : { dataDir }),
    config: { ...ADMIN, ...config },
    onReport: (report) => reports.push(report),
  });
  const client = new ZooKeeper({ connectString: server.connectString });
  try {
    await client.connect();
    await run({ server, client, dataDir, adminPort: server.adminPort ?? 0, reports });
  } finally {
    await client.close();
    await server.close();
    home.remove();
  }
}

const EPHEMERAL = { mode: CreateModes.EPHEMERAL };

test('a snapshot is restored whole, and the server continues from it', async () => {
  await withServer(async ({ client, server, adminPort, reports, dataDir = '' }) => {
    await client.create('/kept', Buffer.from('data'));
    await client.create('/own', null, EPHEMERAL);
    const bytes = await snapshot(adminPort);
    await client.create('/later');
    await client.delete('/kept');
    const { status, json } = await restore(adminPort, bytes);
    assert.equal([status, json['command'], json['error']], [200, 'restore', null]);
    // The connection still exists, and so does the session with its ephemeral.
    assert.is((await client.getData('/kept')).data?.toString(), 'data');
    const kept = await client.exists('/kept');
    assert.is(await client.exists('/later'), null);
    await client.create('/after');
    assert.equal((await client.exists('/after'))?.czxid, BigInt(json['last_zxid'] as number) + 1n);
    const report = reports.find(({ kind }) => kind === 'restored');
    assert.is(report?.kind === 'restored' && report.sessions, 1);
    assert.is(
      reports.find(({ kind }) => kind === 'warning'),
      undefined,
    );
    await server.close();
    const again = await startBundled({ dataDir });
    const reader = new ZooKeeper({ connectString: again.connectString });
    try {
      await reader.connect();
      assert.equal(await namesBelowRoot(reader), ['after', 'kept', 'own', 'zookeeper']);
      assert.equal(await reader.exists('/kept'), kept);
    } finally {
      await reader.close();
      await again.close();
    }
  });
});

test('a gzipped tree of another server is restored in memory and ends its sessions', async () => {
  let bytes: Uint8Array = Buffer.alloc(0);
  await withServer(async ({ client, adminPort }) => {
    await client.create('/seed', Buffer.from('elsewhere'));
    bytes = await snapshot(adminPort);
  });
  await withServer(
    async ({ client, server, adminPort }) => {
      for (let i = 0; i < 9; i++) await client.create(`/mine-${i}`);
      assert.is((await restore(adminPort, gzipSync(bytes))).status, 200);
      // It has seen a higher zxid than the server now has, and still gets the event.
      await waitFor('the session to end', () => client.state === 'expired');
      const next = new ZooKeeper({ connectString: server.connectString });
      try {
        await next.connect();
        assert.equal(await namesBelowRoot(next), ['seed', 'zookeeper']);
      } finally {
        await next.close();
      }
    },
    {},
    false,
  );
});

test('restore checks the caller, the time, and the input, as Apache does', async () => {
  let bytes: Uint8Array = Buffer.alloc(0);
  await withServer(async ({ client, adminPort }) => {
    await client.create('/a');
    bytes = await snapshot(adminPort);
    assert.is((await restore(adminPort, bytes, { Authorization: '' })).status, 401);
    const damaged = Buffer.from(bytes);
    damaged[40] = (damaged[40] ?? 0) ^ 1;
    const cut = bytes.subarray(0, bytes.length - 30);
    // As 3.8 writes it, without the last zxid, which takes 21 bytes with its seal.
    const old = bytes.subarray(0, bytes.length - 21);
    for (const body of [Buffer.from('no snapshot'), damaged, cut, old, Buffer.alloc(0)]) {
      const { status, json } = await restore(adminPort, body);
      assert.is(status, 500, `${json['error']}`);
      assert.match(`${json['error']}`, 'unusable snapshot');
    }
    const get = await fetch(`http://127.0.0.1:${adminPort}/commands/restore`, { headers: AS_ROOT });
    assert.is(get.status, 405);
    // None of these attempts changed anything.
    assert.ok(await client.exists('/a'));
    const monitor = await fetch(`http://127.0.0.1:${adminPort}/commands/monitor`);
    assert.is(((await monitor.json()) as Answer['json'])['restore_error_count'], 5);
  });
  await withServer(
    async ({ adminPort }) => {
      const [first, second] = [await restore(adminPort, bytes), await restore(adminPort, bytes)];
      assert.equal([first.status, second.status], [200, 429]);
    },
    { 'admin.rateLimiterIntervalInMS': '300000' },
  );
  for (const [name, expected] of [
    ['admin.restore.enabled', 503],
    ['serializeLastProcessedZxid.enabled', 500],
  ] as const) {
    await withServer(
      async ({ adminPort }) => assert.is((await restore(adminPort, bytes)).status, expected),
      { [name]: 'false' },
    );
  }
});

test('only one restore runs at a time, and one whose sender disconnects changes nothing', async () => {
  await withServer(async ({ client, adminPort }) => {
    await client.create('/a');
    const bytes = await snapshot(adminPort);
    const place = { host: '127.0.0.1', port: adminPort, path: '/commands/restore' };
    const slow = request({ ...place, method: 'POST', headers: AS_ROOT });
    slow.on('error', () => undefined);
    slow.write(bytes.subarray(0, 50));
    await waitFor('the first to begin', async () => {
      const { status, json } = await restore(adminPort, Buffer.alloc(0));
      if (status === 503) assert.match(`${json['error']}`, 'another restore');
      return status === 503;
    });
    slow.destroy();
    await waitFor('the first to end', async () => {
      return (await restore(adminPort, bytes)).status === 200;
    });
    assert.ok(await client.exists('/a'));
  });
});

test('a tree whose digest does not match is accepted, as by Apache, and logged', async () => {
  const { tree } = new TreeWorld();
  const zxid = tree.lastProcessedZxid;
  const source = sourceOf({ tree, sessions: [], zxid }, true);
  const digest = { zxid, version: DIGEST_VERSION, digest: tree.digest.value + 1n };
  const bytes = Buffer.concat([...writeSnapshot({ ...source, digest })]);
  await withServer(async ({ adminPort, reports }) => {
    assert.is((await restore(adminPort, bytes)).status, 200);
    const warnings = reports.flatMap((report) =>
      report.kind === 'warning' ? [report.message] : [],
    );
    assert.match(warnings.join(), 'its tree never existed');
  });
});

test('writes continue during restores, each answered by the old or the new tree', async () => {
  await withServer(async ({ client, adminPort }) => {
    await client.create('/n', Buffer.from('0'));
    const bytes = await snapshot(adminPort);
    let isOver = false;
    let written = 0;
    const writer = async (): Promise<void> => {
      for (; !isOver; written++) await client.setData('/n', Buffer.from(`${written}`));
    };
    const writing = Promise.all(Array.from({ length: 8 }, writer));
    for (let i = 0; i < 5; i++) {
      const before = written;
      await waitFor('more writes', () => written > before + 20);
      assert.is((await restore(adminPort, bytes)).status, 200);
    }
    isOver = true;
    await writing;
    const { stat } = await client.getData('/n');
    await client.setData('/n', null);
    assert.is((await client.exists('/n'))?.version, stat.version + 1);
  });
});

test.run();
