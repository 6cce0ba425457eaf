import { getEventListeners } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionClient } from '../../../src/client/base/client.js';
import { RequestAbortedError, ZooKeeperError } from '../../../src/client/base/errors.js';
import { createClient } from '../../../src/client/zookeeper.js';
import { FrameSplitter, xidOf } from '../../support/bytes/zk-frames.js';
import { startFake } from '../../support/peers/fake-member.js';
import { waitFor } from '../../support/wait-for.js';
import { bytes, reply, stat, welcome } from '../session-harness.js';

/** A client of a server that answers a request only when the test says so. */
async function withSlow(
  run: (zk: SessionClient, asked: readonly number[], answer: () => void) => Promise<void>,
): Promise<void> {
  const asked: number[] = [];
  const answers: (() => void)[] = [];
  const server = await startFake((socket) => {
    socket.write(welcome({ timeoutMs: 30_000 }));
    const frames = new FrameSplitter();
    socket.on('data', (chunk) => {
      for (const frame of frames.push(chunk)) {
        asked.push(xidOf(frame));
        answers.push(() => socket.write(reply(xidOf(frame), 1n, 0, bytes('x'), stat())));
      }
    });
  });
  const zk = createClient({ connectString: `127.0.0.1:${server.port}` });
  const answer = () => {
    for (const each of answers.splice(0)) each();
  };
  try {
    await zk.connect();
    await run(zk, asked, answer);
  } finally {
    await server.close();
    await zk.close();
  }
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.unreachable('it must fail'),
    (error: unknown) => error,
  );

test('a signal ends a request on the wire; later ones get their own replies', () =>
  withSlow(async (zk, asked, answer) => {
    const control = new AbortController();
    const first = failure(zk.setData('/a', 'x', -1, { signal: control.signal }));
    const second = zk.getData('/b');
    await waitFor('the requests', () => asked.length === 2);
    control.abort(new Error('enough'));
    const error = await first;
    assert.instance(error, RequestAbortedError);
    const { name, code, message, path, hasUnknownOutcome, cause } = error as RequestAbortedError;
    assert.equal([name, code, path, hasUnknownOutcome], ['AbortError', 'ABORT_ERR', '/a', true]);
    assert.is(message, 'the request for /a was aborted after it was sent');
    assert.is((cause as Error).message, 'enough');
    answer();
    assert.is(String((await second).data), 'x');
    assert.is(getEventListeners(control.signal, 'abort').length, 0);
  }));

test('a signal that is already aborted sends nothing', () =>
  withSlow(async (zk, asked) => {
    const signal = AbortSignal.abort('no');
    for (const call of [
      () => zk.create('/a', 'x', { signal }),
      () => zk.delete('/a', 3, { signal }),
      () => zk.exists('/a', { signal }),
      () => zk.multi([{ op: 'delete', path: '/a' }], { signal }),
      () => zk.addAuth('digest', 'a:b', { signal }),
      () => zk.whoAmI({ signal }),
    ]) {
      const error = await failure(call());
      assert.instance(error, RequestAbortedError);
      assert.is((error as RequestAbortedError).hasUnknownOutcome, false);
      assert.is((error as RequestAbortedError).cause, 'no');
    }
    assert.equal(asked, []);
  }));

test('a timeout of one call is its own, and tells that the request was sent', () =>
  withSlow(async (zk, asked, answer) => {
    const slow = zk.getData('/slow');
    const error = await failure(zk.getData('/a', { timeoutMs: 1 }));
    assert.instance(error, ZooKeeperError);
    const { code, path, hasUnknownOutcome } = error as ZooKeeperError;
    assert.equal([code, path, hasUnknownOutcome], ['ETIMEDOUT', '/a', true]);
    await waitFor('both requests', () => asked.length === 2);
    answer();
    assert.is(String((await slow).data), 'x');
  }));

test('a call that ends leaves no listener and no timer', () =>
  withSlow(async (zk, asked, answer) => {
    const { signal } = new AbortController();
    const call = zk.getData('/a', { signal, timeoutMs: 100_000 });
    assert.is(getEventListeners(signal, 'abort').length, 1);
    await waitFor('the request', () => asked.length === 1);
    answer();
    await call;
    assert.is(getEventListeners(signal, 'abort').length, 0);
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
    assert.ok(timers.length <= 1, 'only the timer of the session is left');
  }));

test('a request that waits for a connection is aborted, and never sent', async () => {
  const zk = createClient({ connectString: '127.0.0.1:1' });
  const control = new AbortController();
  const asked = failure(zk.setData('/a', 'x', -1, { signal: control.signal }));
  control.abort();
  const error = await asked;
  assert.instance(error, RequestAbortedError);
  assert.is((error as RequestAbortedError).hasUnknownOutcome, false);
  assert.is((error as Error).message, 'the request for /a was aborted before it was sent');
  const late = await failure(zk.getData('/a', { timeoutMs: 1 }));
  assert.equal(
    [(late as ZooKeeperError).code, (late as ZooKeeperError).hasUnknownOutcome],
    ['ETIMEDOUT', false],
  );
  await zk.close();
});

test('connect ends with its signal, and the client with it', async () => {
  const server = await startFake(() => undefined);
  const zk = createClient({ connectString: `127.0.0.1:${server.port}` });
  const control = new AbortController();
  try {
    const connecting = failure(zk.connect({ signal: control.signal }));
    control.abort('stop');
    const error = await connecting;
    assert.instance(error, RequestAbortedError);
    assert.is((error as RequestAbortedError).cause, 'stop');
    await zk.close();
    assert.is(zk.state, 'closed');
    assert.is(getEventListeners(control.signal, 'abort').length, 0);
  } finally {
    await server.close();
  }
});

test.run();
