import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PacketType } from '../../../src/server/quorum/wire/quorum-packet.js';
import { HandObserver } from './worlds/hand-observer.js';
import { FOLLOWERS, LEADER, OBSERVER, serving, treeOf } from './worlds/observer-world.js';

// The port of an observer master, packet by packet.

test('the protocol, packet by packet', () => {
  const world = serving(0);
  const client = world.client(LEADER);
  client.push(client.create('/a'));
  const observer = new HandObserver(world);
  observer.introduce();
  const { DIFF, INFORM, LEADERINFO, NEWLEADER, UPTODATE } = PacketType;
  const { lastProcessedZxid: last } = treeOf(world, 1);
  assert.equal(observer.sent, [{ type: LEADERINFO, zxid: 1n << 32n }]);
  observer.say(PacketType.ACKEPOCH, last, Buffer.alloc(4));
  assert.equal(observer.types(), [LEADERINFO, DIFF, NEWLEADER]);
  client.push(client.create('/b'));
  observer.say(PacketType.ACK, 1n << 32n);
  observer.say(PacketType.ACK, 1n << 32n);
  assert.equal(observer.types(), [LEADERINFO, DIFF, NEWLEADER, INFORM, UPTODATE]);
  assert.is(observer.sent.find(({ type }) => type === INFORM)?.zxid, last + 1n);
  assert.not(observer.isClosed);
});

test('an observer that is ahead of its master waits for it', () => {
  const world = serving(0);
  const client = world.client(LEADER);
  client.push(client.create('/a'));
  const observer = new HandObserver(world);
  observer.introduce();
  const { lastProcessedZxid: last } = treeOf(world, 1);
  observer.say(PacketType.ACKEPOCH, last + 2n, Buffer.alloc(4));
  const { DIFF, INFORM, LEADERINFO, NEWLEADER } = PacketType;
  client.push(client.create('/b'));
  assert.equal(observer.types(), [LEADERINFO]);
  client.push(client.create('/c'));
  assert.equal(observer.types(), [LEADERINFO, DIFF, NEWLEADER]);
  client.push(client.create('/d'));
  assert.equal(observer.types(), [LEADERINFO, DIFF, NEWLEADER, INFORM]);
  assert.is(observer.sent.at(-1)?.zxid, last + 3n);
});

test('an observer that has the new epoch but no txn of it needs no earlier txn', () => {
  const world = serving(0);
  world.crash(LEADER);
  world.until(() => world.leader !== undefined, 'a new epoch');
  const master = FOLLOWERS.find((sid) => sid !== world.leader) ?? 0;
  assert.is(treeOf(world, master).lastProcessedZxid, 0n);
  const observer = new HandObserver(world, master);
  observer.introduce();
  observer.say(PacketType.ACKEPOCH, 2n << 32n, Buffer.alloc(4));
  const { DIFF, LEADERINFO, NEWLEADER } = PacketType;
  assert.equal(observer.types(), [LEADERINFO, DIFF, NEWLEADER]);
});

const BAD: [name: string, said: RegExp, say: (observer: HandObserver) => void][] = [
  [
    'garbage',
    /too long: \d+ bytes \(expected at most 4096\)/,
    (it) => it.push(Buffer.alloc(100, 'GET / HTTP/1.1')),
  ],
  [
    'an oversized packet',
    /too long: \d+ bytes \(expected at most 4096\)/,
    (it) => {
      const packet = Buffer.alloc(16);
      packet.writeInt32BE(PacketType.OBSERVERINFO);
      packet.writeInt32BE(0x7fff_ffff, 12);
      it.push(packet);
    },
  ],
  [
    'a participant',
    /this port accepts only observers/,
    (it) => it.introduce(PacketType.FOLLOWERINFO),
  ],
  [
    'damaged',
    /OBSERVERINFO: damaged/,
    (it) => it.say(PacketType.OBSERVERINFO, 0n, Buffer.alloc(3)),
  ],
  ['a newer configuration', /configuration is newer/, (it) => it.introduce(undefined, 9n)],
  ['a request first', /REQUEST: unexpected packet/, (it) => it.say(PacketType.REQUEST)],
  ['a ping first', /PING: unexpected packet/, (it) => it.say(PacketType.PING)],
  ['an epoch first', /ACKEPOCH: unexpected packet/, (it) => it.say(PacketType.ACKEPOCH)],
  [
    'one of a later epoch',
    /zxid is newer than epoch 1/,
    (it) => {
      it.introduce();
      it.say(PacketType.ACKEPOCH, 7n << 32n, Buffer.alloc(4));
    },
  ],
  [
    'it introduces itself twice',
    /OBSERVERINFO: unexpected packet/,
    (it) => {
      it.introduce();
      it.introduce();
    },
  ],
  [
    'an ack of a txn',
    /ACK: observers must not ack txns/,
    (it) => {
      join(it);
      it.say(PacketType.ACK, (1n << 32n) + 1n);
    },
  ],
  [
    'a damaged request',
    /REQUEST: damaged/,
    (it) => {
      join(it);
      it.say(PacketType.REQUEST, -1n, Buffer.alloc(3));
    },
  ],
  [
    'a damaged revalidation',
    /REVALIDATE: damaged/,
    (it) => {
      join(it);
      it.say(PacketType.REVALIDATE, -1n, Buffer.alloc(3));
    },
  ],
  [
    'a proposal',
    /PROPOSAL: unexpected packet/,
    (it) => {
      join(it);
      it.say(PacketType.PROPOSAL);
    },
  ],
];

function join(observer: HandObserver): void {
  observer.introduce();
  observer.say(PacketType.ACKEPOCH, 0n, Buffer.alloc(4));
  observer.say(PacketType.ACK, 1n << 32n);
}

for (const [name, said, say] of BAD) {
  test(`${name} is refused, with one sentence`, () => {
    const world = serving(1);
    const { notes } = world.member(1);
    notes.length = 0;
    const observer = new HandObserver(world);
    say(observer);
    assert.ok(observer.isClosed);
    assert.is(notes.filter((note) => said.test(note)).length, 1, notes.join('\n'));
    const client = world.client(OBSERVER);
    client.push(client.create('/still-served'));
    assert.equal(client.take(), ['connected', 'create ok']);
  });
}

test('a silent observer is disconnected, and one is refused by a leader or a looking server', () => {
  const world = serving(0);
  const silent = new HandObserver(world);
  world.until(() => silent.isClosed, 'it is disconnected');
  assert.ok(new HandObserver(world, LEADER).isClosed);
  world.crash(LEADER);
  world.crash(2);
  const observer = new HandObserver(world);
  assert.ok(observer.isClosed);
});

test.run();
