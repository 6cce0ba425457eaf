/** A server that refuses a session: the error and its text. */
import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../support/machine/free-port.js';
import { runZksh } from '../support/terminal/run-zksh.js';
import { PASSWORD, SessionHarness, welcome } from './session-harness.js';

test('a session that a server refuses does not count as expired', () => {
  const fresh = new SessionHarness();
  fresh.session.start(0);
  fresh.session.handleConnected(0);
  fresh.receive(welcome({ timeoutMs: 0 }));
  assert.match(fresh.takeLog().join(), 'state expired: a:1 opened no session');
  const given = new SessionHarness({ session: { id: 0x55n, password: Buffer.from(PASSWORD) } });
  given.session.start(0);
  given.session.handleConnected(0);
  given.receive(welcome({ timeoutMs: 0 }));
  const said = 'a:1 refused session 0x55: it expired, or its password is wrong';
  assert.match(given.takeLog().join(), `state expired: ${said}`);
});

test('zksh does not report an expired session that never existed', async () => {
  const port = await freePort();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(welcome({ timeoutMs: 0, sessionId: 0n })));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  try {
    const { stderr, code } = await runZksh([`127.0.0.1:${port}`, '-c', 'get /a']);
    assert.match(stderr, `127.0.0.1:${port} opened no session`);
    assert.not.match(stderr, 'expired');
    assert.is(code, 3);
  } finally {
    server.close();
  }
});

test.run();
