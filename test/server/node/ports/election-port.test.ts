import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../../../support/machine/free-port.js';
import { waitFor } from '../../../support/wait-for.js';
import { type ElectionWorld, preambleOf, startElectionPort } from './election-world.js';

/** Runs `body` with the port of server `sid` in an ensemble of `size`, and closes everything. */
async function within(
  [sid, size]: [number, number],
  body: (world: ElectionWorld) => Promise<void>,
  options = {},
): Promise<void> {
  const world = await startElectionPort(sid, size, options);
  try {
    await body(world);
  } finally {
    await world.close();
  }
}

test('connects to a smaller server, sends its preamble, and receives on the same connection', () =>
  within([3, 3], async (world) => {
    const accepted = await world.listenAs(1);
    world.port.notify(1, Buffer.from('vote'));
    const preamble = preambleOf(3, world.electionPortOf(3));
    const peer = await waitFor('the vote', () =>
      accepted.find((socket) => socket.frames(preamble.length).length === 1),
    );
    assert.equal(peer.received.subarray(0, preamble.length), preamble);
    assert.equal(peer.frames(preamble.length), ['vote']);
    peer.sendFrame('answer');
    await waitFor('the answer', () => world.notified.length === 1);
    assert.equal(world.notified, ['1: answer']);
  }));

test('requests a call-back from a larger server, which connects and receives the pending vote', () =>
  within([1, 3], async (world) => {
    const accepted = await world.listenAs(3);
    world.port.notify(3, Buffer.from('old'));
    world.port.notify(3, Buffer.from('new'));
    const request = await waitFor('a dial request', () =>
      accepted.find(({ isClosed }) => isClosed),
    );
    assert.equal(request.received, preambleOf(1, world.electionPortOf(1)));
    const call = world.connect(3);
    await waitFor('the vote', () => call.frames().length > 0);
    assert.equal(call.frames(), ['new']);
  }));

test('calls back a smaller server that requests it when the previous connection is silent', () =>
  within([3, 3], async (world) => {
    const accepted = await world.listenAs(2);
    world.port.notify(2, Buffer.from('vote'));
    const length = preambleOf(3, 1).length + String(world.electionPortOf(3)).length - 1;
    await waitFor('the vote', () => accepted[0]?.frames(length).length === 1);
    const request = world.connect(2);
    await waitFor('the request to be closed', () => request.isClosed);
    await waitFor('the old connection to be closed', () => accepted[0]?.isClosed);
    // The vote may have been lost with the old connection.
    await waitFor('the vote again', () => accepted[1]?.frames(length).length === 1);
    assert.equal(accepted[1]?.frames(length), ['vote']);
  }));

test('reopens a broken connection and repeats the last message', () =>
  within([3, 3], async (world) => {
    const accepted = await world.listenAs(2);
    world.port.notify(2, Buffer.from('vote'));
    await waitFor('the vote', () => accepted[0]?.received.includes('vote'));
    accepted[0]?.socket.destroy();
    await waitFor('the vote again', () => accepted[1]?.received.includes('vote'));
  }));

test('calls back until the requesting server listens, even without a message to send', () =>
  within([3, 3], async (world) => {
    const request = world.connect(2);
    await waitFor('the request to be closed', () => request.isClosed);
    await waitFor('a failed call', () => world.warnings.length > 0);
    const accepted = await world.listenAs(2);
    const call = await waitFor('a call', () => accepted[0]);
    call.sendFrame('vote');
    await waitFor('its vote', () => world.notified.includes('2: vote'));
  }));

test('a newer connection of a larger server replaces a silent one', () =>
  within([1, 2], async (world) => {
    const first = world.connect(2);
    first.sendFrame('one');
    await waitFor('one', () => world.notified.length === 1);
    const second = world.connect(2);
    second.sendFrame('two');
    await waitFor('the first to be closed', () => first.isClosed);
    await waitFor('two', () => world.notified.length === 2);
    world.port.notify(2, Buffer.from('vote'));
    await waitFor('the vote', () => second.frames().length === 1);
    assert.equal(world.notified, ['2: one', '2: two']);
  }));

