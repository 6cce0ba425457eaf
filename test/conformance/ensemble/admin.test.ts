import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest } from '../../support/apache/oracle.js';
import { type Seat, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { freePort } from '../../support/machine/free-port.js';
import { waitFor } from '../../support/wait-for.js';
import { gatherAnswers, linesOf, shapeOf } from '../support/admin-answers.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { modeOf } from '../support/same-everywhere.js';

// The AdminServer of a member, bundled and Apache's, in the same place of the same ensemble.

/** Their values are the same, too; the other responses have the same fields of the same types. */
const EQUAL = ['leader', 'zabstate', 'voting_view', 'observers', 'is_read_only'];

/** Without the txns of the sessions of this test, which differ. */
function withoutZxid(key: string, value: unknown): unknown {
  return /^(last_zxid|zab_counter|zab_epoch)$/.test(key) ? typeof value : value;
}

/**
 * Lines that may differ: a member of Apache's does not know its first configuration, counts writes
 * of /zookeeper/config by when it joined, and has queues to its learners (docs/metrics.md).
 */
const EXCUSED =
  /^(initial_configuration: "initial_configuration"|(monitor|mntr): "\w+_(zookeeper_write_per_namespace|learner_handler_qp_\w+)")/;

type Answers = ReadonlyMap<string, string>;

/** In no order: that of Apache's fields differs from one Java machine to the next. */
function allLines(answers: Answers): readonly string[] {
  return [...answers].flatMap(([command, answer]) => {
    const shape = EQUAL.includes(command)
      ? JSON.stringify(JSON.parse(answer, withoutZxid), null, 1)
      : shapeOf(answer);
    return linesOf(shape).map((line) => `${command}: ${line.trim()}`);
  });
}

function assertAlike(ours: Answers, theirs: Answers): void {
  const [own, other] = [allLines(ours), allLines(theirs)];
  const lacks = (some: readonly string[], all: readonly string[]) =>
    all.filter((line) => !some.includes(line) && !EXCUSED.test(line));
  const found = { missing: lacks(own, other), more: lacks(other, own) };
  assert.equal(found, { missing: [], more: [] });
}

oracleTest('every command on a follower and on a leader', async () => {
  const adminPort = await freePort();
  const places = { 'admin.serverPort': adminPort, 'admin.serverAddress': '127.0.0.1' };
  const shape = { participants: 3, initial: 3, config: places };
  await withMixedEnsemble(shape, async (ensemble) => {
    const { seats, startApart, startTheirs, stop } = ensemble;
    const enable = ({ configFile }: Seat): void => {
      const text = readFileSync(configFile, 'utf8');
      writeFileSync(configFile, text.replace('enableServer=false', 'enableServer=true'));
    };
    const answersOf = async (seat: Seat, role: string): Promise<Answers> => {
      await waitUntilServing(seat);
      await waitFor(`a ${role}`, async () => (await modeOf(seat)) === role);
      const isUp = () =>
        fetch(`http://127.0.0.1:${adminPort}/commands`).then(
          () => true,
          () => false,
        );
      await waitFor('the AdminServer', isUp);
      return gatherAnswers(`127.0.0.1:${seat.clientPort}`, adminPort);
    };
    startTheirs(3);
    startTheirs(2);
    await waitUntilServing(seats.of(3));

    enable(seats.of(1));
    startTheirs(1);
    const expected = await answersOf(seats.of(1), 'follower');
    await stop(1);
    startApart(1);
    assertAlike(await answersOf(seats.of(1), 'follower'), expected);
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
    assertAlike(await answersOf(seats.of(3), 'leader'), ofLeader);
  });
});

test.run();
