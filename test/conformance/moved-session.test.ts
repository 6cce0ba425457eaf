import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode, Xid } from '../../src/protocol/op-code.js';
import { oracleTest } from '../support/apache/oracle.js';
import {
  makeSeats,
  type Seat,
  type Seats,
  waitUntilServing,
} from '../support/apache/oracle-ensemble.js';
import { withClient } from '../support/peers/seat-client.js';
import { waitFor } from '../support/wait-for.js';
import { encodeOp } from './support/encode-op.js';
import { RawClient } from './support/raw-client.js';
import { leaderOf } from './support/same-everywhere.js';
import type { Op } from './support/world.js';

// What a server answers on the connection that a session has left for another server.

/** No other request of the tests has it. */
const XID = 1000;

const LEADER = 3;
const OBSERVER = 4;

/** From, and to. */
const MOVES: readonly (readonly [number, number])[] = [
  [1, 2],
  [1, LEADER],
  [LEADER, 1],
  [1, OBSERVER],
  [OBSERVER, 1],
  [OBSERVER, LEADER],
  [LEADER, OBSERVER],
];

const set = { type: OpCode.setData, value: { path: '/moved', data: null, version: -1 } };
const OPS: Readonly<Record<string, Op>> = {
  ping: { type: OpCode.ping },
  getData: { type: OpCode.getData, value: { path: '/moved', watch: true } },
  sync: { type: OpCode.sync, value: { path: '/' } },
  setData: set,
  multi: { type: OpCode.multi, ops: [set] },
  closeSession: { type: OpCode.closeSession },
};

/** The session of `old` at another server, which owns it after its write. */
async function move(old: RawClient, to: Seat): Promise<RawClient> {
  const { zxid: lastZxidSeen } = await old.call(OpCode.setData, set.value);
  const moved = await waitFor('the session at its new server', async () => {
    const next = await RawClient.connect(to.clientPort, { session: old.live, lastZxidSeen });
    return next.session === undefined ? undefined : next;
  });
  assert.is((await moved.call(OpCode.setData, set.value)).err, 0);
  return moved;
}

async function state(client: RawClient): Promise<string> {
  return (await client.ping()) === undefined ? 'closed' : 'open';
}

/** The answer to one request on the old connection, and what became of both connections. */
async function outcome(from: Seat, to: Seat, op: Op): Promise<string> {
  const old = await RawClient.connect(from.clientPort);
  const moved = await move(old, to);
  const reply = await old.request(
    op.type,
    encodeOp(op, 0n),
    op.type === OpCode.ping ? Xid.ping : XID,
  );
  for (const seat of [from, to]) await withClient(seat, (client) => client.sync('/'));
  const states = `old ${await state(old)}, new ${await state(moved)}`;
  await old.drop();
  await moved.close();
  return `${reply === undefined ? 'no answer' : reply.err}, ${states}`;
}

/** The leader first. Where servers start slowly, it need not be the one with the highest sid. */
async function byRole(seats: Seats): Promise<Seat[]> {
  const voters = seats.all.filter(({ sid }) => sid !== OBSERVER);
  const leader = await waitFor('a leader', () => leaderOf(voters));
  return voters.toSorted((a, b) => Number(b === leader) - Number(a === leader));
}

async function outcomes(start: (seats: Seats, sid: number) => unknown): Promise<string[]> {
  const seats = await makeSeats({ participants: 3, observers: 1 });
  try {
    for (const { sid } of seats.all) start(seats, sid);
    for (const seat of seats.all) await waitUntilServing(seat);
    const [leader, ...followers] = await byRole(seats);
    const all = [...followers, leader, seats.of(OBSERVER)];
    /** By the numbers of MOVES: followers, the leader, the observer. */
    const of = (place: number): Seat => all[place - 1] as Seat;
    await withClient(of(LEADER), (client) => client.create('/moved'));
    const found: string[] = [];
    for (const [from, to] of MOVES) {
      for (const [name, op] of Object.entries(OPS)) {
        found.push(`${name} ${from} to ${to}: ${await outcome(of(from), of(to), op)}`);
      }
    }
    return found;
  } finally {
    await seats.close();
  }
}

const CLOSED = 'no answer, old closed, new open';

/** What Apache's servers do. The leader is the owner of its sessions, and checks reads, too. */
function expected(from: number, name: string): string {
  if (name === 'closeSession') return '0, old closed, new closed';
  const isChecked = from === LEADER || name === 'setData' || name === 'multi';
  return isChecked ? CLOSED : '0, old open, new open';
}

function table(answer: (from: number, name: string) => string): string[] {
  return MOVES.flatMap(([from, to]) =>
    Object.keys(OPS).map((name) => `${name} ${from} to ${to}: ${answer(from, name)}`),
  );
}

oracleTest("Apache's servers answer on the connection that a session has left", async () => {
  assert.equal(await outcomes((seats, sid) => seats.startApache(sid)), table(expected));
});

test('the bundled servers answer there as well, but the leader has closed that connection', async () => {
  const ours = (from: number, name: string) => (from === LEADER ? CLOSED : expected(from, name));
  assert.equal(await outcomes((seats, sid) => seats.startBundled(sid)), table(ours));
});

test.run();
