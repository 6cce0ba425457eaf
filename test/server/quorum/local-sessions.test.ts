import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dump } from '../../../src/fourlw/dump.js';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { CreateRequest } from '../../../src/protocol/proto.js';
import { Leader } from '../../../src/server/quorum/leading/leader.js';
import { PacketType } from '../../../src/server/quorum/wire/quorum-packet.js';
import { Request } from '../../../src/server/state/request.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';
import {
  ALL,
  counts,
  creation,
  EPHEMERAL,
  FOLLOWER,
  holdDisks,
  LEADER,
  OTHER,
  ROLES,
  serving,
  zxidOf,
} from './worlds/local-session-world.js';

test('a local session exists only on its own server, in any role, without a txn', () => {
  for (const sid of ROLES) {
    const world = serving(true);
    const before = zxidOf(world);
    const client = world.client(sid);
    assert.equal(client.take(), ['connected'], `on ${sid}`);
    assert.is(BigInt.asUintN(8, client.sessionId >> 56n), BigInt(sid));
    assert.is(zxidOf(world), before);
    for (const other of ALL) assert.equal(counts(world, other), [other === sid ? 1 : 0, 0]);
    client.step(client.create('/a'));
    client.step(client.setData('/a'));
    client.step(client.getData('/a'));
    client.push(client.request(OpCode.sync, { path: '/' }));
    assert.equal(client.take(), ['create ok', 'setData ok', 'getData ok', 'sync ok'], `on ${sid}`);
    assert.is(zxidOf(world), before + 2n);
    client.push(client.request(OpCode.closeSession));
    assert.equal(client.take(), ['closeSession ok', 'closed'], `on ${sid}`);
    assert.equal(counts(world, sid), [0, 0]);
    assert.is(zxidOf(world), before + 2n);
  }
});

test('the response to its close follows those of its writes', () => {
  for (const sid of ROLES) {
    const world = serving(true);
    const client = world.client(sid);
    client.take();
    holdDisks(world, true);
    client.step(client.create('/a'));
    client.step(client.request(OpCode.closeSession));
    client.push(client.exists('/a'));
    assert.equal(client.take(), [], `on ${sid}`);
    holdDisks(world, false);
    assert.equal(client.take(), ['create ok', 'closeSession ok', 'closed'], `on ${sid}`);
  }
});

test('requests after its close are not executed, even if they waited longer than the close', () => {
  for (const sid of ROLES) {
    const world = serving(true);
    const client = world.client(sid);
    const { pipeline: path, state } = world.member(sid).peer.server;
    const session = state.sessions.local?.get(client.sessionId);
    if (session === undefined) throw new Error('no local session exists');
    client.push(client.request(OpCode.closeSession));
    const before = zxidOf(world);
    const body = CreateRequest.encode(creation('/late', 0));
    const request = new Request(null, session.id, 9, OpCode.create, state.monotonicMs);
    path?.submit(request, session, new InputArchive(body));
    world.settle();
    assert.is(zxidOf(world), before, `on ${sid}`);
  }
});

test('a large number of silent sessions expires over several turns', () => {
  const world = serving(true);
  for (let i = 0; i < 1200; i++) world.client(FOLLOWER);
  assert.equal(counts(world, FOLLOWER), [1200, 0]);
  world.pass(30_000);
  assert.equal(counts(world, FOLLOWER), [0, 0]);
  assert.is(world.member(FOLLOWER).clients.size, 0);
});

test('its server expires it when it is silent, and not while it sends pings', () => {
  for (const sid of ROLES) {
    const world = serving(true);
    const before = zxidOf(world);
    const silent = world.client(sid);
    const alive = world.client(sid);
    for (let i = 0; i < 30; i++) {
      world.pass(1000);
      alive.push(alive.ping());
    }
    assert.ok(silent.isClosed, `on ${sid}`);
    assert.not.ok(alive.isClosed, `on ${sid}`);
    assert.equal(counts(world, sid), [1, 0]);
    assert.is(zxidOf(world), before);
    const { sessionId, password } = silent;
    assert.equal(world.client(sid, { sessionId, password }).take(), ['expired', 'closed']);
  }
});

