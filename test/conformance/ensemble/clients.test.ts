/** Other clients on three bundled servers that lose their leader. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionClient, WatchEvent } from '../../../src/client/base/client.js';
import { ZooKeeperError } from '../../../src/client/base/errors.js';
import { createNativeClient } from '../../../src/client/native/native.js';
import { createClient } from '../../../src/client/zookeeper.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { oracleTest, spawnJava } from '../../support/apache/oracle.js';
import { type Quorum, startQuorum } from '../../support/peers/quorum.js';
import { waitFor } from '../../support/wait-for.js';
import { nativeTest } from '../clients/client-suite-native.js';
import { shown } from '../clients/client-suite-world.js';
import { Dialogue } from '../support/dialogue.js';

/** Long enough for sessions to survive an election on a busy machine. */
const SESSION_TIMEOUT_MS = 40_000;

/** Starts an ensemble for a test, with a client of ours that observes it. */
async function within(
  run: (ensemble: Quorum, observer: SessionClient) => Promise<void>,
): Promise<void> {
  const ensemble = await startQuorum('bundled');
  const { connectString } = ensemble;
  const observer = createClient({ connectString, sessionTimeoutMs: SESSION_TIMEOUT_MS });
  try {
    await observer.connect();
    await run(ensemble, observer);
  } finally {
    await observer.close();
    await ensemble.close();
  }
}

/** Repeats a request until it succeeds, because a lost leader loses requests in flight. */
function insist<T>(what: string, ask: () => Promise<T>): Promise<T> {
  return waitFor(what, async () => {
    try {
      return { answer: await ask() };
    } catch (error) {
      if (error instanceof ZooKeeperError && error.code === 'CONNECTIONLOSS') return undefined;
      throw error;
    }
  }).then(({ answer }) => answer);
}

async function ownerOf(observer: SessionClient, path: string): Promise<bigint | undefined> {
  await insist('a sync', () => observer.sync(path));
  return (await insist('the owner', () => observer.exists(path)))?.ephemeralOwner;
}

nativeTest("npm zookeeper's session, ephemeral, and watch survive the loss of the leader", () =>
  within(async ({ connectString, killLeader }, observer) => {
    const zk = createNativeClient({ connectString, sessionTimeoutMs: SESSION_TIMEOUT_MS });
    const states: string[] = [];
    zk.on('state', (state) => states.push(state));
    try {
      await zk.connect();
      const id = zk.sessionId;
      await zk.create('/mine', Buffer.from('owned'), { mode: CreateModes.EPHEMERAL });
      const events: WatchEvent[] = [];
      await zk.getData('/mine', { watch: (event) => events.push(event) });

      await killLeader();
      await waitFor('the loss of the connection', () => states.includes('disconnected'));
      assert.is(await ownerOf(observer, '/mine'), id);
      await insist('a write', () => observer.setData('/mine', Buffer.from('changed')));
      await waitFor('the event', () => events.length > 0);
      assert.equal(shown(events), ['NodeDataChanged /mine']);
      const { data, stat } = await insist('a read', () => zk.getData('/mine'));
      assert.is(`${data}`, 'changed');
      assert.is(stat.ephemeralOwner, id);
      assert.is(zk.sessionId, id);
      assert.not.ok(states.includes('expired'));
    } finally {
      await zk.close();
    }
    assert.is(await ownerOf(observer, '/mine'), undefined);
  }),
);

oracleTest(
  "the session of Apache's Java shell and its ephemeral survive the loss of the leader",
  () =>
    within(async ({ connectString, killLeader }, observer) => {
      const shell = new Dialogue(
        spawnJava(
          [
            'org.apache.zookeeper.ZooKeeperMain',
            ...['-timeout', `${SESSION_TIMEOUT_MS}`, '-server', connectString],
          ],
          { 'org.slf4j.simpleLogger.defaultLogLevel': 'off' },
        ),
      );
      try {
        await shell.ask('create -e /mine owned', /Created \/mine/);
        const id = await ownerOf(observer, '/mine');
        assert.ok(id);

        await killLeader();
        await waitFor('the loss of the connection', () => /state:Disconnected/.test(shell.out));
        await waitFor('an answer', async () => {
          const answer = await shell.ask('get /mine', /^owned$|KeeperErrorCode/m);
          return !answer.includes('KeeperErrorCode');
        });
        assert.is(await ownerOf(observer, '/mine'), id);
        await shell.ask('create -e /second x', /Created \/second/);
        assert.is(await ownerOf(observer, '/second'), id);
        assert.not.match(shell.out, /Expired/);
        shell.say('quit');
        assert.is(await shell.finish(), 0);
        assert.is(await ownerOf(observer, '/mine'), undefined);
      } finally {
        await shell.kill();
      }
    }),
);

test.run();
