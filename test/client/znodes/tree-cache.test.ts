// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CacheChange,
  deleteAll,
  mkdirp,
  openTreeCache,
  walk,
  type ZooKeeperClient,
} from '../../../src/client/index.js';
import { inWorld, type World } from '../../recipes/world.js';
import { chosenTest, sharedServer } from '../../support/apache/chosen-server.js';
import { Random } from '../../support/random.js';
import { waitFor } from '../../support/wait-for.js';

const shared = sharedServer();

function check(title: string, run: (world: World, client: ZooKeeperClient) => Promise<void>): void {
  const work = shared.use((server) =>
    inWorld(server.port, async (world) => run(world, await world.client())),
  );
  chosenTest(title, work);
}

/** The tree of the server: path, data, and version of each znode. */
async function treeOf(client: ZooKeeperClient, path: string): Promise<readonly string[]> {
  const lines: string[] = [];
  await client.sync(path);
  for await (const znode of walk(client, path)) {
    const { data, stat } = await client.getData(znode.path);
    lines.push(`${znode.path} ${data} ${stat.version} ${stat.czxid}`);
  }
  return lines.sort();
}

type Cache = Awaited<ReturnType<typeof openTreeCache>>;

const cached = (cache: Cache) =>
  cache
    .entries()
    .map(({ path, data, stat }) => `${path} ${data} ${stat.version} ${stat.czxid}`)
    .sort();

check('a cache has the whole tree when it is open, and follows it', async ({ path }, client) => {
  await mkdirp(client, `${path}/a/b`, { data: 'x' });
  const changes: string[] = [];
  const cache = await openTreeCache(client, path, {
    onChange: (change) => {
      const { path: at } = change.type === 'removed' ? change.before : change.znode;
      changes.push(`${change.type} ${at.slice(path.length)}`);
    },
  });
  try {
    assert.equal(cache.children(path), ['a']);
    assert.is(String(cache.get(`${path}/a/b`)?.data), 'x');
    assert.is(cache.children(`${path}/missing`), undefined);
    await client.setData(`${path}/a`, 'y');
    await client.create(`${path}/c`, 'z');
    await deleteAll(client, `${path}/a`);
    await waitFor('the changes', () => changes.length === 4);
    assert.equal(changes, ['changed /a', 'added /c', 'removed /a/b', 'removed /a']);
    assert.equal(cached(cache), await treeOf(client, path));
  } finally {
    await cache.close();
  }
});

check('a cache of limited depth has only these levels', async ({ path }, client) => {
  await mkdirp(client, `${path}/a/b`, { data: 'x' });
  const changes: string[] = [];
  const onChange = (change: CacheChange): void => {
    const { path: at } = change.type === 'removed' ? change.before : change.znode;
    changes.push(`${change.type} ${at.slice(path.length)}`);
  };
  const node = await openTreeCache(client, path, { depth: 0, onChange });
  const children = await openTreeCache(client, path, { depth: 1 });
  try {
    assert.equal(
      children.entries().map((each) => each.path),
      [path, `${path}/a`],
    );
    await client.setData(`${path}/a/b`, 'y');
    await client.create(`${path}/c`, 'z');
    await client.create(`${path}/c/d`, 'z');
    await client.setData(path, 'w');
    await waitFor('the new child', () => children.get(`${path}/c`));
    await waitFor('the new data', () => changes.length > 0);
    assert.equal(children.children(path), ['a', 'c']);
    assert.equal(children.children(`${path}/c`), []);
    assert.equal(changes, ['changed ']);
    assert.equal(
      node.entries().map((each) => each.path),
      [path],
    );
    await deleteAll(client, path);
    await waitFor('the end', () => node.get(path) === undefined && !children.get(path));
    await client.create(path, 'again');
    await waitFor('both', () => node.get(path) && children.get(path));
  } finally {
    await node.close();
    await children.close();
  }
});

check(
  'a cache of a missing znode is empty, and fills when it is created',
  async (world, client) => {
    const { path } = world;
    const cache = await openTreeCache(client, path);
    try {
      assert.equal(cache.entries(), []);
      await mkdirp(client, `${path}/a`);
      await waitFor('the znodes', () => cache.get(`${path}/a`) !== undefined);
    } finally {
      await cache.close();
    }
  },
);

check('a cache is exact after any number of lost connections', async (world, client) => {
  const { path, proxy } = world;
  const through = await proxy();
  const own = await world.client({ through });
  await mkdirp(client, path);
  const changes = new Map<string, string>();
  const cache = await openTreeCache(own, path, {
    onChange: (change) => {
      if (change.type === 'removed') changes.delete(change.before.path);
      else changes.set(change.znode.path, `${change.znode.data}`);
    },
  });
  const random = new Random(7);
  const names = ['a', 'b', 'c'];
  const pick = () => random.pick(names);
  try {
    for (let i = 0; i < 120; i++) {
      const at = `${path}/${pick()}${random.below(2) === 0 ? `/${pick()}` : ''}`;
      const kind = random.below(10);
      if (kind < 5) await mkdirp(client, at, { data: `${i}` });
      else if (kind < 8) await client.setData(at, `${i}`).catch(() => undefined);
      else await deleteAll(client, at);
      if (i % 20 === 7) through.cut();
      if (i % 20 === 11) through.refuse();
      if (i % 20 === 15) through.mend();
    }
    through.mend();
    const expected = await treeOf(client, path);
    await waitFor('the cache to catch up', () => String(cached(cache)) === String(expected));
    const reported = [...changes].map(([at, data]) => `${at} ${data}`).sort();
    const below = cache.entries().filter(({ path: at }) => at !== path);
    assert.equal(reported, below.map(({ path: at, data }) => `${at} ${data}`).sort());
  } finally {
    await cache.close();
  }
});

check('a cache ends with its session, and keeps its content', async ({ path, client: make }) => {
  const own = await make();
  await mkdirp(own, path);
  const cache = await openTreeCache(own, path);
  const ended = cache.ended.catch((error: unknown) => error);
  await own.close();
  assert.match(String(await ended), 'the client is closed');
  assert.is(cache.entries().length, 1);
  await cache.close();
});

check('two caches of one tree share its watch', async ({ path }, client) => {
  await mkdirp(client, path);
  const [first, second] = [await openTreeCache(client, path), await openTreeCache(client, path)];
  await first.close();
  await client.create(`${path}/a`);
  await waitFor('the change', () => second.get(`${path}/a`) !== undefined);
  assert.is(first.get(`${path}/a`), undefined);
  await second.close();
});

test.run();
