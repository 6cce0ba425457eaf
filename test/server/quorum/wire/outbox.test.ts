import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LIMITS } from '../../../../src/server/limits/limits.js';
import {
  NewerConfigs,
  Outbox,
} from '../../../../src/server/quorum/election/fast-leader-election.js';
import {
  encodeNotification,
  isBetter,
  type Notification,
} from '../../../../src/server/quorum/wire/notification.js';
import { canonicalIp, matchAddress } from '../../../../src/server/quorum/wire/remote-address.js';
import { parse } from '../../../sim/shape.js';

function notificationOf(zxid: bigint): Notification {
  const vote = { leader: 1, zxid, electionEpoch: 1n, peerEpoch: 1n };
  return { state: 'looking', vote, version: 2, config: 'version=0' } as never;
}

test('only the newest notification for each server leaves, and none for this one', () => {
  const outbox = new Outbox({ sid: 1 });
  for (const [to, zxid] of [
    [1, 1n],
    [2, 2n],
    [3, 3n],
    [2, 4n],
  ] as const) {
    outbox.send(to, notificationOf(zxid));
  }
  assert.equal([outbox.has(1), outbox.has(2), outbox.has(4)], [false, true, false]);
  assert.equal(outbox.take(), [
    { to: 2, frame: encodeNotification(notificationOf(4n)) },
    { to: 3, frame: encodeNotification(notificationOf(3n)) },
  ]);
  assert.equal([outbox.take(), outbox.has(2)], [[], false]);
});

test('servers that ask are answered once, up to a number', () => {
  const exceeded: string[] = [];
  const outbox = new Outbox({
    sid: 1,
    exceeded: (limit, from) => exceeded.push(`${limit} ${from}`),
  });
  const most = LIMITS.electionAskers.value;
  for (let sid = 1; sid <= most; sid++) assert.ok(outbox.addAsker(sid), `${sid}`);
  assert.not(outbox.addAsker(1));
  assert.equal(exceeded, []);
  assert.not(outbox.addAsker(most + 1));
  assert.equal(exceeded, [`electionAskers server ${most + 1}`]);
  assert.is(outbox.askers.size, most);
  outbox.forgetAskers();
  assert.is(outbox.askers.size, 0);
  assert.ok(outbox.addAsker(most + 1));
  // Without a listener, too.
  const silent = new Outbox({ sid: 1 });
  for (let sid = 1; sid <= most + 1; sid++) assert.is(silent.addAsker(sid), sid <= most);
});

for (const [remote, hosts, match] of [
  ['10.0.0.1:50000', ['10.0.0.1'], 'match'],
  ['10.0.0.1:50000', ['10.0.0.2', '10.0.0.1'], 'match'],
  ['10.0.0.1:50000', ['10.0.0.2'], 'other'],
  ['10.0.0.1:50000', ['10.0.0.2', 'zk1'], 'unknown'],
  ['10.0.0.1:50000', ['zk1', '10.0.0.1'], 'match'],
  ['10.0.0.1:50000', ['0.0.0.0'], 'unknown'],
  ['10.0.0.1:50000', ['::'], 'unknown'],
  ['10.0.0.1:50000', ['10.0.0.2', '0.0.0.0'], 'unknown'],
  ['10.0.0.1:50000', [], 'unknown'],
  ['[::ffff:10.0.0.1]:50000', ['10.0.0.1'], 'match'],
  ['[::1]:50000', ['0:0:0:0:0:0:0:1'], 'match'],
  ['::1:50000', ['::1'], 'match'],
  ['[fe80::1%eth0]:50000', ['fe80::1'], 'match'],
  ['10.0.0.1', ['10.0.0.1'], 'unknown'],
  ['', ['10.0.0.1'], 'unknown'],
  ['pipe', ['10.0.0.1'], 'unknown'],
] as const) {
  test(`a link from ${remote} and a member at ${hosts.join() || 'no address'}: ${match}`, () => {
    const addresses = hosts.map((host) => ({ host, quorumPort: 1, electionPort: 2 }));
    assert.is(matchAddress(remote, { addresses } as never), match);
  });
}

test('nothing is known of a server that is not a member', () => {
  assert.is(matchAddress('10.0.0.1:50000', undefined), 'unknown');
  assert.is(canonicalIp('zk1'), null);
});

test('the later epoch is better, then the later zxid, then the higher sid', () => {
  const vote = (peerEpoch: bigint, zxid: bigint, leader: number) => ({ peerEpoch, zxid, leader });
  const ascending = [
    vote(1n, 1n, 1),
    vote(1n, 1n, 2),
    vote(1n, 2n, 1),
    vote(2n, 1n, 1),
    vote(2n, 1n, 2),
  ];
  ascending.forEach((a, i) => {
    ascending.forEach((b, j) => {
      assert.is(isBetter(a, b), i > j, `${i} and ${j}`);
    });
  });
});

test('a configuration of a notification counts if it is newer than all before, and once', () => {
  const configOf = (version: number) => parse(`server.1=h:1:2\nversion=${version}`);
  const newer = new NewerConfigs(5n);
  const note = (found: unknown) => newer.note('text', { newerIn: () => found } as never);
  assert.is(note('damaged'), 'damaged');
  assert.is(newer.note(undefined, { newerIn: () => configOf(9) } as never), '');
  assert.is(newer.take(), undefined, 'none came');
  assert.is(note(configOf(9)), '');
  assert.is(newer.take()?.version, 9n);
  for (const [version, isNew] of [
    [9, false],
    [8, false],
    [10, true],
    [10, false],
    [11, true],
  ] as const) {
    note(configOf(version));
    const taken = newer.take();
    if (isNew) assert.is(taken?.version, BigInt(`0x${version}`));
    else assert.is(taken, undefined, `${version}`);
    assert.is(newer.take(), undefined);
  }
  newer.use(configOf(20));
  newer.use(configOf(12));
  note(configOf(15));
  assert.is(newer.take(), undefined);
  note(configOf(21));
  assert.is(newer.take()?.version, 0x21n);
  note(undefined);
  assert.is(newer.take(), undefined);
});

test.run();
