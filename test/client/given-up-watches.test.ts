// A caller that gives up a read leaves no watch, although the server may have set it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  AddWatchMode,
  type CallOptions,
  createClient,
  type Watcher,
  type ZooKeeperClient,
} from '../../src/client/index.js';
import { failureOf } from '../recipes/world.js';
import { startBundled } from '../support/bundled.js';
import { startProxy, type TestProxy } from '../support/peers/proxy.js';
import { waitFor } from '../support/wait-for.js';
import { noWatchLeft, watchCount } from '../support/watch-counts.js';

type Read = (client: ZooKeeperClient, watch: Watcher, call: CallOptions) => Promise<unknown>;

const READS: Readonly<Record<string, Read>> = {
  getData: (client, watch, call) => client.getData('/a', { watch, ...call }),
  exists: (client, watch, call) => client.exists('/a', { watch, ...call }),
  'exists of a missing znode': (client, watch, call) => client.exists('/none', { watch, ...call }),
  getChildren: (client, watch, call) => client.getChildren('/a', { watch, ...call }),
  addWatch: (client, watch, call) => client.addWatch('/a', AddWatchMode.PERSISTENT, watch, call),
  'addWatch, recursive': (client, watch, call) =>
    client.addWatch('/a', AddWatchMode.PERSISTENT_RECURSIVE, watch, call),
};

interface Stage {
  readonly port: number;
  readonly proxy: TestProxy;
  readonly client: ZooKeeperClient;
  readonly other: ZooKeeperClient;
}

async function onStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  const server = await startBundled();
  const proxy = await startProxy(server.port);
  const client = createClient({ connectString: proxy.connectString });
  const other = createClient({ connectString: server.connectString });
  try {
    await Promise.all([client.connect(), other.connect()]);
    await other.create('/a', 'was');
    await run({ port: server.port, proxy, client, other });
  } finally {
    await client.close();
    await other.close();
    await proxy.close();
    await server.close();
  }
}

/** Gives the read up after the server has set the watch, and before its reply comes. */
async function givenUp(read: Read, stage: Stage): Promise<void> {
  const { port, proxy, client } = stage;
  const limit = new AbortController();
  proxy.stall();
  const failure = failureOf(read(client, () => undefined, { signal: limit.signal }));
  await waitFor('the watch', async () => (await watchCount(port)) > 0);
  limit.abort();
  assert.is((await failure).code, 'ABORT_ERR');
  proxy.mend();
}

for (const [name, read] of Object.entries(READS)) {
  test(`${name} that was given up leaves no watch`, () =>
    onStage(async (stage) => {
      await givenUp(read, stage);
      await noWatchLeft(stage.port, stage.client);
    }));
}

test('a read that was given up leaves the watch of another part of the program', () =>
  onStage(async (stage) => {
    const { client, other, proxy, port } = stage;
    const events: string[] = [];
    const limit = new AbortController();
    proxy.stall();
    const kept = client.getData('/a', { watch: ({ type }) => events.push(type) });
    const failure = failureOf(
      client.exists('/a', { watch: () => events.push('wrong'), signal: limit.signal }),
    );
    await waitFor('the watch', async () => (await watchCount(port)) > 0);
    limit.abort();
    assert.is((await failure).code, 'ABORT_ERR');
    proxy.mend();
    await kept;
    await client.sync('/a');
    await other.setData('/a', 'is');
    await waitFor('the event', () => events.length > 0);
    assert.equal(events, ['NodeDataChanged']);
  }));

test('a watcher that is removed takes no watch of another watcher along', () =>
  onStage(async ({ client, other, port }) => {
    const events: string[] = [];
    const [first, second] = ['first', 'second'].map(
      (name): Watcher =>
        () =>
          events.push(name),
    );
    if (first === undefined || second === undefined) throw new Error('two watchers');
    await client.getData('/a', { watch: first });
    await client.getData('/a', { watch: second });
    await client.removeWatches('/a', 2, true, { watcher: first });
    const again = await failureOf(client.removeWatches('/a', 2, true, { watcher: first }));
    assert.is(again.code, 'NOWATCHER');
    await other.setData('/a', 'is');
    await waitFor('the event', () => events.length > 0);
    assert.equal(events, ['second']);
    await noWatchLeft(port, client);
  }));

test.run();
