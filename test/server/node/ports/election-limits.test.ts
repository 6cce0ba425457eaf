/** The limits of an election connection. A report names the exceeded limit. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LIMITS } from '../../../../src/server/limits/limits.js';
import {
  acceptPasswords,
  logInWithPassword,
} from '../../../../src/server/node/boot/quorum-logins.js';
import { ELECTION_WAITS } from '../../../../src/server/node/ports/election-peer.js';
import type { ElectionPortOptions } from '../../../../src/server/node/ports/election-port.js';
import { QuorumAuth } from '../../../../src/server/node/ports/quorum-auth.js';
import { AUTH_MAGIC } from '../../../../src/server/quorum/wire/auth-packet.js';
import { ByteBuilder } from '../../../support/bytes/byte-builder.js';
import { waitFor } from '../../../support/wait-for.js';
import { type ElectionWorld, preambleOf, startElectionPort } from './election-world.js';
import { within as withinQuorumPort } from './quorum-port-world.js';

interface World extends ElectionWorld {
  /** "limit address" of each report. */
  readonly exceeded: string[];
}

async function within(
  [sid, size]: [number, number],
  body: (world: World) => Promise<void>,
  options: Partial<ElectionPortOptions> = {},
): Promise<void> {
  const exceeded: string[] = [];
  const notified: string[] = [];
  const world = await startElectionPort(sid, size, {
    step: (event) => {
      if (event.kind === 'limit-exceeded') exceeded.push(`${event.limit} ${event.from}`);
      else if (event.kind === 'notified') notified.push(`${event.sid}`);
    },
    ...options,
  });
  try {
    await body({ ...world, exceeded, notified });
  } finally {
    await world.close();
  }
}

const SHORT = { dialRequestMs: 20, proofMs: 20, maxPauseMs: 1, crossingMs: 0 };

test('a frame that is too long ends the connection', () =>
  within([2, 3], async ({ connect, exceeded }) => {
    const peer = connect(3);
    peer.socket.write(new ByteBuilder().int(LIMITS.electionFrameLength.value + 1).build());
    await waitFor('the end', () => peer.isClosed);
    assert.equal(exceeded, ['electionFrameLength 127.0.0.1']);
    const broken = connect(3);
    broken.socket.write(new ByteBuilder().int(-1).build());
    await waitFor('the other to end', () => broken.isClosed);
    assert.is(exceeded.length, 1, 'a negative length is a malformed frame, not a limit');
  }));

test('too many frames in a second end the connection', () =>
  within([2, 3], async ({ connect, exceeded }) => {
    const peer = connect(3);
    const frame = new ByteBuilder().string('vote').build();
    // Enough that any interval of a second has too many of them.
    const count = 2 * LIMITS.electionFramesPerSecond.value + 2;
    peer.socket.write(Buffer.concat(new Array<Buffer>(count).fill(frame)));
    await waitFor('the end', () => peer.isClosed);
    assert.equal(exceeded, ['electionFramesPerSecond 127.0.0.1']);
  }));

test('addresses that are too long end the connection', () =>
  within([2, 3], async ({ connect, exceeded }) => {
    const peer = connect();
    const length = LIMITS.electionAddressLength.value + 1;
    peer.socket.write(new ByteBuilder().long(-65536n).long(3n).int(length).build());
    await waitFor('the end', () => peer.isClosed);
    assert.equal(exceeded, ['electionAddressLength 127.0.0.1']);
  }));

test('a connection that does not answer a probe in time is replaced', () =>
  within(
    [2, 3],
    async ({ connect, exceeded, notified, port }) => {
      const silent = connect(3);
      port.notify(3, Buffer.from('vote'));
      await waitFor('it is connected', () => silent.received.length > 0);
      const second = connect(3);
      await waitFor('the silent one to end', () => silent.isClosed);
      assert.equal(exceeded, ['electionProofTime 127.0.0.1']);
      assert.not(second.isClosed);
      assert.equal(notified, []);
    },
    { waits: { ...ELECTION_WAITS, ...SHORT } },
  ));

