import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { CreateRequest } from '../../../src/protocol/proto.js';
import { MultiHeader } from '../../support/bytes/jute-records.js';
import type { Peer } from '../server-peer.js';
import {
  ALL,
  counts,
  creation,
  EPHEMERAL,
  holdDisks,
  OTHER,
  ROLES,
  serving,
  zxidOf,
} from './worlds/local-session-world.js';

function multi(client: Peer, ...creations: readonly CreateRequest[]): Buffer {
  const out = new OutputArchive();
  for (const record of creations) {
    MultiHeader.write(out, { type: OpCode.create, done: false, err: -1 });
    CreateRequest.write(out, record);
  }
  MultiHeader.write(out, { type: -1, done: true, err: -1 });
  return client.bare(OpCode.multi, out.take());
}

test('a local session becomes global before it creates an ephemeral', () => {
  for (const sid of ROLES) {
    const ways: readonly [name: string, request: (client: Peer) => Buffer][] = [
      ['create', (client) => client.create('/mine', EPHEMERAL)],
      ['create2', (client) => client.request(OpCode.create2, creation('/mine', EPHEMERAL))],
      ['multi', (client) => multi(client, creation('/first', 0), creation('/mine', EPHEMERAL))],
    ];
    for (const [name, request] of ways) {
      const world = serving(true);
      const client = world.client(sid);
      const before = zxidOf(world);
      client.step(client.create('/before'));
      client.step(request(client));
      client.step(client.exists('/mine'));
      client.push(client.create('/more', EPHEMERAL));
      const answers = ['connected', 'create ok', `${name} ok`, 'exists ok', 'create ok'];
      assert.equal(client.take(), answers, `${name} on ${sid}`);
      assert.is(zxidOf(world), before + 4n);
      for (const other of ALL) {
        assert.equal(counts(world, other), [0, 1], `${name} on ${sid}, seen on ${other}`);
        const { tree } = world.member(other).peer.data;
        assert.equal([...tree.ephemeralsOf(client.sessionId)].sort(), ['/mine', '/more']);
      }
    }
  }
});

test('an upgraded session stays alive, expires, and closes as a global one does', () => {
  for (const sid of ROLES) {
    const world = serving(true);
    const silent = world.client(sid);
    const alive = world.client(sid);
    silent.push(silent.create('/silent', EPHEMERAL));
    alive.push(alive.create('/alive', EPHEMERAL));
    for (let i = 0; i < 30; i++) {
      world.pass(1000);
      alive.push(alive.ping());
    }
    const { tree } = world.member(OTHER).peer.data;
    assert.not.ok(tree.get('/silent'), `on ${sid}`);
    assert.ok(tree.get('/alive'), `on ${sid}`);
    alive.push(alive.request(OpCode.closeSession));
    assert.not.ok(tree.get('/alive'), `on ${sid}`);
    assert.ok(alive.isClosed);
    for (const other of ALL) assert.equal(counts(world, other), [0, 0]);
  }
});

test('a close directly after the ephemeral that upgraded the session deletes that ephemeral', () => {
  for (const sid of ROLES) {
    const world = serving(true);
    const client = world.client(sid);
    client.step(client.create('/mine', EPHEMERAL));
    client.step(client.request(OpCode.closeSession));
    client.push(client.create('/late', EPHEMERAL));
    assert.equal(client.take().slice(0, 3), ['connected', 'create ok', 'closeSession ok']);
    for (const other of ALL) {
      const { tree } = world.member(other).peer.data;
      assert.is(tree.ephemeralsCount, 0, `on ${sid}, seen on ${other}`);
      assert.equal(counts(world, other), [0, 0]);
    }
  }
});

test('if upgrades are disabled, only the ephemeral is refused, in order', () => {
  for (const sid of ROLES) {
    const world = serving(false);
    const client = world.client(sid);
    client.step(client.create('/a'));
    client.step(client.create('/mine', EPHEMERAL));
    client.step(client.request(OpCode.create2, creation('/mine', EPHEMERAL)));
    client.step(client.exists('/a'));
    client.push(client.create('/b'));
    const refused = 'EPHEMERALONLOCALSESSION';
    assert.equal(
      client.take(),
      [
        'connected',
        'create ok',
        `create ${refused}`,
        `create2 ${refused}`,
        'exists ok',
        'create ok',
      ],
      `on ${sid}`,
    );
    const { length } = client.bytes;
    client.push(multi(client, creation('/c', 0), creation('/mine', EPHEMERAL), creation('/d', 0)));
    assert.equal(client.take(), ['multi ok']);
    const body = client.bytes.subarray(length + 20);
    assert.equal(multiErrors(body), [
      ErrorCode.OK,
      ErrorCode.EPHEMERALONLOCALSESSION,
      ErrorCode.RUNTIMEINCONSISTENCY,
    ]);
    assert.equal(counts(world, sid), [1, 0]);
    const { tree } = world.member(OTHER).peer.data;
    assert.not.ok(tree.get('/c') ?? tree.get('/mine'));
  }
});

/** The errors of a failed multi, one per operation. */
function multiErrors(body: Buffer): number[] {
  const input = new InputArchive(body);
  const errors: number[] = [];
  for (;;) {
    const { done } = MultiHeader.read(input);
    if (done) return errors;
    errors.push(input.readInt());
  }
}

test('a session moves during its upgrade', () => {
  for (const sid of ROLES) {
    const world = serving(true);
    const client = world.client(sid);
    holdDisks(world, true);
    client.push(client.create('/mine', EPHEMERAL));
    client.leave();
    const { sessionId, password } = client;
    const moved = world.client(OTHER, { sessionId, password });
    holdDisks(world, false);
    moved.push(moved.setData('/mine'));
    moved.push(moved.create('/more', EPHEMERAL));
    assert.equal(moved.take(), ['connected', 'setData ok', 'create ok'], `from ${sid}`);
    for (const other of ALL) assert.equal(counts(world, other), [0, 1]);
  }
});

test.run();