test('connects again and again while a vote waits for an absent server', () =>
  within([2, 2], async (world) => {
    world.port.notify(1, Buffer.from('vote'));
    await waitFor('a try', () => world.warnings.length > 0);
    assert.match(
      world.warnings[0] ?? '',
      /server 1: no election connection: .* refused the connection/,
    );
    const accepted = await world.listenAs(1);
    await waitFor('the vote', () => accepted[0]?.received.includes('vote'));
  }));

test('accepts the preamble of releases before 3.5, and an observer without a number', () =>
  within([2, 3], async (world) => {
    const old = world.connect();
    const sid = Buffer.alloc(8);
    sid.writeBigInt64BE(3n);
    old.socket.write(sid);
    old.sendFrame('old');
    await waitFor('its vote', () => world.notified.length === 1);
    assert.equal(world.notified, ['3: old']);
    const accepted = await world.listenAs(1);
    const nameless = preambleOf(0, world.electionPortOf(1));
    nameless.writeBigInt64BE(0x7fff_ffff_ffff_ffffn, 8);
    world.connect().socket.write(nameless);
    const call = await waitFor('to be called back', () => accepted[0]);
    call.sendFrame('seeing');
    await waitFor('its frame', () => world.notified.length === 2);
    assert.is(world.notified[1], '-1: seeing');
  }));

const rubbish: [name: string, bytes: Buffer, warning: RegExp][] = [
  ['an HTTP request', Buffer.from('\xffET / HTTP/1.1\r\n\r\n', 'latin1'), /not a server/],
  ['its own number', preambleOf(2, 1), /has the id of this server: 2\. Check the file myid/],
  [
    'an empty frame',
    Buffer.concat([preambleOf(3, 1), Buffer.alloc(4)]),
    /server 3: closed its election connection: an empty frame/,
  ],
  [
    'an oversized frame',
    Buffer.concat([preambleOf(3, 1), Buffer.from([0, 8, 0, 1])]),
    /server 3: closed its election connection: frame length 524289/,
  ],
  [
    'a flood',
    Buffer.concat([preambleOf(3, 1), Buffer.alloc(5 * 1100, Buffer.from([0, 0, 0, 1, 7]))]),
    /server 3: closed its election connection: over 1000 frames a second/,
  ],
];

for (const [name, bytes, warning] of rubbish) {
  test(`closes a connection that sends ${name}, reports it, and accepts others`, () =>
    within([2, 4], async (world) => {
      const other = world.connect(4);
      other.sendFrame('before');
      await waitFor('the other', () => world.notified.includes('4: before'));
      const bad = world.connect();
      bad.socket.write(bytes);
      await waitFor('it to be closed', () => bad.isClosed);
      assert.match(world.warnings.join('\n'), warning);
      other.sendFrame('later');
      await waitFor('the other again', () => world.notified.includes('4: later'));
      assert.not.ok(other.isClosed);
    }));
}

test('silent connections are closed in time, and the oldest of them if there are too many', () =>
  within(
    [2, 3],
    async (world) => {
      const silent = Array.from({ length: 70 }, () => world.connect());
      await waitFor('one to be disconnected', () => silent.some(({ isClosed }) => isClosed));
      world.connect(3).sendFrame('vote');
      await waitFor('a server among them', () => world.notified.length === 1);
      await waitFor('all to be disconnected', () => silent.every(({ isClosed }) => isClosed));
    },
    { greetingTimeoutMs: 1000 },
  ));

