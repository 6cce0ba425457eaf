// The ES module copy and the CommonJS copy of the package in one process: an application and one of
// its dependencies load different copies, and pass each other clients and errors.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as esmClient from '../src/client/index.js';
import * as esmRecipes from '../src/recipes/index.js';
import { startServer } from '../src/server/main.js';
import { PROJECT_ROOT } from './support/tidy/source-file.js';

const require = createRequire(import.meta.url);
const at = (entry: string) => join(PROJECT_ROOT, 'dist/cjs', entry, 'index.js');
const cjsClient: typeof esmClient = require(at('client'));
const cjsRecipes: typeof esmRecipes = require(at('recipes'));

type Client = esmClient.SessionClient;
type Of = typeof esmClient;
interface World {
  /** Of the copy that the calls are not of. */
  readonly client: Client;
  readonly own: Of;
  readonly other: Of;
  readonly recipes: typeof esmRecipes;
}

/** Registers the test for a client of each copy in the calls of the other one. */
function suite(name: string, run: (world: World) => Promise<void>): void {
  for (const [copy, own, other, recipes] of [
    ['an ESM client in CommonJS calls', esmClient, cjsClient, cjsRecipes],
    ['a CommonJS client in ESM calls', cjsClient, esmClient, esmRecipes],
  ] as const) {
    test(`${copy}: ${name}`, async () => {
      const server = await startServer();
      const client = own.createClient({ connectString: server.connectString });
      try {
        await client.connect();
        await run({ client, own, other, recipes });
      } finally {
        await client.close();
        await server.close();
      }
    });
  }
}

const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

suite('errors are instances of both classes', async ({ client, own, other }) => {
  const missing = await failure(client.getData('/none'));
  assert.ok(missing instanceof own.ZooKeeperError);
  assert.ok(missing instanceof other.ZooKeeperError);
  const multi = await failure(client.multi([{ op: 'delete', path: '/none', version: -1 }]));
  assert.ok(multi instanceof other.MultiError);
  assert.not(new TypeError('x') instanceof other.ZooKeeperError);
  assert.not(missing instanceof other.MultiError);
});

suite('mkdirp, createIfMissing, and deleteAll', async ({ client, other }) => {
  await other.mkdirp(client, '/x/y');
  await other.createIfMissing(client, '/x', null);
  await other.createIfMissing(client, '/x/z', null);
  assert.is(await other.deleteAll(client, '/x'), 3);
});

suite('walk leaves out a subtree that was deleted meanwhile', async ({ client, other }) => {
  await other.mkdirp(client, '/x/y');
  const paths: string[] = [];
  for await (const { path } of other.walk(client, '/x')) {
    paths.push(path);
    if (path === '/x') await client.delete('/x/y');
  }
  assert.ok(paths.includes('/x'));
});

suite('retry and retryingClient know the errors', async ({ client, own, other }) => {
  const policy = { attempts: 2, firstDelayMs: 1 };
  const retrying = other.retryingClient(client, policy);
  const details = { hasUnknownOutcome: false };
  const unsent = new own.ZooKeeperError(own.ErrorCode.CONNECTIONLOSS, undefined, details);
  let calls = 0;
  const outcome = await other.retry(async () => {
    calls++;
    if (calls === 1) throw unsent;
    return 'retried';
  }, policy);
  assert.is(outcome, 'retried');
  assert.ok((await failure(retrying.getData('/none'))) instanceof other.ZooKeeperError);
});

suite('a lock and a queue create their parents', async ({ client, recipes }) => {
  const held = await new recipes.Lock(client, '/locks/a').acquire({ timeoutMs: 5000 });
  await held.release();
  const queue = new recipes.Queue(client, '/queues/a');
  await queue.put(Buffer.from('x'));
  assert.is(String((await queue.take({ timeoutMs: 5000 })).data), 'x');
});

suite('a cache of a missing subtree starts', async ({ client, other }) => {
  const cache = await other.openTreeCache(client, '/cached');
  try {
    await client.create('/cached', 'x');
  } finally {
    await cache.close();
  }
});

test.run();
