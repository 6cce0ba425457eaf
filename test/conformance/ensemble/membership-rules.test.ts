import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeperError } from '../../../src/client/base/errors.js';
import { oracleTest } from '../../support/apache/oracle.js';
import {
  makeSeats,
  runApacheMember,
  type SeatsOptions,
  waitUntilServing,
} from '../../support/apache/oracle-ensemble.js';
import { runZkserver } from '../../support/bundled.js';
import { freePort } from '../../support/machine/free-port.js';
import type { WatchedProcess } from '../../support/machine/watched-process.js';
import { withClient } from '../../support/peers/seat-client.js';
import { RECONFIGURABLE } from '../support/change-members.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { modeOf } from '../support/same-everywhere.js';
import { writeThrough } from '../support/write-through.js';

// Memberships that Apache's server refuses: an Apache member that got one would not serve again.

oracleTest('a reconfig with two addresses is refused, and the Apache member serves on', () =>
  withMixedEnsemble({ participants: 3, initial: 3, config: RECONFIGURABLE }, async (ensemble) => {
    const { seats } = ensemble;
    await ensemble.startOurs(3);
    ensemble.startTheirs(1);
    await waitUntilServing(seats.of(3));
    await ensemble.startOurs(2);
    for (const seat of seats.all) await waitUntilServing(seat);
    assert.is(await modeOf(seats.of(3)), 'leader');
    const [place = '', client = ''] = seats.serverLines[1]?.split(';') ?? [];
    const second = `127.0.0.2:${await freePort()}:${await freePort()}:participant`;
    const two = `${place.replace(/:participant$/, '')}|${second};${client}`;
    for (const through of seats.all) {
      const answer = await withClient(through, (asking) =>
        asking.reconfig({ joining: two }).then(
          () => 'taken',
          (error: unknown) => (error instanceof ZooKeeperError ? error.code : `${error}`),
        ),
      );
      assert.is(answer, 'BADARGUMENTS', `through server ${through.sid}`);
    }
    await writeThrough(seats.of(1), [seats.of(2), seats.of(3)]);
    await ensemble.stop(1);
    ensemble.startTheirs(1);
    await waitUntilServing(seats.of(1));
    await writeThrough(seats.of(3), [seats.of(1), seats.of(2)]);
  }),
);

async function endOf({ process: child, output, stop }: WatchedProcess) {
  try {
    if (child.exitCode === null) await once(child, 'exit');
    return { code: child.exitCode, text: output() };
  } finally {
    await stop('SIGKILL');
  }
}

const REFUSED: [name: string, options: SeatsOptions, line: (port: number) => string][] = [
  ['one participant and an observer', { participants: 1, observers: 1 }, () => ''],
  [
    'a member with two addresses',
    { participants: 2 },
    (port) => `server.3=127.0.0.1:${port}:${port + 1}|127.0.0.2:${port}:${port + 1}\n`,
  ],
];

for (const [name, options, line] of REFUSED) {
  oracleTest(`neither server starts with ${name}: invalid configuration, status 2`, async () => {
    const seats = await makeSeats(options);
    try {
      const { configFile } = seats.of(1);
      appendFileSync(configFile, line(await freePort()));
      const theirs = await endOf(runApacheMember(configFile));
      assert.is(theirs.code, 2, theirs.text);
      assert.match(theirs.text, 'Invalid config, exiting abnormally');
      const ours = await endOf(runZkserver(['start-foreground', configFile]));
      assert.is(ours.code, 64, ours.text);
    } finally {
      await seats.close();
    }
  });
}

test.run();
