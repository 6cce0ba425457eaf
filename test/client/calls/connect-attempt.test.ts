import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConnectError } from '../../../src/client/base/errors.js';
import { ConnectAttempt } from '../../../src/client/calls/connect-attempt.js';

function makeAttempt(timeoutMs: number): { attempt: ConnectAttempt; calls: string[] } {
  const calls: string[] = [];
  const attempt = new ConnectAttempt({
    timeoutMs,
    start: () => calls.push('start'),
    failedAttempts: () => [
      { server: 'a:1', code: 'ECONNREFUSED', reason: 'a:1 refused the connection' },
    ],
    giveUp: () => calls.push('give up'),
  });
  return { attempt, calls };
}

async function failureOf(promise: Promise<void>): Promise<unknown> {
  return promise.then(
    () => 'success',
    (error: unknown) => error,
  );
}

test('it starts once, and every call waits for the same connection', async () => {
  const { attempt, calls } = makeAttempt(60_000);
  const first = attempt.begin();
  assert.is(attempt.begin(), first);
  attempt.succeed();
  await first;
  assert.equal(calls, ['start']);
});

test('it gives up after its timeout, and reports why each server failed', async () => {
  const { attempt, calls } = makeAttempt(1);
  const failure = await failureOf(attempt.begin());
  assert.ok(failure instanceof ConnectError);
  assert.is(
    failure.message,
    'no server accepted the session within 1 ms: a:1 refused the connection',
  );
  assert.equal(failure.attempts, [
    { server: 'a:1', code: 'ECONNREFUSED', reason: 'a:1 refused the connection' },
  ]);
  assert.equal(calls, ['start', 'give up']);
});

test('a closed client does not connect again', async () => {
  const { attempt, calls } = makeAttempt(60_000);
  attempt.abandon(undefined);
  const failure = await failureOf(attempt.begin());
  assert.ok(failure instanceof ConnectError);
  assert.match(failure.message, 'the client was closed before');
  assert.equal(calls, []);
});

test('a connection that is lost later does not count as a failure to connect', async () => {
  const { attempt } = makeAttempt(60_000);
  const connected = attempt.begin();
  attempt.succeed();
  attempt.abandon(undefined);
  assert.is(await failureOf(connected), 'success');
});

test.run();
