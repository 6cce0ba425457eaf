// A server that sends garbage, half of a reply, none, or too much: every call ends with a typed
// error or a value, and close() resolves.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ConnectError,
  createClient,
  MultiError,
  OPEN_ACL_UNSAFE,
  type SessionClient,
  WatcherType,
  ZooKeeperError,
} from '../../src/client/index.js';
import { HARMS, startHostile } from '../support/peers/hostile-server.js';
import { clientCalls } from './client-calls.js';

const CALLS: Readonly<Record<string, (client: SessionClient) => Promise<unknown>>> = {
  create: (client) => client.create('/a', 'x'),
  delete: (client) => client.delete('/a'),
  exists: (client) => client.exists('/a', { watch: true }),
  getData: (client) => client.getData('/a', { watch: true }),
  setData: (client) => client.setData('/a', 'x'),
  getACL: (client) => client.getACL('/a'),
  getChildren: (client) => client.getChildren('/a', { watch: true }),
  getAllChildrenNumber: (client) => client.getAllChildrenNumber('/a'),
  getEphemerals: (client) => client.getEphemerals(),
  sync: (client) => client.sync('/'),
  multi: (client) => client.multi([{ op: 'set', path: '/a', data: 'x' }]),
  multiRead: (client) =>
    client.multiRead([
      { op: 'getData', path: '/a' },
      { op: 'getChildren', path: '/a' },
    ]),
  setACL: (client) => client.setACL('/a', OPEN_ACL_UNSAFE),
  addAuth: (client) => client.addAuth('digest', 'a:b'),
  whoAmI: (client) => client.whoAmI(),
  addWatch: (client) => client.addWatch('/a', 1, () => undefined),
  removeWatches: (client) => client.removeWatches('/a', WatcherType.Any),
  watch: async (client) => {
    for await (const change of client.watch('/a', { recursive: true })) return change;
    return undefined;
  },
  getConfig: (client) => client.getConfig(),
  reconfig: (client) => client.reconfig({ leaving: '9' }),
};

test('the table has every request of a client', () => {
  const others = ['connect', 'close', 'updateServers', 'within', 'on', 'once', 'off'];
  const client = createClient({ connectString: '127.0.0.1:1' });
  const names = new Set(clientCalls(client).map(({ name }) => name));
  const requests = [...names].filter((name) => !others.includes(name));
  assert.equal(Object.keys(CALLS).sort(), requests.sort());
});

function isTyped(error: unknown): boolean {
  if (error instanceof MultiError || error instanceof ConnectError) return true;
  return error instanceof ZooKeeperError && typeof error.hasUnknownOutcome === 'boolean';
}

for (const [name, harm] of Object.entries(HARMS)) {
  test(`every call ends at a server of this kind: ${name}`, async () => {
    const server = await startHostile(harm);
    const client = createClient({
      connectString: `127.0.0.1:${server.port}`,
      sessionTimeoutMs: 300,
      connectTimeoutMs: 300,
      requestTimeoutMs: 150,
    });
    try {
      const connecting = client.connect();
      const asked = Object.values(CALLS).map((call) => call(client));
      const [connected, ...outcomes] = await Promise.allSettled([connecting, ...asked]);
      const untyped = outcomes.filter(
        (outcome) => outcome.status === 'rejected' && !isTyped(outcome.reason),
      );
      assert.equal(untyped, []);
      if (connected.status === 'rejected') assert.ok(isTyped(connected.reason));
    } finally {
      await client.close();
      assert.is(client.state, 'closed');
      await server.close();
    }
  });
}

test.run();
