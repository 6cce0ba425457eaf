/** ClickHouse Keeper's dialect in an ensemble: who serves it, and when they announce it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTxn, type Txn } from '../../../../src/files/txn.js';
import { ErrorCode } from '../../../../src/protocol/error-code.js';
import { OpCode, opCodeName } from '../../../../src/protocol/op-code.js';
import { PacketType } from '../../../../src/server/quorum/wire/quorum-packet.js';
import { ByteBuilder } from '../../../support/bytes/byte-builder.js';
import type { Peer } from '../../server-peer.js';
import type { EnsembleOptions } from '../worlds/ensemble-options.js';
import { EnsembleWorld } from '../worlds/ensemble-world.js';
import { HandLearner } from '../worlds/hand-learner.js';
import { HandObserver } from '../worlds/hand-observer.js';
import { masterOf } from '../worlds/observer-world.js';

const LEADER = 3;
const OBSERVER = 4;
const ROLES = [1, LEADER, OBSERVER];
const FLAGS = '/keeper/feature_flags';
const CHECK_NOT_EXISTS = 501;
const CREATE_IF_NOT_EXISTS = 502;
const REMOVE_RECURSIVE = 503;
const TRY_REMOVE = 505;
const LIST_RECURSIVE = 507;
const EPHEMERAL = 1;
const ANY = -1;

/** Three participants, of which the last leads, and an observer. */
function serving(without: readonly number[] = [], options: EnsembleOptions = {}): EnsembleWorld {
  const world = new EnsembleWorld(3, 1, { isKeeperDialect: true, ...options });
  for (const sid of without) world.ofKeeper.delete(sid);
  world.start();
  world.allServe();
  assert.is(world.leader, LEADER);
  return world;
}

function isAnnounced(world: EnsembleWorld, sid: number): boolean {
  const client = world.client(sid);
  client.push(client.getData(FLAGS));
  const answer = client.take()[1];
  client.leave();
  return answer === 'getData ok';
}

function announcing(world: EnsembleWorld, sids = [1, 2, 3, OBSERVER]): number[] {
  return sids.filter((sid) => isAnnounced(world, sid));
}

const create = (path: string, flags = 0): Buffer =>
  new ByteBuilder()
    .string(path)
    .buffer(Buffer.from('x'))
    .vector(['anyone'], (builder, id) => builder.int(31).string('world').string(id))
    .int(flags)
    .build();
const pathAndInt = (path: string, int: number): Buffer =>
  new ByteBuilder().string(path).int(int).build();

/** Answers: the error and the body of each reply. */
function ask(client: Peer, type: number, body: Buffer): [err: number, body: Buffer] {
  const before = client.bytes.length;
  client.push(client.bare(type, body));
  client.take();
  const reply = client.bytes.subarray(before);
  assert.ok(reply.length >= 20, `no reply to ${type}`);
  return [reply.readInt32BE(16), reply.subarray(20)];
}

function multi(...parts: (readonly [type: number, body: Buffer])[]): Buffer {
  const builder = new ByteBuilder();
  for (const [type, body] of parts) builder.int(type).bool(false).int(-1).bytes(body);
  return builder.int(-1).bool(true).int(-1).build();
}

/** Answers of a multi without create2 and setData. */
const results = (...parts: (readonly [type: number, text?: string])[]): Buffer => {
  const builder = new ByteBuilder();
  for (const [type, text] of parts) {
    builder.int(type).bool(false).int(0);
    if (text !== undefined) builder.string(text);
  }
  return builder.int(-1).bool(true).int(-1).build();
};