test('accepts an unknown server, which may join later, but refuses a crowd of them', () =>
  within([1, 2], async (world) => {
    const strangers = Array.from({ length: 16 }, (_, index) => {
      const stranger = world.connect(10 + index);
      stranger.sendFrame('hello');
      return stranger;
    });
    await waitFor('them all', () => world.notified.length === 16);
    world.port.notify(10, Buffer.from('vote'));
    await waitFor('an answer', () => strangers[0]?.frames().length === 1);
    const oneTooMany = world.connect(99);
    await waitFor('it to be refused', () => oneTooMany.isClosed);
    strangers[3]?.socket.destroy();
    await waitFor('room for another', async () => {
      const next = world.connect(99);
      next.sendFrame('in');
      await waitFor('an end', () => next.isClosed || world.notified.includes('99: in'));
      return world.notified.includes('99: in');
    });
    assert.match(world.warnings.join('\n'), /server 10: not a member/);
  }));

test('disconnects a removed member, and listens on a new address', () =>
  within([1, 3], async (world) => {
    const third = world.connect(3);
    third.sendFrame('vote');
    await waitFor('the vote', () => world.notified.length === 1);
    const [own, second] = world.members;
    if (own === undefined || second === undefined) throw new Error('two members are expected');
    const moved = { ...own, addresses: second.addresses };
    world.port.setMembers([moved, second]);
    await waitFor('the third to be closed', () => third.isClosed);
    const socket = connect(world.electionPortOf(2), '127.0.0.1');
    socket.on('error', () => undefined);
    try {
      await waitFor('the new port', () => socket.readyState === 'open');
    } finally {
      socket.destroy();
    }
  }));

test('a removed member keeps its address and reports it', () =>
  within([2, 2], async (world) => {
    const accepted = await world.listenAs(1);
    world.port.setMembers(world.members.slice(0, 1));
    world.port.notify(1, Buffer.from('vote'));
    const preamble = preambleOf(2, world.electionPortOf(2));
    const [called] = await waitFor('the vote', () =>
      accepted[0]?.received.includes('vote') ? accepted : undefined,
    );
    assert.equal(called?.received.subarray(0, preamble.length), preamble);
    world.connect(3).sendFrame('hello');
    await waitFor('incoming connections', () => world.notified.length === 1);
  }));

test('finds the responsive address among several', () =>
  within([2, 2], async (world) => {
    const accepted = await world.listenAs(1);
    const [first, own] = world.members;
    if (first === undefined || own === undefined) throw new Error('two members are expected');
    const dead = { host: '127.0.0.2', quorumPort: 1, electionPort: world.electionPortOf(1) };
    world.port.setMembers([{ ...first, addresses: [dead, ...first.addresses] }, own]);
    world.port.notify(1, Buffer.from('vote'));
    await waitFor('the vote', () => accepted[0]?.received.includes('vote'));
  }));

test('reports a port that it cannot listen on', async () => {
  const world = await startElectionPort(1, 2);
  try {
    const again = await startElectionPort(1, 2).then(async (other) => {
      try {
        await other.port.listen(world.members);
        return '';
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      } finally {
        await other.close();
      }
    });
    assert.match(again, /127\.0\.0\.1:\d+: cannot listen for elections: in use by a listener/);
  } finally {
    await world.close();
  }
});

test('it also calls those who are in a proposed membership alone, and at their new addresses', async () => {
  const world = await startElectionPort(4, 3);
  try {
    const [first, second, third] = world.members;
    assert.ok(first && second && third);
    const own = { ...first, sid: 4 };
    const dead = [{ host: '127.0.0.1', quorumPort: 1, electionPort: await freePort() }];
    const accepted = [await world.listenAs(1), await world.listenAs(2), await world.listenAs(3)];
    world.port.setMembers([own, { ...first, addresses: dead }, third], [own, first, second]);
    for (const sid of [1, 2, 3]) world.port.notify(sid, Buffer.from(`to ${sid}`));
    await waitFor('a call to each', () => accepted.every(([socket]) => socket !== undefined));
    world.port.setMembers([own, third]);
    await waitFor('the ends', () =>
      accepted.slice(0, 2).every((sockets) => sockets.every(({ isClosed }) => isClosed)),
    );
    assert.not.ok(accepted[2]?.[0]?.isClosed);
  } finally {
    await world.close();
  }
});

test.run();