test('a local session cannot move, but can return to its own server', () => {
  const world = serving(true);
  for (const sid of ROLES) {
    const client = world.client(sid);
    const { sessionId, password } = client;
    for (const other of ALL.filter((candidate) => candidate !== sid)) {
      const answers = world.client(other, { sessionId, password }).take();
      assert.equal(answers, ['expired', 'closed'], `from ${sid} to ${other}`);
    }
    assert.not.ok(client.isClosed);
    const again = world.client(sid, { sessionId, password });
    assert.equal(again.take(), ['connected'], `back to ${sid}`);
    assert.is(again.sessionId, sessionId);
    assert.ok(client.isClosed);
    again.push(again.create(`/by-${sid}`));
    assert.equal(again.take(), ['create ok']);
  }
});

test('local sessions end with the quorum, but global sessions do not', () => {
  const world = serving(true);
  const local = world.client(FOLLOWER);
  const upgraded = world.client(FOLLOWER);
  upgraded.push(upgraded.create('/mine', EPHEMERAL));
  world.crash(LEADER);
  world.until(() => world.leader === OTHER && world.isServing(FOLLOWER), 'another leader');
  const { sessionId, password } = local;
  assert.equal(world.client(FOLLOWER, { sessionId, password }).take(), ['expired', 'closed']);
  const back = world.client(FOLLOWER, {
    sessionId: upgraded.sessionId,
    password: upgraded.password,
  });
  back.push(back.exists('/mine'));
  assert.equal(back.take(), ['connected', 'exists ok']);
});

/**
 * A follower forwards a create of a session of server `sid` that the leader does not know. Returns
 * whether it succeeds.
 */
function isForwardTaken(world: EnsembleWorld, sid: number, flags: number): boolean {
  const { role } = world.member(LEADER).peer;
  if (!(role instanceof Leader) || role.broadcast === null) throw new Error('it does not lead');
  const [handler] = role.learners.all();
  if (handler === undefined) throw new Error('nobody follows it');
  const path = `/of-${sid}-${flags}`;
  const out = new OutputArchive();
  out.writeLong((BigInt(sid) << 56n) | 77n);
  out.writeInt(1);
  out.writeInt(OpCode.create);
  CreateRequest.write(out, creation(path, flags));
  const packet = { type: PacketType.REQUEST, zxid: -1n, data: out.take(), authinfo: [] };
  assert.is(role.broadcast.receive(handler, packet), '');
  world.settle();
  return world.member(OTHER).peer.data.tree.get(path) !== undefined;
}

test('the leader accepts writes of unknown sessions, except with ids of its own', () => {
  const world = serving(true);
  assert.ok(isForwardTaken(world, FOLLOWER, 0));
  assert.not.ok(isForwardTaken(world, FOLLOWER, EPHEMERAL));
  assert.not.ok(isForwardTaken(world, LEADER, 0));
});

test('without local sessions, the leader refuses all unknown sessions, and no member has a local one', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  assert.not.ok(isForwardTaken(world, FOLLOWER, 0));
  const client = world.client(FOLLOWER);
  assert.equal(client.take(), ['connected']);
  assert.equal(counts(world, FOLLOWER), [0, 1]);
  assert.equal(counts(world, LEADER), [0, 1]);
  for (const sid of [FOLLOWER, LEADER]) {
    assert.not.match(dump.render(world.member(sid).peer.view), /Local Session/);
  }
});

test('dump shows local sessions separately', () => {
  for (const sid of ROLES) {
    const world = serving(true);
    const upgraded = world.client(sid);
    upgraded.push(upgraded.create('/mine', EPHEMERAL));
    const local = world.client(sid);
    const text = dump.render(world.member(sid).peer.view);
    assert.match(text, /^SessionTracker dump:\nLocal Session Sets \(1\)\/\(1\):\n1 expire at /);
    const [locals = '', globals = ''] = text.split(/^Global Session/m);
    assert.ok(locals.includes(`0x${local.sessionId.toString(16)}`), text);
    assert.ok(globals.includes(`0x${upgraded.sessionId.toString(16)}`), text);
  }
});

test.run();
