import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Leader } from '../../../../src/server/quorum/leading/leader.js';
import { LinkClaims } from '../../../../src/server/quorum/leading/learners.js';
import { PacketType } from '../../../../src/server/quorum/wire/quorum-packet.js';
import { canonicalIp, matchAddress } from '../../../../src/server/quorum/wire/remote-address.js';
import { EnsembleWorld } from '../worlds/ensemble-world.js';
import { HandLink } from '../worlds/hand-link.js';

// Two links that claim to be the same server.

function serving(): EnsembleWorld {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  assert.is(world.leader, 3);
  return world;
}

function followers(world: EnsembleWorld): number[] {
  const { role } = world.member(3).peer;
  return role instanceof Leader ? [...role.learners.followers()].sort() : [];
}

test('a link that claims the number of a responsive member cannot end it, however often it tries', () => {
  const world = serving();
  const client = world.client(1);
  client.take();
  const before = world.member(1).peer.role;
  const { notes } = world.member(3);
  notes.length = 0;
  for (let i = 0; i < 294; i++) {
    const link = new HandLink(world);
    link.introduce(1 + (i % 2));
    client.push(client.create(`/at-${i}`));
    assert.equal(client.take(), ['create ok'], `after ${i + 1} claims`);
    world.pass(85);
    assert.not(link.has(PacketType.LEADERINFO));
  }
  world.pass(5000);
  assert.equal(followers(world), [1, 2, 3]);
  assert.is(world.member(1).peer.role, before);
  const said = notes.filter((note) =>
    /two connections claim to be server 1: .*duplicate/.test(note),
  );
  assert.is(said.length, 1);
  assert.ok(notes.length < 20, `${notes.length} notes`);
});

test('a member whose old link is half open rejoins within a tick', () => {
  const world = serving();
  world.cut(1, 3);
  const link = new HandLink(world);
  link.introduce(1);
  world.pass(400);
  assert.not(link.has(PacketType.LEADERINFO), 'the old link has half a tick to answer');
  world.pass(600);
  assert.ok(link.has(PacketType.LEADERINFO), 'the old link did not answer');
  assert.equal(followers(world), [1, 2, 3], 'and still is in the quorum');
  link.goOn();
  assert.ok(link.has(PacketType.UPTODATE));
  assert.is(link.handler?.stage, 'active');
  const { role } = world.member(3).peer;
  const links = role instanceof Leader ? [...role.learners.all()] : [];
  assert.is(links.filter(({ sid }) => sid === 1).length, 1);
});

test('a member whose old link is closed rejoins at once', () => {
  const world = serving();
  world.cut(1, 3);
  const link = new HandLink(world);
  link.introduce(1);
  assert.not(link.has(PacketType.LEADERINFO));
  world.crash(1);
  assert.ok(link.has(PacketType.LEADERINFO));
});

test('a member that responds late keeps its place', () => {
  const world = serving();
  world.cut(1, 3);
  const link = new HandLink(world);
  link.introduce(1);
  world.pass(1000);
  world.heal();
  world.pass(600);
  link.goOn();
  assert.ok(link.isClosed);
  assert.equal(followers(world), [1, 2, 3]);
  assert.not(link.has(PacketType.UPTODATE));
});

test('of two links that are not in sync, the first to ack NEWLEADER wins', () => {
  const world = new EnsembleWorld(3);
  world.start(2, 3);
  world.until(() => world.leader === 3, 'two of three serve');
  const [first, second] = [new HandLink(world), new HandLink(world)];
  for (const link of [first, second]) link.introduce(1);
  second.goOn();
  assert.ok(second.has(PacketType.UPTODATE));
  assert.ok(first.isClosed);
});

test('the number of silent links is limited, and a member still joins', () => {
  const world = new EnsembleWorld(3);
  world.start(2, 3);
  world.until(() => world.leader === 3, 'two of three serve');
  const links = Array.from({ length: 1000 }, () => new HandLink(world));
  assert.is(links.filter(({ isClosed }) => !isClosed).length, 256);
  world.start(1);
  world.until(() => world.isServing(1), 'a member joins');
});

