import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest } from '../support/apache/oracle.js';
import { ask } from '../support/peers/seat-client.js';
import { waitFor } from '../support/wait-for.js';
import { type MixedEnsemble, withMixedEnsemble } from './support/mixed-ensemble.js';
import { connectFrame, RawClient } from './support/raw-client.js';

// A server without a quorum, in read-only mode: the first response to a client that accepts it.

const READ_ONLY = { 'readonlymode.enabled': 'true' };
/** The header of a reply: xid 0, zxid 0, NOTREADONLY. */
const REFUSAL = '000000000000000000000000ffffff89';

/** The first frame that the server sends, without its length. */
async function firstFrame(
  start: (ensemble: MixedEnsemble) => Promise<void>,
  localSessionsEnabled: boolean,
): Promise<Buffer> {
  let frame: Buffer = Buffer.alloc(0);
  await withMixedEnsemble(
    { participants: 3, config: { localSessionsEnabled } },
    async (ensemble) => {
      await start(ensemble);
      const seat = ensemble.seats.of(1);
      await waitFor(
        'read-only mode',
        async () => (await ask(seat, 'isro').catch(() => '')) === 'ro',
      );
      const hello = connectFrame();
      hello[hello.length - 1] = 1;
      const client = RawClient.open(seat.clientPort);
      try {
        client.writeFrame(hello);
        frame = await waitFor('a response', () => client.handshake);
      } finally {
        await client.drop();
      }
    },
  );
  return frame;
}

const ours = (ensemble: MixedEnsemble) => ensemble.startOurs(1, READ_ONLY);
const theirs = async (ensemble: MixedEnsemble) => ensemble.startTheirs(1, READ_ONLY);

for (const [name, start, register] of [
  ['ours', ours, test],
  ["Apache's", theirs, oracleTest],
] as const) {
  register(`without local sessions, ${name} grants no session`, async () => {
    assert.is((await firstFrame(start, false)).toString('hex'), REFUSAL);
  });

  register(`with local sessions, ${name} grants one`, async () => {
    const welcome = await firstFrame(start, true);
    assert.is(welcome.length, 37);
    assert.not.equal(welcome.readBigInt64BE(8), 0n);
    assert.is(welcome[36], 1, 'read-only');
  });
}

test.run();
