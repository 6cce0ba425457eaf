import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest } from '../../support/apache/oracle.js';
import { type Seat, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { withClient } from '../../support/peers/seat-client.js';
import { waitFor } from '../../support/wait-for.js';
import { RECONFIGURABLE, waitForMembers } from '../support/change-members.js';
import { type MixedEnsemble, withMixedEnsemble } from '../support/mixed-ensemble.js';

// The four start in the middle of a reconfig, with zoo.cfg.dynamic.next (ReconfigRecoveryTest).

const PRESENT = '100000000';
const NEXT = '200000000';

interface Scenario {
  readonly name: string;
  /** The lines of the members in force, and of the proposed ones. */
  readonly present: (lines: readonly string[]) => readonly string[];
  readonly next: (lines: readonly string[]) => readonly string[];
  /** Who knows the proposed ones; the others know themselves besides those in force. */
  readonly holders: readonly number[];
  /** Who serves in the end. */
  readonly members: readonly number[];
}

const observing = (line: string | undefined): string =>
  `${line}`.replace('participant', 'observer');

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'two participants, of whom four are to be',
    present: (lines) => lines.slice(0, 2),
    next: (lines) => lines,
    holders: [1, 2],
    members: [1, 2, 3, 4],
  },
  {
    name: 'an observer that is to be a participant, without the present ones',
    present: ([first, second, third]) => [`${first}`, `${second}`, observing(third)],
    next: (lines) => lines.slice(2),
    holders: [1, 2, 3],
    members: [3, 4],
  },
];

/** Points zoo.cfg to a dynamic file. */
function writeSeat(seat: Seat, lines: readonly string[], version: string | null): void {
  const dynamicFile = `${seat.configFile}.dynamic${version === null ? '' : `.${version}`}`;
  writeFileSync(dynamicFile, lines.join('\n'));
  const rest = readFileSync(seat.configFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('server.'));
  const text = [...rest, `dynamicConfigFile=${dynamicFile}`].join('\n');
  writeFileSync(seat.configFile, `${text}\n`);
}

/** They have led before, so that their votes are better than those of who joins. */
function writeEpochs({ dataDir }: Seat): void {
  mkdirSync(join(dataDir, 'version-2'));
  for (const name of ['acceptedEpoch', 'currentEpoch']) {
    writeFileSync(join(dataDir, 'version-2', name), '1');
  }
}

async function checkScenario(
  { present, next, holders, members }: Scenario,
  { seats }: MixedEnsemble,
  start: (sid: number) => Promise<void>,
): Promise<void> {
  const lines = seats.serverLines;
  for (const seat of seats.all) {
    if (!holders.includes(seat.sid)) {
      writeSeat(seat, [...present(lines), `${lines[seat.sid - 1]}`], null);
      continue;
    }
    writeSeat(seat, present(lines), PRESENT);
    writeEpochs(seat);
    const text = [...next(lines), `version=${NEXT}`].join('\n');
    writeFileSync(`${seat.configFile}.dynamic.next`, text);
  }
  for (const { sid } of seats.all) await start(sid);
  const serving = members.map(seats.of);
  for (const seat of serving) await waitUntilServing(seat);
  await waitForMembers(serving, members);
  for (const seat of serving) {
    const { data } = await withClient(seat, (client) => client.getConfig());
    assert.match(`${data}`, new RegExp(`^version=${NEXT}$`, 'm'), `server ${seat.sid}`);
    await waitFor(`the end of the file of server ${seat.sid}`, () => {
      const isThere = existsSync(`${seat.configFile}.dynamic.next`);
      return !isThere && readFileSync(seat.configFile, 'utf8').includes(`.dynamic.${NEXT}`);
    });
  }
}

for (const scenario of SCENARIOS) {
  const options = { participants: 4, initial: 4, config: RECONFIGURABLE };
  test(`ours complete it: ${scenario.name}`, () =>
    withMixedEnsemble(options, (ensemble) =>
      checkScenario(scenario, ensemble, (sid) => ensemble.startOurs(sid)),
    ));
  oracleTest(`Apache's complete it: ${scenario.name}`, () =>
    withMixedEnsemble(options, (ensemble) =>
      checkScenario(scenario, ensemble, async (sid) => ensemble.startTheirs(sid)),
    ),
  );
  for (const ours of [
    [1, 3],
    [2, 4],
  ]) {
    oracleTest(`ours, ${ours}, and Apache's complete it: ${scenario.name}`, () =>
      withMixedEnsemble(options, (ensemble) =>
        checkScenario(scenario, ensemble, async (sid) => {
          if (ours.includes(sid)) await ensemble.startOurs(sid);
          else ensemble.startTheirs(sid);
        }),
      ),
    );
  }
}

test.run();