test('a connection that requested a call-back and stays open is closed', () =>
  within(
    [1, 3],
    async ({ exceeded, port, listenAs }) => {
      const accepted = await listenAs(3, true);
      port.notify(3, Buffer.from('vote'));
      await waitFor('the report', () => exceeded.length > 0);
      assert.is(exceeded[0], 'electionConnectTime 127.0.0.1');
      const [peer] = accepted;
      // Frames that it sends now are ignored.
      await waitFor('the end', () => {
        if (peer?.socket.writable === true) peer.sendFrame('late');
        return peer?.isClosed === true;
      });
    },
    { waits: { ...ELECTION_WAITS, ...SHORT } },
  ));

test('calls to a server that requested one and never listens end', () =>
  within(
    [3, 3],
    async ({ connect, exceeded }) => {
      const request = connect(1);
      await waitFor('the request to be closed', () => request.isClosed);
      await waitFor('the report', () => exceeded.length > 0);
      assert.equal(exceeded, ['electionCallsBack server 1']);
    },
    { waits: { ...ELECTION_WAITS, ...SHORT } },
  ));

test('the number of unidentified connections is limited, and the oldest is closed', () =>
  within([2, 3], async ({ connect, exceeded, port }) => {
    const oldest = connect();
    await waitFor('it', () => oldest.socket.readyState === 'open');
    for (let i = 0; i < LIMITS.electionGreetings.value; i++) connect();
    await waitFor('it to be disconnected', () => oldest.isClosed);
    assert.equal(exceeded, ['electionGreetings 127.0.0.1']);
    port.close();
  }));

test('a connection that does not identify itself in time is closed, and the timeout is reported', async () => {
  const values: (number | undefined)[] = [];
  await within(
    [2, 3],
    async ({ connect }) => {
      const silent = connect();
      await waitFor('its end', () => silent.isClosed);
      assert.equal(values, [20]);
    },
    {
      // The key quorumCnxnTimeoutMs.
      greetingTimeoutMs: 20,
      step: (event) => {
        if (event.kind === 'limit-exceeded' && event.limit === 'electionGreetingTime') {
          values.push(event.value);
        }
      },
    },
  );
});

test('the number of unknown servers is limited, and one more is refused', () =>
  within([1, 2], async ({ connect, exceeded, notified }) => {
    const count = LIMITS.electionStrangers.value;
    for (let i = 0; i < count; i++) connect(10 + i).sendFrame('hello');
    await waitFor('them all', () => notified.length === count);
    const last = connect(99);
    await waitFor('it to be refused', () => last.isClosed);
    assert.equal(exceeded, ['electionStrangers 127.0.0.1']);
  }));

const AUTH = new QuorumAuth({
  accept: acceptPasswords(new Map([['zk', 'secret']])),
  login: logInWithPassword({ user: 'zk', password: 'secret' }),
  isRequired: true,
});

const LONG_TOKEN = new ByteBuilder()
  .long(AUTH_MAGIC)
  .int(0)
  .int(LIMITS.peerAuthTokenLength.value + 1)
  .build();

test('a SASL token that is too long is reported by both ends', async () => {
  await within(
    [2, 3],
    async ({ connect, listenAs, electionPortOf, exceeded, port }) => {
      const peer = connect();
      peer.socket.write(Buffer.concat([preambleOf(3, electionPortOf(3)), LONG_TOKEN]));
      await waitFor('the end', () => peer.isClosed);
      assert.equal(exceeded, ['peerAuthTokenLength 127.0.0.1']);
      const accepted = await listenAs(1);
      port.notify(1, Buffer.from('vote'));
      const called = await waitFor('a call', () => accepted[0]);
      called.socket.write(LONG_TOKEN);
      await waitFor('the other report', () => exceeded.length === 2);
    },
    { auth: AUTH },
  );
  await withinQuorumPort(
    async ({ call, events, port, serve }) => {
      const exceeded = () =>
        events.flatMap((event) => {
          const { kind, limit } = event as { kind: string; limit?: string };
          return kind === 'limit-exceeded' ? [limit] : [];
        });
      call().socket.write(LONG_TOKEN);
      await waitFor('the report', () => exceeded().length === 1);
      const { port: number, sockets } = await serve();
      const addresses = [{ host: '127.0.0.1', port: number }];
      port.dial({ kind: 'link-dial', link: -1, addresses, timeoutMs: 5000 });
      (await waitFor('a call', () => sockets[0])).write(LONG_TOKEN);
      await waitFor('the other report', () => exceeded().length === 2);
      assert.equal(exceeded(), ['peerAuthTokenLength', 'peerAuthTokenLength']);
    },
    { auth: AUTH },
  );
});

test.run();
