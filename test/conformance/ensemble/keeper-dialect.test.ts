/**
 * ClickHouse Keeper's dialect in ensembles. Bundled members serve it, and neither announce nor
 * serve it where one of Apache's leads. What it leaves is ordinary for Apache's members.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { oracleTest } from '../../support/apache/oracle.js';
import { waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import { waitFor } from '../../support/wait-for.js';
import { type MixedEnsemble, withMixedEnsemble } from '../support/mixed-ensemble.js';
import { RawClient } from '../support/raw-client.js';
import { checkSameEverywhere, modeOf } from '../support/same-everywhere.js';

const ON = { keeperDialect: 'on' };
const CREATE_IF_NOT_EXISTS = 502;
const REMOVE_RECURSIVE = 503;
const UNIMPLEMENTED = -6;
const LEADER = 3;

const create = (path: string): Buffer =>
  new ByteBuilder()
    .string(path)
    .buffer(Buffer.from('x'))
    .vector(['anyone'], (builder, id) => builder.int(31).string('world').string(id))
    .int(0)
    .build();
const removal = (path: string): Buffer => new ByteBuilder().string(path).int(100).build();
const multi = (type: number, body: Buffer): Buffer =>
  new ByteBuilder().int(type).bool(false).int(-1).bytes(body).int(-1).bool(true).int(-1).build();

async function onMember<T>(
  { seats }: MixedEnsemble,
  sid: number,
  body: (client: RawClient) => Promise<T>,
): Promise<T> {
  const client = await RawClient.connect(seats.of(sid).clientPort);
  try {
    return await body(client);
  } finally {
    await client.close();
  }
}

const errorOf = (ensemble: MixedEnsemble, sid: number, type: number, body: Buffer) =>
  onMember(ensemble, sid, async (client) => (await client.request(type, body))?.err);

async function isAnnounced(ensemble: MixedEnsemble, sid: number): Promise<boolean> {
  const body = new ByteBuilder().string('/keeper/feature_flags').bool(false).build();
  return (await errorOf(ensemble, sid, OpCode.getData, body)) === 0;
}

/** Starts the members: those of Apache's named by their sid, all others with the option. */
async function start(ensemble: MixedEnsemble, theirs: readonly number[]): Promise<void> {
  const { seats } = ensemble;
  // The first two elect the larger, and the others join late.
  const order = [LEADER, ...seats.all.map(({ sid }) => sid).filter((sid) => sid !== LEADER)];
  for (const sid of order) {
    if (sid === order[2]) await waitUntilServing(seats.of(LEADER));
    if (theirs.includes(sid)) ensemble.startTheirs(sid);
    else await ensemble.startOurs(sid, ON);
  }
  for (const seat of seats.all) await waitUntilServing(seat);
}

/** Operations alone and in a multi, through each of these members. */
async function work(ensemble: MixedEnsemble, sids: readonly number[]): Promise<void> {
  for (const sid of sids) {
    await onMember(ensemble, sid, async (client) => {
      const ask = async (type: number, body: Buffer) => (await client.request(type, body))?.err;
      for (const path of [`/of-${sid}`, `/of-${sid}/a`, `/of-${sid}/a/b`, `/of-${sid}/c`]) {
        assert.is(await ask(CREATE_IF_NOT_EXISTS, create(path)), 0);
        assert.is(await ask(CREATE_IF_NOT_EXISTS, create(path)), 0);
      }
      assert.is(await ask(REMOVE_RECURSIVE, removal(`/of-${sid}/a`)), 0);
      assert.is(await ask(OpCode.multi, multi(REMOVE_RECURSIVE, removal(`/of-${sid}/c`))), 0);
    });
  }
}

test('bundled members serve the dialect, and one that returns without it ends that', () =>
  withMixedEnsemble({ participants: 3, observers: 1 }, async (ensemble) => {
    const { seats } = ensemble;
    const sids = seats.all.map(({ sid }) => sid);
    await start(ensemble, []);
    for (const sid of sids) {
      await waitFor(`the flags on ${sid}`, () => isAnnounced(ensemble, sid));
    }
    await work(ensemble, sids);
    await checkSameEverywhere(seats.all);
    await ensemble.stop(1);
    await ensemble.startOurs(1);
    await waitUntilServing(seats.of(1));
    for (const sid of sids) assert.not(await isAnnounced(ensemble, sid), `on ${sid}`);
    assert.is(await errorOf(ensemble, 1, CREATE_IF_NOT_EXISTS, create('/a')), UNIMPLEMENTED);
    await work(ensemble, [2]);
    await checkSameEverywhere(seats.all);
  }));

oracleTest("a follower of Apache's ends the dialect, and reads what it left", () =>
  withMixedEnsemble({ participants: 3 }, async (ensemble) => {
    const { seats } = ensemble;
    await ensemble.startOurs(LEADER, ON);
    await ensemble.startOurs(2, ON);
    await waitUntilServing(seats.of(2));
    assert.is(await modeOf(seats.of(LEADER)), 'leader');
    // Nobody has said what server 1 serves.
    for (const sid of [2, LEADER]) assert.not(await isAnnounced(ensemble, sid), `on ${sid}`);
    await work(ensemble, [2, LEADER]);
    ensemble.startTheirs(1);
    await waitUntilServing(seats.of(1));
    for (const sid of [1, 2, LEADER]) assert.not(await isAnnounced(ensemble, sid), `on ${sid}`);
    await work(ensemble, [2, LEADER]);
    const refused = multi(CREATE_IF_NOT_EXISTS, create('/a'));
    await errorOf(ensemble, 1, OpCode.multi, refused);
    assert.is(await errorOf(ensemble, 1, OpCode.create, create('/after')), 0);
    await checkSameEverywhere(seats.all);
    await ensemble.stop(2);
    ensemble.startTheirs(2);
    await waitUntilServing(seats.of(2));
    await checkSameEverywhere(seats.all);
  }),
);

oracleTest("a leader of Apache's never gets an operation that it does not know", () =>
  withMixedEnsemble({ participants: 3 }, async (ensemble) => {
    const { seats } = ensemble;
    await start(ensemble, [LEADER]);
    assert.is(await modeOf(seats.of(LEADER)), 'leader');
    for (const sid of [1, 2]) {
      assert.not(await isAnnounced(ensemble, sid), `on ${sid}`);
      for (const [type, body] of [
        [CREATE_IF_NOT_EXISTS, create('/a')],
        [REMOVE_RECURSIVE, removal('/a')],
        [OpCode.multi, multi(CREATE_IF_NOT_EXISTS, create('/a'))],
      ] as const) {
        assert.is(await errorOf(ensemble, sid, type, body), UNIMPLEMENTED, `${type} on ${sid}`);
      }
      assert.is(await errorOf(ensemble, sid, OpCode.create, create(`/of-${sid}`)), 0);
    }
    await checkSameEverywhere(seats.all);
  }),
);

test.run();