test('each member serves the operations, in any role, with the same answers', () => {
  for (const sid of ROLES) {
    const world = serving();
    const client = world.client(sid);
    const other = world.client(2);
    assert.equal(client.take(), ['connected']);
    const text = (path: string) => new ByteBuilder().string(path).build();
    assert.equal(ask(client, CREATE_IF_NOT_EXISTS, create('/a')), [0, text('/a')], `on ${sid}`);
    assert.equal(ask(client, CREATE_IF_NOT_EXISTS, create('/a')), [0, text('/a')]);
    assert.is(ask(client, CREATE_IF_NOT_EXISTS, create('/none/a'))[0], -101);
    other.push(other.exists('/a/e', true));
    other.take();
    assert.equal(ask(client, CREATE_IF_NOT_EXISTS, create('/a/e', EPHEMERAL)), [0, text('/a/e')]);
    assert.match(other.take().join(), /^event NodeCreated \/a\/e at \d+$/);
    for (const { peer } of world.members.values()) {
      assert.equal([...peer.data.tree.ephemeralsOf(client.sessionId)], ['/a/e']);
    }
    assert.equal(
      ask(
        client,
        OpCode.multi,
        multi(
          [OpCode.create, create('/a/b')],
          [CHECK_NOT_EXISTS, pathAndInt('/a/c', ANY)],
          [CREATE_IF_NOT_EXISTS, create('/a/b')],
          [REMOVE_RECURSIVE, pathAndInt('/a', 9)],
          [TRY_REMOVE, pathAndInt('/a', ANY)],
        ),
      ),
      [
        0,
        results(
          [OpCode.create, '/a/b'],
          [CHECK_NOT_EXISTS],
          [CREATE_IF_NOT_EXISTS, '/a/b'],
          [REMOVE_RECURSIVE],
          [TRY_REMOVE],
        ),
      ],
      `on ${sid}`,
    );
    other.push(other.exists('/a/e'));
    assert.equal(other.take(), ['exists NONODE']);
    assert.equal(ask(client, TRY_REMOVE, pathAndInt('/a', ANY)), [0, Buffer.alloc(0)]);
    const [err, failed] = ask(
      client,
      OpCode.multi,
      multi([OpCode.create, create('/b')], [CHECK_NOT_EXISTS, pathAndInt('/b', ANY)]),
    );
    assert.equal([err, failed.readInt32BE(9), failed.readInt32BE(22)], [0, 0, -110]);
    ask(client, OpCode.create, create('/p'));
    ask(client, OpCode.create, create('/p/q'));
    assert.equal(ask(client, REMOVE_RECURSIVE, pathAndInt('/p', 1))[0], -111);
    assert.equal(ask(client, LIST_RECURSIVE, pathAndInt('/p', 9)), [
      0,
      new ByteBuilder().vector(['/p/q'], (b, path) => b.string(path)).build(),
    ]);
    assert.equal(ask(client, REMOVE_RECURSIVE, pathAndInt('/p', 2)), [0, Buffer.alloc(0)]);
    const trees = [...world.members.values()].map(({ peer }) => peer.data.tree.digest.value);
    assert.is(new Set(trees).size, 1);
    for (const { notes } of world.members.values()) assert.not.match(notes.join(), /digest/);
  }
});

test('a local session becomes global before an operation of Keeper creates an ephemeral', () => {
  for (const sid of ROLES) {
    for (const type of [CREATE_IF_NOT_EXISTS, OpCode.multi]) {
      const world = serving([], { localSessions: { isUpgradeAllowed: true } });
      const client = world.client(sid);
      const one = create('/e', EPHEMERAL);
      const body = type === OpCode.multi ? multi([CREATE_IF_NOT_EXISTS, one]) : one;
      assert.is(ask(client, type, body)[0], 0, `${type} on ${sid}`);
      for (const { peer } of world.members.values()) {
        assert.is(peer.view.globalSessionCount, 1);
        assert.equal([...peer.data.tree.ephemeralsOf(client.sessionId)], ['/e']);
      }
    }
  }
});

test('members announce the operations while all of them serve them', () => {
  assert.equal(announcing(serving()), [1, 2, 3, OBSERVER]);
  for (const without of [1, LEADER, OBSERVER]) {
    assert.equal(announcing(serving([without])), [], `without ${without}`);
  }
});

