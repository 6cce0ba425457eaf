import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest } from '../support/oracle.js';
import { waitUntilServing } from '../support/oracle-ensemble.js';
import { withClient } from '../support/seat-client.js';
import { makeTlsFiles } from '../support/tls-world.js';
import { withMixedEnsemble } from './support/mixed-ensemble.js';

// TLS between our servers and Apache's: on the election port and on the quorum port, in both
// directions.

for (const [name, ours] of [
  ['ours follows', 1],
  ['ours leads', 3],
] as const) {
  oracleTest(`${name} two of Apache's servers over TLS`, async () => {
    const files = makeTlsFiles();
    const config = {
      sslQuorum: true,
      'ssl.quorum.keyStore.location': files.serverFile,
      'ssl.quorum.keyStore.type': 'PEM',
      'ssl.quorum.trustStore.location': files.caFile,
      'ssl.quorum.trustStore.type': 'PEM',
    };
    try {
      await withMixedEnsemble({ participants: 3, config }, async (ensemble) => {
        const { seats } = ensemble;
        for (const sid of [1, 2, 3]) {
          if (sid === ours) await ensemble.startOurs(sid);
          else ensemble.startTheirs(sid);
        }
        for (const seat of seats.all) await waitUntilServing(seat);
        for (const seat of seats.all) {
          await withClient(seat, (client) => client.create(`/by-${seat.sid}`, Buffer.from('x')));
        }
        for (const seat of seats.all) {
          await withClient(seat, async (client) => {
            await client.sync('/');
            for (const sid of [1, 2, 3]) {
              assert.is(`${(await client.getData(`/by-${sid}`)).data}`, 'x');
            }
          });
        }
      });
    } finally {
      files.remove();
    }
  });
}

test.run();
