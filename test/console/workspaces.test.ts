import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { Workspaces } from '../../src/console/workspaces.js';

/** Lists each path with its own names, and counts the lists. */
function fakeClient(names: (path: string) => readonly string[]) {
  const listed: string[] = [];
  const stat = { pzxid: 1n };
  const client = {
    exists: async () => stat,
    getChildren: async (path: string) => {
      listed.push(path);
      return { children: names(path), stat };
    },
  };
  return { client: client as unknown as ZooKeeperClient, listed };
}

function listings() {
  const shared = { auth: undefined, sasl: undefined };
  const now = () => new Date();
  const options = { members: [], tls: undefined, now, shared, own: new Map(), recorded: [] };
  return new Workspaces(options).of(null).listings;
}

test('names of children are kept while they are the same, up to a number of characters', async () => {
  const long = 'n'.repeat(60_000_000);
  const { client, listed } = fakeClient((path) => (path === '/few' ? ['b', 'a'] : [long]));
  const kept = listings();
  for (const path of ['/few', '/1', '/2', '/few']) await kept.names(client, path);
  assert.equal(listed, ['/few', '/1', '/2']);
  assert.equal(await kept.names(client, '/few'), ['a', 'b']);
  await kept.names(client, '/3');
  await kept.names(client, '/1');
  await kept.names(client, '/few');
  assert.equal(listed, ['/few', '/1', '/2', '/3', '/1']);
});

test('lists without a name count, too', async () => {
  const { client, listed } = fakeClient(() => []);
  const kept = listings();
  const paths = Array.from({ length: 9 }, (_, at) => `/${at}${'p'.repeat(16_000_000)}`);
  for (const path of paths) await kept.names(client, path);
  await kept.names(client, paths[0] ?? '');
  assert.is(listed.length, 10);
});

test.run();
