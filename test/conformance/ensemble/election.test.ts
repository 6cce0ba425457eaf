import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configFromOptions } from '../../../src/server/config/config.js';
import { ElectionPort } from '../../../src/server/node/ports/election-port.js';
import { oracleTest } from '../../support/apache/oracle.js';
import { makeSeats, type Seats, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import { waitFor } from '../../support/wait-for.js';

// Election connections between bundled and Apache's servers: which of two stays, and what they
// carry.

const LOOKING = 0;
const FOLLOWING = 1;
const LEADING = 2;

function membersOf(seats: Seats) {
  const options = seats.serverLines.map((line) => line.split('=') as [string, string]);
  const result = configFromOptions({
    initLimit: '10',
    syncLimit: '5',
    ...Object.fromEntries(options),
  });
  if (!('config' in result)) throw new Error(result.errors[0]?.text);
  return result.config.servers;
}

/** A vote for itself, as a looking server sends it. */
function lookingVote(sid: number): Buffer {
  const vote = new ByteBuilder().int(LOOKING).long(BigInt(sid)).long(0n).long(1n).long(0n);
  return vote.int(2).string('').build();
}

for (const own of [1, 2, 3]) {
  oracleTest(
    `server ${own} hears two Apache servers, and gets responses once they serve`,
    async () => {
      const seats = await makeSeats({ participants: 3 });
      const others = [1, 2, 3].filter((sid) => sid !== own);
      const states: { sid: number; state: number }[] = [];
      const warnings: string[] = [];
      const port = new ElectionPort({
        sid: own,
        connectTimeoutMs: 5000,
        greetingTimeoutMs: 5000,
        isEverywhere: false,
        isMultiAddress: false,
        isKeptAlive: false,
        bindTries: 1,
        step: (event) => {
          if (event.kind !== 'notified') return;
          states.push({ sid: event.sid, state: event.frame.readInt32BE(0) });
        },
        onWarning: (message) => warnings.push(message),
      });
      try {
        await port.listen(membersOf(seats));
        for (const sid of others) seats.startApache(sid);
        await waitFor(
          'votes of both',
          () => others.every((sid) => states.some((heard) => heard.sid === sid)),
          60_000,
        );
        for (const sid of others) await waitUntilServing(seats.of(sid));
        states.length = 0;
        for (const sid of others) port.notify(sid, lookingVote(own));
        await waitFor('answers of both', () =>
          others.every((sid) =>
            states.some((heard) => heard.sid === sid && heard.state !== LOOKING),
          ),
        );
        const settled = others.map((sid) => states.findLast((heard) => heard.sid === sid)?.state);
        assert.equal(settled, [FOLLOWING, LEADING]);
      } finally {
        port.close();
        await seats.close();
      }
    },
  );
}

test.run();
