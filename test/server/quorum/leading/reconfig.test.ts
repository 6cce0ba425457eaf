import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../../src/protocol/op-code.js';
import { PacketType } from '../../../../src/server/quorum/wire/quorum-packet.js';
import { EnsembleWorld } from '../worlds/ensemble-world.js';
import { HandLink } from '../worlds/hand-link.js';

test('a reconfig adds two members and removes two, including the leader', () => {
  const world = new EnsembleWorld(5, 0, { initial: 3 });
  world.start(1, 2, 3);
  world.until(() => [1, 2, 3].every((sid) => world.isServing(sid)), 'three serve');
  world.start(4, 5);
  world.until(() => [4, 5].every((sid) => world.isServing(sid)), 'the joiners follow');
  const client = world.client(1);
  client.take();
  const reconfig = (joiningServers: string, leavingServers: string) =>
    client.request(OpCode.reconfig, {
      joiningServers,
      leavingServers,
      newMembers: null,
      curConfigId: -1n,
    });
  const spec = (sid: number) =>
    `server.${sid}=127.0.0.1:${1999 + sid}:${2999 + sid}:participant;${3999 + sid}`;
  // Apache's server takes an id alone, too.
  client.push(reconfig(`${spec(4)},${spec(5).replace('server.', '')}`, ''));
  assert.equal(client.take(), ['reconfig ok']);
  world.pass(1000);
  for (const sid of [1, 2, 3, 4, 5]) {
    assert.is(world.member(sid).peer.membership.config.members.size, 5, `on ${sid}`);
  }
  assert.is(world.leader, 3);
  client.push(reconfig('', '3,2'));
  world.until(() => world.leader !== undefined && world.leader !== 3, 'another leads');
  world.until(() => [1, 4, 5].every((sid) => world.isServing(sid)), 'three serve on');
  world.crash(3);
  world.crash(2);
  const other = world.client(4);
  other.push(other.create('/a'));
  assert.equal(other.take(), ['connected', 'create ok']);
  world.crash(world.leader ?? 0);
  world.until(() => world.leader !== undefined, 'two of three continue');
});

test('several addresses need multiAddress.enabled, since Apache members without it cannot read them', () => {
  for (const option of [{}, { isMultiAddress: false }, { isMultiAddress: true }]) {
    const { isMultiAddress } = { isMultiAddress: false, ...option };
    const world = new EnsembleWorld(3, 0, { initial: 3, ...option });
    world.start();
    world.allServe();
    const client = world.client(1);
    client.take();
    const wanted = isMultiAddress ? ['reconfig ok'] : ['reconfig BADARGUMENTS'];
    const two = 'server.2=127.0.0.2:2001:3001|127.0.0.9:2001:3001:participant;4001';
    const rest = [
      'server.1=127.0.0.1:2000:3000:participant;4000',
      'server.3=127.0.0.3:2002:3002:participant;4002',
    ];
    for (const asked of [
      { joiningServers: two, leavingServers: null, newMembers: null },
      { joiningServers: null, leavingServers: null, newMembers: [two, ...rest].join() },
    ]) {
      client.push(client.request(OpCode.reconfig, { ...asked, curConfigId: -1n }));
      assert.equal(client.take(), wanted);
    }
  }
});

