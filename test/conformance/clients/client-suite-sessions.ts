import * as assert from 'uvu/assert';
import { ConnectError } from '../../../src/client/base/errors.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { CREATOR_ALL_ACL } from '../../../src/protocol/perms.js';
import { freePort } from '../../support/machine/free-port.js';
import { waitFor } from '../../support/wait-for.js';
import { createText, expectError, type Suite, text, waitForState } from './client-suite-world.js';

const NOTHING = Buffer.alloc(0);

/** The life of a session: connect, losses, close, and expiry. */
export function registerSessionTests({ check, isNative }: Suite): void {
  check('a session has an id, a timeout within the server’s limits, and a state', async (world) => {
    const { connectString, connect, make } = world;
    const before = make();
    assert.is(before.zk.state, 'connecting');
    assert.is(before.zk.sessionId, 0n);
    assert.is(before.zk.server, undefined);
    const { zk, states } = await connect({ sessionTimeoutMs: 100 });
    assert.is(zk.state, 'connected');
    assert.is.not(zk.sessionId, 0n);
    assert.is(zk.sessionTimeoutMs, 1000);
    assert.is(zk.sessionPassword.length, 16);
    // The C client does not tell which of several servers it uses.
    const servers = connectString.split(',');
    if (isNative && servers.length > 1) assert.is(zk.server, undefined);
    else assert.ok(servers.includes(zk.server ?? ''));
    assert.equal(states, ['connected']);
    const long = await connect({ sessionTimeoutMs: 100_000 });
    assert.is(long.zk.sessionTimeoutMs, 10_000);
  });

  check('connect names the server that it could not reach', async ({ make }) => {
    const port = await freePort();
    const { zk, states } = make({ connectString: `127.0.0.1:${port}`, connectTimeoutMs: 300 });
    const failed = await zk.connect().catch((error: unknown) => error);
    if (!(failed instanceof ConnectError)) throw failed;
    assert.equal(
      failed.attempts.map(({ server }) => server),
      [`127.0.0.1:${port}`],
    );
    assert.match(failed.message, `127.0.0.1:${port}`);
    if (!isNative) assert.match(failed.message, 'refused');
    await waitFor('the end', () => states.includes('closed'));
    await expectError('ECLOSED', zk.getData('/'));
  });

  check('connect continues with a server that exists', async ({ make, connectString, root }) => {
    const servers = `127.0.0.1:${await freePort()},${connectString}`;
    const { zk } = make({ connectString: servers, shouldShuffle: false });
    await zk.connect();
    assert.ok(await zk.exists(root));
  });

  check('requests before the connection wait for it', async ({ make, root }) => {
    const { zk } = make();
    const asked = zk.exists(root);
    await zk.connect();
    assert.ok(await asked);
  });

  check('requests are pipelined and answered in order', async ({ zk, root }) => {
    const count = 500;
    const answered: number[] = [];
    const versions: number[] = [];
    await Promise.all(
      Array.from({ length: count }, (_, i) => [
        zk.setData(root, Buffer.from(String(i))).then(({ version }) => versions.push(version)),
        zk.getData(root).then(({ data }) => answered.push(Number(text(data)))),
      ]).flat(),
    );
    const expected = Array.from({ length: count }, (_, i) => i);
    assert.equal(answered, expected);
    assert.equal(
      versions,
      expected.map((i) => i + 1),
    );
  });

  check('a lost connection fails requests in flight and keeps the session', async (world) => {
    const { zk, root, proxy, connect } = world;
    const through = await proxy();
    const client = await connect({ connectString: through.connectString });
    const id = client.zk.sessionId;
    await createText(client.zk, `${root}/e`, '', CreateModes.EPHEMERAL);
    through.stall();
    const lost = client.zk.getData(root);
    const before = through.chunksFromClients;
    await waitFor('the request to leave', () => through.chunksFromClients > before);
    through.refuse();
    await expectError('CONNECTIONLOSS', lost);
    await waitForState(client, 'disconnected');
    const waits = client.zk.setData(root, Buffer.from('later'));
    through.mend();
    assert.is((await waits).version, 1);
    assert.is(client.zk.sessionId, id);
    assert.equal(client.states, ['connected', 'disconnected', 'connected']);
    await zk.sync(root);
    assert.is((await zk.exists(`${root}/e`))?.ephemeralOwner, id);
  });

  check('identities are sent again after a reconnect', async ({ root, proxy, connect }) => {
    const through = await proxy();
    const client = await connect({ connectString: through.connectString });
    await createText(client.zk, `${root}/mine`, 'secret');
    await client.zk.addAuth('digest', 'alice:pw');
    await client.zk.setACL(`${root}/mine`, CREATOR_ALL_ACL);
    through.cut();
    await waitForState(client, 'disconnected');
    assert.is(text((await client.zk.getData(`${root}/mine`)).data), 'secret');
  });

  check('a session expires while its client reaches no server', async (world) => {
    const { zk, root, proxy, connect } = world;
    const through = await proxy();
    const connectString = through.connectString;
    const client = await connect({ connectString, sessionTimeoutMs: 1000 });
    await createText(client.zk, `${root}/e`, '', CreateModes.EPHEMERAL);
    await zk.sync(root);
    through.refuse();
    await waitForState(client, 'disconnected');
    await waitFor(
      'the ephemeral to be deleted',
      async () => (await zk.exists(`${root}/e`)) === null,
    );
    const waits = client.zk.getData(root);
    through.mend();
    await expectError('SESSIONEXPIRED', waits);
    await waitForState(client, 'expired');
    await expectError('SESSIONEXPIRED', client.zk.create(`${root}/x`, NOTHING));
    await client.zk.close();
    assert.is(client.zk.state, 'closed');
  });

  check('heartbeats keep an idle session alive', async ({ proxy, connect }) => {
    const through = await proxy();
    const connectString = through.connectString;
    const client = await connect({ connectString, sessionTimeoutMs: 1000 });
    const before = through.chunksFromClients;
    await waitFor('six heartbeats', () => through.chunksFromClients >= before + 6);
    assert.equal(client.states, ['connected']);
  });

  check('a client leaves a server that falls silent', async ({ proxy, connect, root }) => {
    const through = await proxy();
    const connectString = through.connectString;
    const client = await connect({ connectString, sessionTimeoutMs: 2000 });
    const id = client.zk.sessionId;
    through.stall();
    const lost = client.zk.getData(root);
    await expectError('CONNECTIONLOSS', lost);
    await waitForState(client, 'disconnected');
    through.mend();
    await client.zk.sync(root);
    assert.is(client.zk.sessionId, id);
  });

  check('a request ends after its timeout', async ({ proxy, connect, root }) => {
    const through = await proxy();
    const connectString = through.connectString;
    const { zk } = await connect({ connectString, requestTimeoutMs: 200 });
    through.stall();
    const late = await expectError('ETIMEDOUT', zk.getData(root));
    assert.is(late.path, root);
    through.mend();
    assert.ok(await zk.exists(root));
  });

  check('a session is taken over with its id and password', async (world) => {
    const { root, proxy, connect } = world;
    const through = await proxy();
    const first = await connect({ connectString: through.connectString });
    await createText(first.zk, `${root}/e`, '', CreateModes.EPHEMERAL);
    const session = { id: first.zk.sessionId, password: first.zk.sessionPassword };
    through.refuse();
    await waitForState(first, 'disconnected');
    const { zk } = await connect({ session });
    assert.is(zk.sessionId, session.id);
    await zk.sync(root);
    assert.is((await zk.exists(`${root}/e`))?.ephemeralOwner, session.id);
  });

  check('a session is not taken over with a wrong password', async ({ zk, make }) => {
    const session = { id: zk.sessionId + 1000n, password: Buffer.alloc(16, 7) };
    const thief = make({ session });
    await expectError('SESSIONEXPIRED', thief.zk.connect());
    await waitForState(thief, 'expired');
  });

  check('close ends the session on the server, and fails later requests', async (world) => {
    const { zk, root, connect } = world;
    const client = await connect();
    const path = `${root}/e`;
    const created = createText(client.zk, path, '', CreateModes.EPHEMERAL);
    await created;
    await client.zk.close();
    await client.zk.close();
    assert.is(client.zk.state, 'closed');
    assert.equal(client.states, ['connected', 'closed']);
    await expectError('ECLOSED', client.zk.getData(root));
    await waitFor('the ephemeral to be deleted', async () => (await zk.exists(path)) === null);
  });

  check('close resolves without a server, and before any connection', async (world) => {
    const { make, proxy, connect } = world;
    const never = make();
    await never.zk.close();
    assert.is(never.zk.state, 'closed');
    const through = await proxy();
    const client = await connect({ connectString: through.connectString });
    through.refuse();
    await waitForState(client, 'disconnected');
    await client.zk.close();
    assert.is(client.zk.state, 'closed');
  });
}
