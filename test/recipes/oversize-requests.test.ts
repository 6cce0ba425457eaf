// Requests and replies above a limit cost a connection each, so no recipe repeats them for ever.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { ZooKeeperError } from '../../src/client/base/errors.js';
import { mkdirp, openTreeCache } from '../../src/client/index.js';
import { createClient } from '../../src/client/zookeeper.js';
import { PersistentNode } from '../../src/recipes/groups/persistent-node.js';
import { Lock } from '../../src/recipes/locks/lock.js';
import { Queue } from '../../src/recipes/queues/queue.js';
import { Configuration } from '../../src/recipes/values/configuration.js';
import { startBundled } from '../support/bundled.js';
import { startStrictRelay } from '../support/peers/strict-relay.js';
import { failureOf, inWorld, type World } from './world.js';

const MAX_REPLY = 2000;
/** Above the jute.maxbuffer of a server. */
const LONG = Buffer.alloc(1_100_000);
const TRIES = 3;

function worldTest(name: string, run: (world: World) => Promise<void>, isStrict = false): void {
  test(name, async () => {
    const server = await startBundled();
    const relay = isStrict ? await startStrictRelay(server.port) : null;
    const create = (options: Parameters<typeof createClient>[0]) =>
      createClient({ ...options, maxFrameLength: MAX_REPLY });
    try {
      await inWorld((relay ?? server).port, run, create);
    } finally {
      await relay?.close();
      await server.close();
    }
  });
}

function countLosses(client: ZooKeeperClient): () => number {
  let losses = 0;
  client.on('state', (state) => {
    if (state === 'disconnected') losses++;
  });
  return () => losses;
}

type Call = readonly [
  name: string,
  run: (client: ZooKeeperClient, path: string) => Promise<unknown>,
];

const REPLIES: readonly Call[] = [
  ['lock', (client, path) => new Lock(client, path).acquire()],
  ['queue', (client, path) => new Queue(client, path).take()],
  ['cache', (client, path) => openTreeCache(client, path)],
];

worldTest('a reply above maxFrameLength ends the call with its length', async (world) => {
  await mkdirp(world.observer, world.path);
  for (let i = 0; i < 30; i++) {
    await world.observer.create(`${world.path}/${'x'.repeat(100)}-${i}`);
  }
  for (const [name, run] of REPLIES) {
    const client = await world.client();
    const losses = countLosses(client);
    const failure = await failureOf(run(client, world.path));
    assert.instance(failure, ZooKeeperError, name);
    assert.ok(Number(Object(failure).oversizeReplyBytes) > MAX_REPLY, name);
    assert.match(
      failure.message,
      /: the reply of \d+ bytes exceeds the client.s option maxFrameLength/,
    );
    assert.is(losses(), 1, name);
  }
});

const REQUESTS: readonly Call[] = [
  ['put', (client, path) => new Queue(client, path).put(LONG)],
  ['create', (client, path) => new Configuration(client, path).create(LONG)],
  ['open', (client, path) => PersistentNode.open(client, path, { data: LONG })],
];

worldTest(
  'a request at which a server closes the connection ends after a few tries',
  async (world) => {
    for (const [name, run] of REQUESTS) {
      const client = await world.client();
      const losses = countLosses(client);
      const failure = await failureOf(run(client, `${world.path}/${name}`));
      assert.match(failure.message, /: the request of \d+ bytes exceeds jute\.maxbuffer/, name);
      assert.is(losses(), TRIES, name);
    }
  },
  true,
);

worldTest('a request that the server refuses for its length ends at once', async (world) => {
  for (const [name, run] of REQUESTS) {
    const client = await world.client();
    const losses = countLosses(client);
    const failure = await failureOf(run(client, `${world.path}/${name}`));
    assert.match(
      failure.message,
      /: the request of \d+ bytes exceeds the server's jute\.maxbuffer/,
    );
    assert.is(losses(), 0, name);
  }
});

test.run();
