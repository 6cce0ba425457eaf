/**
 * A request above jute.maxbuffer is answered, and no client of others hangs, loses its session, or
 * takes the answer for another one. Apache's server closes the connection.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundled } from '../support/bundled.js';
import { curatorTest, kazooTest, type Peer, startCurator, startKazoo } from './support/peers.js';

const BYTES = 1_200_000;

async function answersTo(start: (connectString: string) => Peer): Promise<string> {
  const server = await startBundled();
  const peer = start(server.connectString);
  try {
    return await peer.run('toolong', '/long', `${BYTES}`);
  } finally {
    await peer.close();
    await server.close();
  }
}

curatorTest("Java's client and Curator", async () => {
  const expected = 'BADARGUMENTS BADARGUMENTS BADARGUMENTS 0 same';
  assert.is(await answersTo(startCurator), expected);
});

kazooTest('kazoo', async () => {
  assert.is(await answersTo(startKazoo), 'BadArgumentsError BadArgumentsError 0 same');
});

test.run();