test('a server that joins needs a port for clients, with or without TLS', () => {
  for (const [ports, answer] of [
    ['', 'reconfig BADARGUMENTS'],
    [';4003', 'reconfig ok'],
    [';;5003', 'reconfig ok'],
    [';4003;5003', 'reconfig ok'],
  ] as const) {
    const world = new EnsembleWorld(3, 0, { initial: 3 });
    world.start();
    world.allServe();
    const client = world.client(1);
    client.take();
    const joiningServers = `server.4=127.0.0.4:2003:3003:observer${ports}`;
    const asked = { joiningServers, leavingServers: null, newMembers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
    assert.equal(client.take(), [answer], ports);
  }
});

test('a host name beyond ASCII is UTF-8 in the configuration, as in Apache (ZOOKEEPER-4787)', () => {
  for (const host of ['zo\u00f6.example', 'zo\u0144.example']) {
    const world = new EnsembleWorld(3, 0, { initial: 3 });
    world.start();
    world.allServe();
    const client = world.client(1);
    client.take();
    const joiningServers = `server.4=${host}:2000:3000:observer;4000`;
    const asked = { joiningServers, leavingServers: null, newMembers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
    assert.equal(client.take(), ['reconfig ok']);
    world.pass(1000);
    for (const sid of [1, 2, 3]) {
      const { membership, data } = world.member(sid).peer;
      const [address] = membership.config.members.get(4)?.addresses ?? [];
      assert.is(address?.host, host, `on ${sid}`);
      const bytes = Buffer.from(data.tree.dataAt('/zookeeper/config') ?? '', 'latin1');
      assert.match(bytes.toString(), `server.4=${host}:2000:3000:observer`);
    }
  }
});

test('a member that missed two reconfigs follows at once', () => {
  const world = new EnsembleWorld(4, 0, { initial: 4 });
  world.start(1, 2, 3, 4);
  world.until(() => [1, 2, 3, 4].every((sid) => world.isServing(sid)), 'four serve');
  // The leaving member has the txn of its session, so that it needs no snapshot.
  const client = world.client(3);
  client.take();
  world.crash(1);
  const spec = 'server.2=127.0.0.1:2001:3001:participant;4001';
  for (const [joiningServers, leavingServers] of [
    ['', '2'],
    [spec, ''],
  ]) {
    const asked = { joiningServers, leavingServers, newMembers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
    assert.equal(client.take(), ['reconfig ok']);
  }
  world.start(1);
  world.until(() => world.isServing(1), 'it follows');
  const { version } = world.member(3).peer.membership.config;
  assert.is(world.member(1).peer.membership.config.version, version);
  assert.is(world.member(1).peer.membership.next, null);
  assert.not.match(world.member(1).notes.join('\n'), /broke the protocol/);
});

test('a member that joins while a reconfig is proposed waits until it is committed', () => {
  const world = new EnsembleWorld(4, 0, { initial: 4 });
  world.start();
  world.until(() => [1, 2, 3, 4].every((sid) => world.isServing(sid)), 'four serve');
  const client = world.client(3);
  client.take();
  world.crash(1);
  const { version } = world.member(3).peer.membership.config;
  for (const sid of [2, 3]) world.member(sid).isDiskHeld = true;
  const leaving = { joiningServers: '', leavingServers: '2', newMembers: null, curConfigId: -1n };
  client.push(client.request(OpCode.reconfig, leaving));
  world.start(1);
  world.until(() => world.isServing(1), 'it follows');
  const { membership } = world.member(1).peer;
  assert.is(membership.config.version, version);
  assert.ok((membership.next?.version ?? 0n) > version);
  assert.equal(client.take(), []);
  for (const sid of [2, 3]) world.member(sid).isDiskHeld = false;
  world.pass(100);
  assert.equal(client.take(), ['reconfig ok']);
  assert.is(membership.next, null);
  assert.equal([...membership.config.members.keys()], [1, 3, 4]);
});

test('a reconfig is refused if it is invalid or no quorum follows it', () => {
  const world = new EnsembleWorld(4, 0, { initial: 3 });
  world.start(1, 2, 3);
  world.until(() => [1, 2, 3].every((sid) => world.isServing(sid)), 'three serve');
  const client = world.client(1);
  client.take();
  const cases: readonly [joining: string, leaving: string, curConfigId: bigint, answer: string][] =
    [
      ['', '1,2', -1n, 'BADARGUMENTS'],
      ['server.9=nonsense', '', -1n, 'BADARGUMENTS'],
      ['server.4=127.0.0.1:2000:3003:participant;4003', '', -1n, 'BADARGUMENTS'],
      ['', '1', 77n, 'BADVERSION'],
      ['server.7=h:1:2;3,server.8=h:4:5;6,server.9=h:7:8;9', '1', -1n, 'NEWCONFIGNOQUORUM'],
    ];
  for (const [joiningServers, leavingServers, curConfigId, answer] of cases) {
    const asked = { joiningServers, leavingServers, newMembers: null, curConfigId };
    client.push(client.request(OpCode.reconfig, asked));
    assert.equal(client.take(), [`reconfig ${answer}`], `${joiningServers} ${leavingServers}`);
  }
  const none = { joiningServers: null, leavingServers: null, newMembers: '', curConfigId: -1n };
  client.push(client.request(OpCode.reconfig, none));
  assert.equal(client.take(), ['reconfig BADARGUMENTS'], 'an empty list of all members');
});

test('a joiner may have the address of a server that leaves or that it replaces, and no other', () => {
  const world = new EnsembleWorld(4, 0, { initial: 3 });
  world.start(1, 2, 3);
  world.until(() => [1, 2, 3].every((sid) => world.isServing(sid)), 'three serve');
  const client = world.client(2);
  client.take();
  const place = (sid: number) => `127.0.0.${sid}:${1999 + sid}:${2999 + sid};${3999 + sid}`;
  const [of1, of2, of9] = [place(1), place(2), place(9)];
  const cases: readonly [joining: string, leaving: string, answer: string][] = [
    [`server.9=${of1}`, '1', 'ok'],
    [`server.9=${of1}`, '', 'ok'],
    [`server.8=${of1}`, '', 'BADARGUMENTS'],
    [`server.9=${of2}`, '', 'BADARGUMENTS'],
    [`server.8=${of9},server.7=${of9}`, '', 'BADARGUMENTS'],
    [`server.9=${of9},server.9=${of1},server.8=${of9}`, '9', 'NEWCONFIGNOQUORUM'],
  ];
  for (const [joiningServers, leavingServers, answer] of cases) {
    const asked = { joiningServers, leavingServers, newMembers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
    world.pass(1000);
    assert.equal(client.take(), [`reconfig ${answer}`], `${joiningServers} ${leavingServers}`);
  }
});

test('a reconfig with many servers takes linear time', () => {
  const world = new EnsembleWorld(3, 0, { initial: 3 });
  world.start();
  world.allServe();
  const client = world.client(3);
  client.take();
  const many = Array.from({ length: 30_000 }, (_, at) => `server.${at + 10}=h${at}:1:2;3`).join();
  for (const servers of [
    { joiningServers: many, newMembers: null },
    { joiningServers: null, newMembers: many },
  ]) {
    const asked = { ...servers, leavingServers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
    assert.equal(client.take(), ['reconfig NEWCONFIGNOQUORUM']);
  }
});

/** Adds the observer 4, at the leader 3. */
function addObserver(world: EnsembleWorld): void {
  const client = world.client(3);
  client.take();
  const joiningServers = 'server.4=127.0.0.4:2003:3003:observer;4003';
  const asked = { joiningServers, leavingServers: null, newMembers: null, curConfigId: -1n };
  client.push(client.request(OpCode.reconfig, asked));
  assert.equal(client.take(), ['reconfig ok']);
}

test('a learner that is behind when a reconfig is committed begins anew', () => {
  const world = new EnsembleWorld(3, 0, { initial: 3 });
  world.start();
  world.allServe();
  world.crash(1);
  const link = new HandLink(world);
  link.introduce(1);
  const { lastProcessedZxid } = world.member(3).peer.data.tree;
  link.say(PacketType.ACKEPOCH, lastProcessedZxid, Buffer.alloc(4));
  assert.is(link.handler?.stage, 'syncing');
  link.tell({ kind: 'link-output', state: 'full' });
  addObserver(world);
  assert.ok(link.isClosed, world.describe());
});

test('a reconfig between NEWLEADER and UPTODATE is the one that counts', () => {
  const world = new EnsembleWorld(3, 0, { initial: 3 });
  world.start();
  world.allServe();
  world.crash(1);
  world.member(1).isDiskHeld = true;
  world.start(1);
  const isPersisting = () => world.member(1).disk.work.length > 0;
  world.until(isPersisting, 'it stores the epoch');
  world.member(1).disk.work.shift()?.();
  world.settle();
  world.until(isPersisting, 'it stores NEWLEADER');
  addObserver(world);
  assert.not(world.isServing(1));
  world.member(1).isDiskHeld = false;
  world.until(() => world.isServing(1), 'it serves');
  const { config } = world.member(1).peer.membership;
  assert.ok(config.members.has(4), world.member(1).notes.join('; '));
  assert.is(config.version, world.member(3).peer.membership.config.version);
});

test.run();