test('without the option, or with a leader without it, an operation is unknown', () => {
  const ofMulti = { type: OpCode.multi, body: multi([CREATE_IF_NOT_EXISTS, create('/a')]) };
  const alone = [
    { type: CREATE_IF_NOT_EXISTS, body: create('/a') },
    { type: LIST_RECURSIVE, body: pathAndInt('/', 9) },
  ];
  for (const { without, sid, ofOther } of [
    // Such a member forwards the multi, as one of Apache's does, and the leader refuses it.
    { without: 1, sid: 1, ofOther: ['multi UNIMPLEMENTED'] },
    { without: LEADER, sid: 1, ofOther: ['multi UNIMPLEMENTED', 'closed'] },
    { without: LEADER, sid: OBSERVER, ofOther: ['multi UNIMPLEMENTED', 'closed'] },
    { without: LEADER, sid: LEADER, ofOther: ['multi MARSHALLINGERROR'] },
  ]) {
    const world = serving([without]);
    for (const { type, body } of [...alone, ofMulti]) {
      const client = world.client(sid);
      client.push(client.bare(type, body));
      const [connected, ...answers] = client.take();
      assert.is(connected, 'connected');
      const name = opCodeName(type);
      const expected = type === OpCode.multi ? ofOther : [`${name} UNIMPLEMENTED`, 'closed'];
      assert.equal(answers, expected, `${name} on ${sid} without ${without}`);
    }
    for (const { peer } of world.members.values()) assert.is(peer.data.tree.get('/a'), undefined);
  }
});

test('a member that returns without the option ends it, and with it begins it again', () => {
  const world = serving();
  world.crash(1);
  world.pass(1000);
  assert.equal(announcing(world, [2, 3, OBSERVER]), [2, 3, OBSERVER], 'it said so');
  world.ofKeeper.delete(1);
  world.start(1);
  world.allServe();
  assert.equal(announcing(world), []);
  const client = world.client(2);
  assert.is(ask(client, CREATE_IF_NOT_EXISTS, create('/a'))[0], 0, 'for clients that know it');
  world.crash(1);
  world.pass(1000);
  assert.equal(announcing(world, [2, 3, OBSERVER]), []);
  world.ofKeeper.add(1);
  world.start(1);
  world.allServe();
  assert.equal(announcing(world), [1, 2, 3, OBSERVER]);
});

test('the next leader knows what the last one said of a member that is down', () => {
  for (const isKnown of [true, false]) {
    const world = serving(isKnown ? [] : [1]);
    world.crash(1);
    world.crash(LEADER);
    world.ofKeeper.add(1);
    world.start(LEADER);
    const up = [2, 3, OBSERVER];
    world.until(() => up.every((sid) => world.isServing(sid)), 'those that are up serve');
    // The history of both is the same: the one with the higher id leads, and has seen nobody.
    assert.is(world.leader, LEADER);
    assert.equal(announcing(world, up), []);
    world.start(1);
    world.allServe();
    assert.equal(announcing(world), [1, 2, 3, OBSERVER]);
    world.crash(LEADER);
    world.until(() => world.leader === 2 && world.isServing(1), 'another one leads');
    assert.equal(announcing(world, [1, 2]), [1, 2], 'the leader before has said so');
  }
});

/** A follower without the option in place of member 1: as Apache's. */
function joined(world: EnsembleWorld, isOfKeeper = false): HandLearner {
  world.crash(1);
  const { tree } = world.member(LEADER).peer.data;
  const learner = new HandLearner(world, tree.lastProcessedZxid, isOfKeeper);
  learner.say(PacketType.ACK, 1n << 32n);
  assert.ok(learner.sent.some(({ type }) => type === PacketType.UPTODATE));
  return learner;
}

