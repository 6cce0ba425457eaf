import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest } from '../../support/apache/oracle.js';
import { waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { freePort } from '../../support/machine/free-port.js';
import { SteadyWriters } from '../../support/peers/steady-writers.js';
import { waitFor } from '../../support/wait-for.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { checkSameEverywhere, modeOf } from '../support/same-everywhere.js';

// A leader that hands over. Apache's member knows nothing of it, and finds the next one.

oracleTest('a leader of two bundled servers hands over to the other, and Apache follows', () =>
  withMixedEnsemble({ participants: 3 }, async (ensemble) => {
    const { seats } = ensemble;
    const ports = new Map([
      [2, await freePort()],
      [3, await freePort()],
    ]);
    for (const [sid, port] of ports) {
      const admin = {
        'zookeeper.admin.enableServer': 'true',
        'zookeeper.admin.serverPort': `${port}`,
      };
      await ensemble.startOurs(sid, admin);
    }
    for (const sid of ports.keys()) await waitUntilServing(seats.of(sid));
    ensemble.startTheirs(1);
    await waitUntilServing(seats.of(1));
    const plain = seats.all.map(({ connectString }) => connectString).join(',');
    const writers = await SteadyWriters.start(plain, 2);
    try {
      for (const to of [2, 3, 2]) {
        const from = 5 - to;
        assert.is(await modeOf(seats.of(from)), 'leader');
        const answer = await fetch(`http://127.0.0.1:${ports.get(from)}/commands/move_leader`, {
          method: 'POST',
          headers: { authorization: 'ip' },
          body: JSON.stringify({ to }),
        });
        assert.equal(await answer.json(), { to, command: 'move_leader', error: null });
        await waitFor('the next leader', async () => (await modeOf(seats.of(to))) === 'leader');
        await waitFor('the Apache member', async () => (await modeOf(seats.of(1))) === 'follower');
        await writers.goOn();
      }
      const refused = await fetch(`http://127.0.0.1:${ports.get(2)}/commands/move_leader`, {
        method: 'POST',
        headers: { authorization: 'ip' },
        body: '{"to":9}',
      });
      assert.is(refused.status, 409);
      await writers.pause();
      await writers.checkKeptAt(seats.all);
      await checkSameEverywhere(seats.all);
    } finally {
      await writers.close();
    }
  }),
);

test.run();
