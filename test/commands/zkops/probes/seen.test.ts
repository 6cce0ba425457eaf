import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeperError } from '../../../../src/client/base/errors.js';
import { NotSeenError, seenWithin } from '../../../../src/commands/zkops/probes/seen.js';
import { ErrorCode } from '../../../../src/protocol/error-code.js';

/** Fails with each of the errors in turn, then succeeds. */
function reads(...errors: readonly Error[]) {
  let done = 0;
  return {
    read: async () => {
      const error = errors[done++];
      if (error !== undefined) throw error;
    },
    count: () => done,
  };
}

async function failureOf(promise: Promise<void>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('a member that lags by one write is checked again', async () => {
  const { read, count } = reads(
    new NotSeenError('not yet'),
    new ZooKeeperError(ErrorCode.NONODE, '/a'),
  );
  await seenWithin(60_000, read);
  assert.is(count(), 3);
});

test('a timeout ends with the last error', async () => {
  const error = new NotSeenError('not yet');
  const read = () => Promise.reject(error);
  assert.is(await failureOf(seenWithin(20, read)), error);
});

test('a lost connection is reported at once', async () => {
  const error = new ZooKeeperError(ErrorCode.CONNECTIONLOSS);
  const { read, count } = reads(error, error);
  assert.is(await failureOf(seenWithin(60_000, read)), error);
  assert.is(count(), 1);
});

test.run();
