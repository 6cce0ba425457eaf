import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kerberos } from '../../../src/client/base/kerberos.js';
import type { SaslClientExchange, SaslClientStep } from '../../../src/protocol/sasl-step.js';
import { SaslDigest } from '../../../src/server/session/sasl-digest.js';
import { bytes, hello, int, reply, request, SessionHarness, welcome } from '../session-harness.js';

const SASL = 102;

/** The tokens of a server that knows bob. */
function serverSide(): SaslDigest {
  return new SaslDigest({
    users: new Map([['bob', 'secret']]),
    md5: (data) => createHash('md5').update(data).digest(),
    nonce: () => 'nonce',
  });
}

function answer(server: SaslDigest, packet: Buffer): Buffer {
  const step = server.step(packet.subarray(16));
  return step.kind === 'failed'
    ? reply(0, 0n, -115, int(-1))
    : reply(0, 0n, 0, bytes(step.token.toString()));
}

function connect(harness: SessionHarness): SaslDigest {
  harness.session.handleConnected(harness.now);
  harness.takeBytes();
  harness.receive(welcome());
  return serverSide();
}

const login = { sasl: { user: 'bob', password: 'secret' } };

test('requests and identities wait for the end of SASL, on every connection', () => {
  const harness = new SessionHarness(login);
  harness.session.start(0);
  harness.addAuth('digest', 'ann:pw');
  harness.ask('/early');
  for (const after of ['', '/late']) {
    const server = connect(harness);
    if (after !== '') harness.ask(after);
    for (let left = 2; left > 0; left--) {
      const packet = harness.takeBytes();
      assert.equal([packet.readInt32BE(4), packet.readInt32BE(8)], [0, SASL]);
      assert.is(packet.length, packet.readInt32BE(0) + 4, 'nothing follows the token');
      assert.not.ok(harness.log.includes('state connected'));
      harness.receive(answer(server, packet));
    }
    assert.is(harness.takeLog().at(-1), 'state connected');
    const sent = harness.takeBytes();
    assert.is(sent.readInt32BE(4), -4, 'the identity comes first');
    assert.ok(sent.includes(request(after === '' ? 1 : 2, after === '' ? '/early' : after)));
    harness.session.handleClosed(undefined, harness.now);
    harness.takeLog();
    harness.tick(harness.now + 10_000);
  }
});

for (const [says, packets] of [
  ['refused the SASL login of "bob"', [reply(0, 0n, -115, int(-1))]],
  ['does not use SASL, or refused the login', [reply(0, 0n, 0, int(-1))]],
  ['answered another request than SASL', [reply(5, 0n, 0)]],
  [
    'broke off SASL: unsupported algorithm (expected md5-sess)',
    [reply(0, 0n, 0, bytes('nonce="n",algorithm=md5'))],
  ],
  [
    'broke off SASL: the other side did not prove that it knows the password',
    [
      reply(0, 0n, 0, bytes('nonce="n",algorithm=md5-sess')),
      reply(0, 0n, 0, bytes('rspauth=0123')),
    ],
  ],
] as const) {
  test(`a session ends where the server ${says}`, () => {
    const harness = new SessionHarness(login);
    harness.session.start(0);
    harness.ask('/a');
    connect(harness);
    harness.takeLog();
    for (const packet of packets) harness.receive(packet);
    assert.equal(harness.takeLog(), [
      'disconnect',
      `state auth-failed: a:1 ${says}`,
      'AUTHFAILED /a',
    ]);
  });
}

test('without a login, no token is sent', () => {
  const harness = new SessionHarness();
  harness.session.start(0);
  harness.session.handleConnected(0);
  assert.equal(harness.takeBytes(), hello(0n, 0n, null));
  harness.receive(welcome());
  assert.is(harness.takeBytes().length, 0);
});

const byKerberos = { sasl: kerberos({}) };

/** The client's side of a mechanism that ends with an empty token. */
class FakeExchange implements SaslClientExchange {
  readonly user = 'alice@A';
  readonly first = Buffer.from('ticket');
  endsEmpty = false;

  step(token: Buffer): SaslClientStep {
    if (this.endsEmpty) return { kind: 'done' };
    this.endsEmpty = true;
    return { kind: 'continue', token: Buffer.from(`after ${token}`) };
  }
}

const tokenIn = (packet: Buffer): string => packet.toString('latin1', 16);

test('a login by Kerberos begins before each connection, and ends with an empty token', () => {
  const harness = new SessionHarness(byKerberos);
  harness.session.start(0);
  for (let connections = 0; connections < 2; connections++) {
    // Only the KDC limits this time.
    assert.is(harness.session.nextDeadlineMs === Number.POSITIVE_INFINITY, connections === 0);
    harness.session.handleLogin(new FakeExchange(), harness.now);
    assert.ok(harness.session.nextDeadlineMs < Number.POSITIVE_INFINITY);
    connect(harness);
    assert.is(tokenIn(harness.takeBytes()), 'ticket');
    harness.receive(reply(0, 0n, 0, bytes('proof')));
    assert.is(tokenIn(harness.takeBytes()), 'after proof');
    assert.not.ok(harness.takeLog().includes('state connected'));
    harness.receive(reply(0, 0n, 0, int(-1)));
    assert.is(harness.takeLog().at(-1), 'state connected');
    harness.session.handleClosed(undefined, harness.now);
    harness.takeLog();
    harness.tick(harness.now + 1000);
  }
});

test('an empty token before the end is a refusal', () => {
  const harness = new SessionHarness(byKerberos);
  harness.session.start(0);
  harness.session.handleLogin(new FakeExchange(), 0);
  connect(harness);
  harness.takeBytes();
  harness.receive(reply(0, 0n, 0, int(-1)));
  assert.is(harness.session.state, 'auth-failed');
});

test('a login that no server would accept ends the session, and no KDC only the attempt', () => {
  const harness = new SessionHarness(byKerberos);
  harness.session.start(0);
  harness.session.handleClosed(new Error('no KDC'), 0);
  assert.is(harness.session.state, 'connecting');
  harness.tick(1000);
  harness.session.handleLogin(new Error('unknown principal'), 1000);
  assert.is(harness.session.state, 'auth-failed');
});

test.run();