test('a foreign learner hears nothing, and may not use the operations', () => {
  const world = serving();
  const learner = joined(world);
  assert.equal(announcing(world, [2, 3, OBSERVER]), []);
  assert.not.ok(learner.sent.some(({ type }) => type === PacketType.KEEPER_DIALECT));
  const request = (type: number, body: Buffer): Txn => {
    const head = new ByteBuilder().long(0x100n).int(1).int(type).build();
    learner.say(PacketType.REQUEST, -1n, Buffer.concat([head, body]));
    const { entry } = world.member(LEADER).disk.entries.at(-1) ?? {};
    assert.ok(entry);
    return readTxn(entry).txn;
  };
  assert.is(request(OpCode.createSession, new ByteBuilder().int(9000).build()).type, -10);
  const refused: Txn = { type: OpCode.error, err: ErrorCode.UNIMPLEMENTED };
  assert.equal(request(CREATE_IF_NOT_EXISTS, create('/a')), refused);
  assert.equal(request(OpCode.multi, multi([CREATE_IF_NOT_EXISTS, create('/a')])), refused);
  assert.is(request(OpCode.multi, multi([OpCode.create, create('/b')])).type, OpCode.multi);
  assert.not(learner.isClosed);
});

test('a learner that takes the packet gets it before UPTODATE', () => {
  const world = serving();
  const types = joined(world, true).sent.map(({ type }) => type);
  const at = types.indexOf(PacketType.KEEPER_DIALECT);
  assert.is(types[at + 1], PacketType.UPTODATE);
  assert.equal(announcing(world, [2, 3, OBSERVER]), [2, 3, OBSERVER]);
});

test('a member without a quorum serves the reads, and refuses the writes', () => {
  const localSessions = { isUpgradeAllowed: false };
  const world = serving([], { isReadOnlyAllowed: true, localSessions });
  for (const sid of [2, LEADER]) world.crash(sid);
  world.until(() => world.member(1).peer.view.isReadOnly, 'read-only mode');
  const client = world.client(1, { readOnly: true });
  assert.is(ask(client, LIST_RECURSIVE, pathAndInt('/', 9))[0], 0);
  assert.is(ask(client, CREATE_IF_NOT_EXISTS, create('/a'))[0], ErrorCode.NOTREADONLY);
  assert.is(ask(client, REMOVE_RECURSIVE, pathAndInt('/zookeeper', 9))[0], ErrorCode.NOTREADONLY);
});

test('a follower asks to lead, if its leader serves the dialect', () => {
  const world = serving();
  const view = (sid: number) => world.member(sid).peer.server.view;
  assert.ok(view(LEADER).askForLeadership(), 'it leads');
  assert.not(view(OBSERVER).askForLeadership(), 'it never leads');
  assert.is(world.leader, LEADER);
  assert.ok(view(1).askForLeadership());
  world.until(() => world.leader === 1, 'member 1 leads');
  world.allServe();
  const plain = serving([1, 2, 3, OBSERVER]);
  assert.not(plain.member(1).peer.server.view.askForLeadership());
});

test('an observer of an observer master has the operations, and the leader asks about it', () => {
  const world = serving([], { observerMasterPort: 2800 });
  const master = masterOf(world);
  assert.ok([1, 2].includes(master), `it syncs from ${master}`);
  assert.equal(announcing(world), [1, 2, 3, OBSERVER]);
  assert.is(ask(world.client(OBSERVER), CREATE_IF_NOT_EXISTS, create('/a', EPHEMERAL))[0], 0);
  const foreign = new HandObserver(world, master);
  foreign.introduce();
  const { lastProcessedZxid } = world.member(master).peer.data.tree;
  foreign.say(PacketType.ACKEPOCH, lastProcessedZxid, Buffer.alloc(4));
  assert.equal(announcing(world), [1, 2, 3, OBSERVER], 'it is not in sync');
  foreign.say(PacketType.ACK, 1n << 32n);
  assert.ok(foreign.types().includes(PacketType.UPTODATE));
  assert.equal(announcing(world), []);
  const head = new ByteBuilder().long(world.client(OBSERVER).sessionId).int(1);
  const request = head.int(CREATE_IF_NOT_EXISTS).bytes(create('/b')).build();
  foreign.say(PacketType.REQUEST, -1n, request);
  assert.is(world.member(LEADER).peer.data.tree.get('/b'), undefined);
  foreign.say(PacketType.KEEPER_DIALECT);
  assert.ok(foreign.isClosed);
  assert.equal(announcing(world), [1, 2, 3, OBSERVER]);
  world.crash(OBSERVER);
  world.ofKeeper.delete(OBSERVER);
  world.start(OBSERVER);
  world.allServe();
  assert.equal(announcing(world), []);
});

