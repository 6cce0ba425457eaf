// conformance: runs against Apache's server, too.
import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutputArchive } from '../../../../src/jute/output-archive.js';
import { PacketType, writePacket } from '../../../../src/server/quorum/wire/quorum-packet.js';
import {
  type MixedEnsemble,
  withMixedEnsemble,
} from '../../../conformance/support/mixed-ensemble.js';
import { modeOf } from '../../../conformance/support/same-everywhere.js';
import { waitUntilServing } from '../../../support/apache/oracle-ensemble.js';
import { freePort } from '../../../support/machine/free-port.js';
import { ask, withClient } from '../../../support/peers/seat-client.js';
import { waitFor } from '../../../support/wait-for.js';

// Observers and observer masters over sockets, and other connections to their port.

const LEADER = 3;
const OBSERVER = 4;
const CROWD = 100;

async function within(
  body: (ensemble: MixedEnsemble, port: number) => Promise<void>,
): Promise<void> {
  const observerMasterPort = await freePort();
  const config = { observerMasterPort };
  const shape = { participants: 3, observers: 1, areHostsApart: true, config };
  await withMixedEnsemble(shape, async (ensemble) => {
    const { seats, startOurs } = ensemble;
    // The first two elect the larger.
    for (const sid of [LEADER, 1]) await startOurs(sid);
    await waitUntilServing(seats.of(LEADER));
    for (const sid of [2, OBSERVER]) await startOurs(sid);
    for (const seat of seats.all) await waitUntilServing(seat);
    await body(ensemble, observerMasterPort);
  });
}

async function masterOf({ seats }: MixedEnsemble): Promise<number> {
  const mntr = await ask(seats.of(OBSERVER), 'mntr').catch(() => '');
  return Number(/^zk_observer_master_id\t(\d+)$/m.exec(mntr)?.[1] ?? -1);
}

/** Connects to the port for observers of that member. Returns the connection or the error. */
function call(sid: number, port: number): Promise<Socket | string> {
  return new Promise((resolve) => {
    const socket = connect(port, `127.0.0.${sid}`);
    socket.once('connect', () => resolve(socket));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

async function callable(sid: number, port: number): Promise<Socket> {
  const socket = await call(sid, port);
  if (typeof socket === 'string') throw new Error(socket);
  return socket;
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.resume();
  });
}

async function checkServed({ seats }: MixedEnsemble, path: string): Promise<void> {
  await withClient(seats.of(OBSERVER), (client) => client.create(path));
}

test('an observer connects to a follower, and to the other one when that crashes', () =>
  within(async (ensemble) => {
    const { seats, stop, startOurs } = ensemble;
    assert.is(await modeOf(seats.of(OBSERVER)), 'observer');
    await checkServed(ensemble, '/a');
    const master = await masterOf(ensemble);
    assert.is.not(master, LEADER);
    await stop(master);
    await waitFor('another master', async () => ![-1, master].includes(await masterOf(ensemble)));
    await waitUntilServing(seats.of(OBSERVER));
    await checkServed(ensemble, '/b');
    await startOurs(master);
    await waitUntilServing(seats.of(master));
    await withClient(seats.of(master), async (client) => {
      for (const path of ['/a', '/b']) assert.ok(await client.exists(path));
    });
  }));

test('a leader does not open that port, and a follower closes it when it stops to follow', () =>
  within(async (ensemble, port) => {
    const { stop } = ensemble;
    assert.is(await call(LEADER, port), 'ECONNREFUSED');
    const others = [1, 2];
    for (const sid of others) (await callable(sid, port)).destroy();
    await stop(2);
    await stop(LEADER);
    await waitFor('it to end', async () => {
      const socket = await call(1, port);
      if (typeof socket !== 'string') socket.destroy();
      return socket === 'ECONNREFUSED';
    });
  }));

test('garbage, a participant, and a crowd cause few log lines, and observers are served', () =>
  within(async (ensemble, port) => {
    const { notes } = ensemble;
    const master = await masterOf(ensemble);
    const heard = (what: RegExp) =>
      (notes.get(master) ?? []).filter((line) => what.test(line)).length;

    const participant = await callable(master, port);
    const out = new OutputArchive();
    writePacket(out, PacketType.FOLLOWERINFO, 0n, Buffer.alloc(20));
    participant.write(out.take());
    await closed(participant);
    assert.is(heard(/this port accepts only observers: a participant must follow the leader/), 1);

    const crowd = await Promise.all(Array.from({ length: CROWD }, () => callable(master, port)));
    await checkServed(ensemble, '/in-a-crowd');
    for (const socket of crowd) socket.write('GET / HTTP/1.1\r\nHost: somewhere\r\n\r\n');
    await Promise.all(crowd.map(closed));
    const said = heard(
      /closed the link of .*: packet data: too long: \d+ bytes \(expected at most \d+\)/,
    );
    assert.ok(said > 0 && said <= 10, `${said} of ${CROWD} in the log`);
    assert.is(await masterOf(ensemble), master);
    await checkServed(ensemble, '/after-it');
  }));

test.run();
