import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../../support/free-port.js';
import { oracleTest } from '../../support/oracle.js';
import { type Seat, waitUntilServing } from '../../support/oracle-ensemble.js';
import { waitFor } from '../../support/wait-for.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { modeOf } from '../support/same-everywhere.js';

// The AdminServer of a member, bundled and Apache's, in the same place of the same ensemble.

const COMMANDS = ['leader', 'lead', 'zabstate', 'voting_view', 'observers', 'is_read_only'];

type Answers = ReadonlyMap<string, unknown>;

async function askAll(port: number): Promise<Answers> {
  const answers = new Map<string, unknown>();
  for (const command of COMMANDS) {
    const response = await fetch(`http://127.0.0.1:${port}/commands/${command}`);
    assert.is(response.status, 200, command);
    answers.set(command, await response.json());
  }
  return answers;
}

/** Without the txns of the sessions of this test, which differ. */
function withoutZxid(answers: Answers): unknown {
  return JSON.parse(
    JSON.stringify([...answers], (key, value) =>
      key === 'last_zxid' || key === 'zab_counter' || key === 'zab_epoch' ? typeof value : value,
    ),
  );
}

oracleTest('leader, zabstate, and voting_view of a follower and of a leader', async () => {
  const adminPort = await freePort();
  const places = { 'admin.serverPort': adminPort, 'admin.serverAddress': '127.0.0.1' };
  const shape = { participants: 3, initial: 3, config: places };
  await withMixedEnsemble(shape, async (ensemble) => {
    const { seats, startApart, startTheirs, stop } = ensemble;
    const enable = ({ configFile }: Seat): void => {
      const text = readFileSync(configFile, 'utf8');
      writeFileSync(configFile, text.replace('enableServer=false', 'enableServer=true'));
    };
    const answersOf = async (seat: Seat, role: string): Promise<unknown> => {
      await waitUntilServing(seat);
      await waitFor(`a ${role}`, async () => (await modeOf(seat)) === role);
      const isUp = () =>
        fetch(`http://127.0.0.1:${adminPort}/commands`).then(
          () => true,
          () => false,
        );
      await waitFor('the AdminServer', isUp);
      return withoutZxid(await askAll(adminPort));
    };
    startTheirs(3);
    startTheirs(2);
    await waitUntilServing(seats.of(3));

    enable(seats.of(1));
    startTheirs(1);
    const expected = await answersOf(seats.of(1), 'follower');
    await stop(1);
    startApart(1);
    assert.equal(await answersOf(seats.of(1), 'follower'), expected);
    await stop(1);

    await stop(3);
    await stop(2);
    startTheirs(2);
    enable(seats.of(3));
    startTheirs(3);
    const ofLeader = await answersOf(seats.of(3), 'leader');
    await stop(3);
    await stop(2);
    startTheirs(2);
    startApart(3);
    assert.equal(await answersOf(seats.of(3), 'leader'), ofLeader);
  });
});

test.run();