test('a link has a deadline for each packet, not for each byte', () => {
  const world = serving();
  for (const hasIntroduced of [false, true]) {
    const link = new HandLink(world);
    if (hasIntroduced) link.introduce(9);
    world.until(() => {
      link.push(Buffer.alloc(1));
      return link.isClosed;
    }, 'it is disconnected');
  }
});

test('a long packet waits for the ack of NEWLEADER', () => {
  const world = serving();
  const link = new HandLink(world);
  const head = Buffer.alloc(16);
  head.writeInt32BE(PacketType.FOLLOWERINFO);
  head.writeInt32BE(100_000, 12);
  link.push(head);
  assert.ok(link.isClosed);
});

test('an address is compared only if it is known', () => {
  const member = (...hosts: string[]) => ({
    sid: 1,
    role: 'participant' as const,
    addresses: hosts.map((host) => ({ host, quorumPort: 1, electionPort: 2 })),
    client: null,
    secureClient: null,
  });
  const cases: readonly (readonly [remote: string, hosts: string[], expected: string])[] = [
    ['10.0.0.1:5', ['10.0.0.1'], 'match'],
    ['10.0.0.2:5', ['10.0.0.1'], 'other'],
    ['10.0.0.2:5', ['10.0.0.1', '10.0.0.2'], 'match'],
    ['10.0.0.2:5', ['10.0.0.1', 'zk1.example'], 'unknown'],
    ['10.0.0.2:5', ['zk1.example'], 'unknown'],
    ['10.0.0.2:5', ['0.0.0.0'], 'unknown'],
    ['10.0.0.2:5', ['::'], 'unknown'],
    ['::ffff:10.0.0.1:5', ['10.0.0.1'], 'match'],
    ['fe80::1%eth0:5', ['[FE80:0:0::1]'], 'match'],
    ['by hand', ['10.0.0.1'], 'unknown'],
  ];
  for (const [remote, hosts, expected] of cases) {
    assert.is(matchAddress(remote, member(...hosts)), expected, `${remote} of ${hosts}`);
  }
  assert.is(matchAddress('10.0.0.1:5', undefined), 'unknown');
  assert.is(canonicalIp('1::2::3'), null);
});

/** Whether a link that acked NEWLEADER replaces the one that serves, and who is refused. */
function proven(remote: string, servedFrom: string, heardMeanwhile: number) {
  const refused: string[] = [];
  const addresses = [{ host: '10.0.0.1', quorumPort: 1, electionPort: 2 }];
  const peer = { membership: { config: { members: new Map([[1, { addresses }]]) } } };
  const holder = { link: 5, sid: 1, isSynced: true, remote: servedFrom, heard: 9 + heardMeanwhile };
  const rival = { link: 5, heard: 9 };
  const handler = { link: 6, sid: 1, isSynced: false, remote, rival };
  const stranger = { link: 7, sid: 2, isSynced: true, remote: '10.0.0.2:7' };
  const open = new Set([holder, handler, stranger].map((one) => one as { readonly link: number }));
  const links = {
    all: () => [...open],
    refuse: (one: { readonly link: number }) => {
      refused.push(`refused ${one.link}`);
      open.delete(one);
    },
  };
  const claims = new LinkClaims(peer as never, links as never);
  return [claims.prove(handler as never), ...refused];
}

test('a link replaces a responsive one only if its address is better', () => {
  const [own, other] = ['10.0.0.1:6', '10.0.0.9:6'];
  assert.equal(proven(other, own, 0), [true, 'refused 5'], 'the serving one is silent');
  assert.equal(proven(own, other, 1), [true, 'refused 5']);
  assert.equal(proven(own, own, 1), [false, 'refused 6']);
  assert.equal(proven(other, own, 1), [false, 'refused 6']);
  assert.equal(proven(other, other, 1), [false, 'refused 6']);
  assert.equal(proven(own, 'unknown', 1), [false, 'refused 6']);
});

test.run();