test('a server that joins counts as soon as it is in sync, and one that left until it is gone', () => {
  const world = new EnsembleWorld(4, 0, { initial: 3, isKeeperDialect: true });
  world.ofKeeper.delete(4);
  world.start(1, 2, 3);
  world.until(() => world.isServing(1) && world.isServing(2), 'three serve');
  assert.equal(announcing(world, [1, 2, 3]), [1, 2, 3]);
  world.start(4);
  world.allServe();
  assert.equal(announcing(world, [1, 2, 3, 4]), []);
  world.crash(4);
  assert.equal(announcing(world, [1, 2, 3]), [1, 2, 3]);
  const reconfig = (joiningServers: string | null, leavingServers: string | null) => {
    const client = world.client(1);
    const asked = { joiningServers, leavingServers, newMembers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
    assert.equal(client.take(), ['connected', 'reconfig ok']);
  };
  world.start(4);
  world.allServe();
  reconfig('server.4=127.0.0.4:2003:3003:participant;4003', null);
  world.crash(4);
  assert.equal(announcing(world, [1, 2, 3]), [], 'it is a member');
  reconfig(null, '4');
  assert.equal(announcing(world, [1, 2, 3]), [1, 2, 3]);
});

/** What KEEPER_DIALECT says of observers that serve it. */
const named = (sids: readonly number[], isServing = true): Buffer =>
  sids
    .reduce((builder, sid) => builder.long(BigInt(sid)).bool(isServing), new ByteBuilder())
    .build();

/** An observer in sync, outside the membership. */
function stranger(world: EnsembleWorld): HandLearner {
  const { tree } = world.member(LEADER).peer.data;
  const observer = new HandLearner(world, tree.lastProcessedZxid, true, 77);
  observer.say(PacketType.ACK, 1n << 32n);
  assert.ok(observer.sent.some(({ type }) => type === PacketType.UPTODATE));
  return observer;
}

test('a server outside the membership cannot vouch for a member', () => {
  const world = serving([1]);
  world.crash(1);
  world.pass(1000);
  const observer = stranger(world);
  observer.say(PacketType.KEEPER_DIALECT, -1n, named([1]));
  assert.equal(announcing(world, [2, 3, OBSERVER]), []);
  const other = serving();
  stranger(other).say(PacketType.KEEPER_DIALECT, -1n, named([1], false));
  assert.equal(announcing(other), [], 'it has a foreign observer');
});

test('a leader remembers few servers outside the membership, however many a learner names', () => {
  const world = serving();
  const observer = stranger(world);
  for (let first = 1000; first < 11_000; first += 1000) {
    const sids = Array.from({ length: 1000 }, (_, at) => first + at);
    observer.say(PacketType.KEEPER_DIALECT, -1n, named(sids));
  }
  assert.not(observer.isClosed);
  const { role } = world.member(LEADER).peer;
  const { serving: known }: { serving: ReadonlySet<number> } = Reflect.get(Object(role), 'keeper');
  assert.equal([known.size, known.has(1), known.has(10_999)], [1024, true, true]);
  assert.equal(announcing(world), [1, 2, 3, OBSERVER]);
});

test('a damaged packet of a learner ends its link', () => {
  for (const [isOfKeeper, data] of [
    [true, Buffer.alloc(8)],
    [true, null],
    [false, Buffer.alloc(9)],
  ] as const) {
    const learner = joined(serving(), isOfKeeper);
    learner.say(PacketType.KEEPER_DIALECT, -1n, data);
    assert.ok(learner.isClosed);
  }
});

test.run();
