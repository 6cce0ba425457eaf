import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  changeMembers,
  checkKept,
  RECONFIGURABLE,
  waitForMembers,
} from '../conformance/support/change-members.js';
import { checkNoMismatches, leaderOf } from '../conformance/support/same-everywhere.js';
import {
  type Member,
  makeSeats,
  type Seat,
  type Seats,
  waitUntilServing,
} from '../support/apache/oracle-ensemble.js';
import { withClient } from '../support/peers/seat-client.js';
import { SteadyWriters } from '../support/peers/steady-writers.js';
import { waitFor } from '../support/wait-for.js';

// The membership of an ensemble of processes changes while clients write.

interface World {
  readonly seats: Seats;
  readonly members: Map<number, Member>;
  readonly writers: SteadyWriters;
  start(...sids: number[]): Promise<void>;
  stop(sid: number, signal?: NodeJS.Signals): Promise<void>;
}

// Enough that a returning member gets its missing txns as a DIFF, including the reconfigs.
const config = { ...RECONFIGURABLE, commitLogCount: 1_000_000 };

/** Five seats, three of them in the ensemble, with active writers. */
async function withWorld(body: (world: World) => Promise<void>): Promise<void> {
  const seats = await makeSeats({ participants: 5, initial: 3, config });
  const members = new Map<number, Member>();
  const outputs: (() => string)[] = [];
  let writers: SteadyWriters | undefined;
  const start = async (...sids: number[]): Promise<void> => {
    for (const sid of sids) {
      const member = seats.startBundled(sid);
      members.set(sid, member);
      outputs.push(() => `== ${sid}\n${member.output()}`);
    }
    await Promise.all(sids.map((sid) => waitUntilServing(seats.of(sid))));
  };
  try {
    await start(1, 2, 3);
    const connectString = seats.all.map((seat) => seat.connectString).join();
    writers = await SteadyWriters.start(connectString, 3);
    await body({
      seats,
      members,
      writers,
      start,
      stop: async (sid, signal) => {
        await members.get(sid)?.stop(signal);
        members.delete(sid);
      },
    });
  } catch (error) {
    if (error instanceof Error) error.message += `\n${outputs.map((out) => out()).join('\n')}`;
    throw error;
  } finally {
    await writers?.close();
    await seats.close();
  }
}

/** No member reported a protocol violation by another. */
function checkPeaceful({ members }: World): void {
  for (const [sid, member] of members) {
    assert.not.match(
      member.output(),
      /violated the protocol|broke the protocol|is (?:no|not a) server|not a server/,
      `server ${sid}`,
    );
  }
}

test('three members become five, then three again without the old leader', () =>
  withWorld(async (world) => {
    const { seats, members, writers, start, stop } = world;
    const firstThree = [1, 2, 3].map(seats.of);
    await withClient(seats.of(1), async (watching) => {
      const events: string[] = [];
      const arm = () =>
        watching.getConfig({ watch: ({ type, path }) => events.push(`${type} ${path}`) });
      await arm();
      await start(4, 5);
      await changeMembers(seats.of(2), {
        joining: [4, 5].map((sid) => `${seats.serverLines[sid - 1]}`),
      });
      await waitForMembers(seats.all, [1, 2, 3, 4, 5]);
      await waitFor('the event of the config watch', () => events.length > 0);
      assert.equal(events, ['NodeDataChanged /zookeeper/config']);
    });
    await writers.goOn();
    for (const seat of firstThree) await waitUntilServing(seat);

    const leader = await leaderOf(seats.all);
    assert.ok(leader);
    const other = seats.all.find((seat) => seat !== leader) as Seat;
    const staying = seats.all.filter((seat) => seat !== leader && seat !== other);
    const stayingSids = staying.map(({ sid }) => sid);
    await withClient(staying[1] as Seat, async (watching) => {
      const events: string[] = [];
      await watching.getConfig({ watch: ({ type }) => events.push(type) });
      await changeMembers(staying[0] as Seat, { leaving: [leader.sid, other.sid] });
      await waitForMembers(staying, stayingSids);
      await waitFor('the event of the config watch', () => events.length > 0);
      assert.equal(events, ['NodeDataChanged']);
    });
    await waitFor('another leader', () => leaderOf(staying));
    await writers.goOn();
    // Removed members may still listen, but the ensemble no longer needs them.
    for (const { sid } of [leader, other]) await stop(sid, 'SIGKILL');
    await writers.goOn();
    await writers.pause();
    await checkKept(writers, staying);
    for (const seat of staying) await checkNoMismatches(seat);
    checkPeaceful(world);

    // A restart from the disks gives the same ensemble.
    for (const sid of stayingSids) await stop(sid);
    assert.is(members.size, 0);
    await start(...stayingSids);
    await checkKept(writers, staying);
    for (const seat of staying) await checkNoMismatches(seat);
    assert.ok(await leaderOf(staying));
  }));

test('a member returns to a changed membership', () =>
  withWorld(async (world) => {
    const { seats, writers, start, stop } = world;
    const away = (await leaderOf(seats.all))?.sid === 1 ? 2 : 1;
    await stop(away, 'SIGKILL');
    await start(4, 5);
    await changeMembers(seats.of(3), { joining: [`${seats.serverLines[3]}`] });
    const present = seats.all.filter(({ sid }) => sid !== away && sid !== 5);
    await waitForMembers(present, [1, 2, 3, 4]);
    await changeMembers(seats.of(4), { joining: [`${seats.serverLines[4]}`] });
    await waitForMembers([...present, seats.of(5)], [1, 2, 3, 4, 5]);
    await writers.goOn();
    await start(away);
    await waitForMembers(seats.all, [1, 2, 3, 4, 5]);
    await writers.goOn();
    await writers.pause();
    await checkKept(writers, seats.all);
    for (const seat of seats.all) await checkNoMismatches(seat);
    checkPeaceful(world);
  }));

test('a removed member is added again without a restart', () =>
  withWorld(async (world) => {
    const { seats, writers } = world;
    const three = [1, 2, 3].map(seats.of);
    const leader = await leaderOf(three);
    const out = three.find((seat) => seat !== leader) as Seat;
    const staying = three.filter((seat) => seat !== out);
    await changeMembers(staying[0] as Seat, { leaving: [out.sid] });
    await waitForMembers(
      staying,
      staying.map(({ sid }) => sid),
    );
    await writers.goOn();
    await waitUntilServing(out);
    await changeMembers(staying[0] as Seat, { joining: [`${seats.serverLines[out.sid - 1]}`] });
    await waitForMembers(three, [1, 2, 3]);
    await writers.goOn();
    await writers.pause();
    await checkKept(writers, three);
    for (const seat of three) await checkNoMismatches(seat);
    checkPeaceful(world);
  }));

test.run();
