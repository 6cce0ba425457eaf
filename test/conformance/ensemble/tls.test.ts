import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest } from '../../support/apache/oracle.js';
import { waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { freePort } from '../../support/machine/free-port.js';
import { ask, withClient } from '../../support/peers/seat-client.js';
import { makeTlsFiles } from '../../support/tls/tls-world.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { checkSameEverywhere } from '../support/same-everywhere.js';

// TLS between bundled and Apache's servers, on the election and quorum ports, in both directions.

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

oracleTest("bundled and Apache's observers use a bundled observer master over TLS", async () => {
  const files = makeTlsFiles();
  const config = {
    sslQuorum: true,
    'ssl.quorum.keyStore.location': files.serverFile,
    'ssl.quorum.keyStore.type': 'PEM',
    'ssl.quorum.trustStore.location': files.caFile,
    'ssl.quorum.trustStore.type': 'PEM',
    // The certificate is that of 127.0.0.1.
    'ssl.quorum.hostnameVerification': false,
    observerMasterPort: await freePort(),
  };
  const shape = { participants: 3, observers: 2, areHostsApart: true, config };
  try {
    await withMixedEnsemble(shape, async (ensemble) => {
      const { seats } = ensemble;
      // The first two elect the larger.
      for (const sid of [3, 1]) await ensemble.startOurs(sid);
      await waitUntilServing(seats.of(3));
      for (const sid of [2, 4]) await ensemble.startOurs(sid);
      ensemble.startTheirs(5);
      for (const seat of seats.all) await waitUntilServing(seat);
      for (const observer of [seats.of(4), seats.of(5)]) {
        const mntr = await ask(observer, 'mntr');
        assert.match(mntr, /^zk_observer_master_id\t[12]$/m);
        await withClient(observer, (client) => client.create(`/by-${observer.sid}`));
      }
      await checkSameEverywhere(seats.all);
    });
  } finally {
    files.remove();
  }
});

test.run();
