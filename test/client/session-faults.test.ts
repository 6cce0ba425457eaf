import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperError } from '../../src/client/base/errors.js';
import { describeSocketError, SocketFault } from '../../src/client/base/socket-fault.js';
import { DEFAULT_MAX_BUFFER as MAX_BUFFER, makeRequest } from '../../src/client/session/request.js';
import { ServerList } from '../../src/client/session/server-list.js';
import { bytes, int, PATH_ONLY, reply, SessionHarness, TWO } from './session-harness.js';

// Faults that a retry cannot fix: a host that does not exist, a request that every server refuses.

function socketFault(code: string, host: string): Error {
  return describeSocketError(Object.assign(new Error(code), { code }), { host, port: 1 });
}

for (const [isFinal, code, expected] of [
  [true, 'ENOTFOUND', 'state closed: no server of the list exists'],
  [true, 'EAI_AGAIN', undefined],
  [false, 'ENOTFOUND', undefined],
] as const) {
  const what = expected === undefined ? 'continues' : 'gives up';
  test(`connecting: ${what} after ${code} of each host, final: ${isFinal}`, () => {
    const h = new SessionHarness({ servers: TWO, isUnknownHostFinal: isFinal });
    h.session.start(0);
    h.session.handleClosed(socketFault(code, 'a'), 0);
    assert.is(h.session.state, 'connecting');
    h.session.handleClosed(socketFault(code, 'b'), 0);
    assert.is(
      h.log.find((line) => line.startsWith('state')),
      expected,
    );
  });
}

for (const [what, fault, message] of [
  [
    'every server refused',
    (host: string) => socketFault('ECONNREFUSED', host),
    'no server of the list listens',
  ],
  [
    'TLS with every server failed',
    (host: string) => new SocketFault('tls', { host, port: 2281 }, 'has an unknown certificate'),
    'no server of the list speaks this TLS',
  ],
] as const) {
  test(`connecting: gives up after four rounds in which ${what}`, () => {
    const list = new ServerList({
      servers: TWO,
      random: () => 0,
      connectRounds: Number.POSITIVE_INFINITY,
      connectTimeoutMs: 5000,
      isUnknownHostFinal: true,
    });
    let waitedMs = 0;
    for (let tries = 0; list.exhausted === undefined; tries++) {
      assert.ok(tries < 8, 'too many tries');
      waitedMs += list.next(30_000);
      list.failed(fault(list.current.host));
    }
    assert.is(list.exhausted.message, message);
    assert.ok(waitedMs > 100 && waitedMs < 1000, `${waitedMs} ms`);
  });
}

test('connecting: continues if one host of the list exists', () => {
  const h = new SessionHarness({ servers: TWO, isUnknownHostFinal: true });
  h.session.start(0);
  h.session.handleClosed(socketFault('ENOTFOUND', 'a'), 0);
  h.session.handleClosed(socketFault('ECONNREFUSED', 'b'), 0);
  assert.is(h.session.state, 'connecting');
});

test('requests: a lost request that is too large for most servers reports its size', async () => {
  const h = new SessionHarness();
  h.establish();
  const lost = [MAX_BUFFER, MAX_BUFFER + 1].map(
    (bytes) =>
      new Promise<Error>((resolve) => {
        // A header of 8 bytes, and the length of the path before it.
        const path = `/${'a'.repeat(bytes - 13)}`;
        h.session.submit(
          makeRequest(PATH_ONLY, path, '/big', () => {}, resolve),
          0,
        );
      }),
  );
  h.takeBytes();
  h.session.handleClosed(undefined, 0);
  const [fitting, oversize] = await Promise.all(lost);
  assert.not.match(fitting?.message ?? '', 'jute.maxbuffer');
  assert.match(
    oversize?.message ?? '',
    'the request of 1048576 bytes exceeds jute.maxbuffer (default 1048575)',
  );
  assert.is(Object(oversize).oversizeBytes, MAX_BUFFER + 1);
});

test('requests: a reply that is too long fails its own request with its size', () => {
  const h = new SessionHarness({ maxFrameLength: 1000 });
  h.establish();
  const failures: ZooKeeperError[] = [];
  for (const path of ['/first', '/long', '/behind']) {
    const fail = (error: Error) => failures.push(error as ZooKeeperError);
    h.session.submit(
      makeRequest(PATH_ONLY, path, path, () => {}, fail),
      0,
    );
  }
  h.takeBytes();
  h.receive(reply(1, 5n, 0, bytes('/first')), int(1001));
  assert.equal(
    failures.map(({ path, code, oversizeReplyBytes }) => `${path} ${code} ${oversizeReplyBytes}`),
    ['/long CONNECTIONLOSS 1001', '/behind CONNECTIONLOSS undefined'],
  );
});

test.run();
