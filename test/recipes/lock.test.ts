import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { Lock } from '../../src/recipes/locks/lock.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { type Register, registerLockFaults, registerLockSuite } from './lock-suite.js';
import { failureOf, inWorld } from './world.js';

const CONTAINERS_GO_SOON = { 'znode.container.checkIntervalMs': '50' };

const register: Register = (name, run) => {
  test(name, async () => {
    const server = await startBundled({ config: { tickTime: '500' } });
    try {
      await inWorld(server.port, run);
    } finally {
      await server.close();
    }
  });
};

registerLockSuite(register);
registerLockFaults(register);

test('lock: an invalid path is refused', () => {
  const client = createClient({ connectString: '127.0.0.1:1' });
  assert.throws(() => new Lock(client, 'lock'), /path: invalid path: "lock"/);
  assert.throws(
    () => new Lock(client, '/lock/'),
    (error: unknown) => error instanceof RangeError,
  );
});

test('lock: the parents that it created disappear when the line is empty', async () => {
  const server = await startBundled({ config: CONTAINERS_GO_SOON });
  try {
    await inWorld(server.port, async (world) => {
      const held = await new Lock(await world.client(), world.path).acquire();
      await held.release();
      await waitFor('the parents to go', async () => !(await world.observer.exists('/recipes')));
    });
  } finally {
    await server.close();
  }
});

register('lock: a missing chroot is reported at once', async (world) => {
  const connectString = `${world.observer.server}/missing`;
  const client = createClient({ connectString });
  try {
    await client.connect();
    const error = await failureOf(new Lock(client, world.path).acquire());
    assert.is(error.code, 'NONODE');
  } finally {
    await client.close();
  }
});

test('a lock that ends with its session names the session as the reason', async () => {
  const server = await startBundled();
  const client = createClient({ connectString: server.connectString });
  try {
    await client.connect();
    const held = await new Lock(client, '/lock').acquire();
    await client.close();
    await waitFor('the loss', () => held.signal.aborted);
    assert.match(held.signal.reason.message, /the session has ended$/);
  } finally {
    await client.close();
    await server.close();
  }
});

test.run();
