import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorCode, retry, ZooKeeperError } from '../../../src/client/index.js';

const QUICK = { firstDelayMs: 0 };

/** Work that fails with these errors, one after the other, and then succeeds. */
function failing(...errors: Error[]): { work: () => Promise<string>; runs: () => number } {
  let runs = 0;
  const work = async (): Promise<string> => {
    const error = errors[runs++];
    if (error !== undefined) throw error;
    return 'done';
  };
  return { work, runs: () => runs };
}

const unsent = new ZooKeeperError(ErrorCode.CONNECTIONLOSS, '/a', { hasUnknownOutcome: false });
const lost = new ZooKeeperError(ErrorCode.CONNECTIONLOSS, '/a');
const busy = new ZooKeeperError(ErrorCode.THROTTLEDOP, '/a');
const tooLong = new ZooKeeperError(ErrorCode.CONNECTIONLOSS, '/a', { oversizeReplyBytes: 5 });
const refused = new ZooKeeperError(ErrorCode.NONODE, '/a');

test('work is repeated when it did not happen', async () => {
  const { work, runs } = failing(unsent, busy);
  assert.is(await retry(work, QUICK), 'done');
  assert.is(runs(), 3);
});

test('work that may have happened is repeated only if it is idempotent', async () => {
  const once = failing(lost);
  assert.is(await retry(once.work, QUICK).catch((error) => error), lost);
  const again = failing(lost, lost);
  assert.is(await retry(again.work, { ...QUICK, isIdempotent: true }), 'done');
  assert.is(again.runs(), 3);
});

test('a refusal, a reply that is too long, and any other error are final', async () => {
  for (const error of [refused, tooLong, new Error('a bug')]) {
    const { work, runs } = failing(error);
    assert.is(
      await retry(work, { ...QUICK, isIdempotent: true }).catch((failure) => failure),
      error,
    );
    assert.is(runs(), 1);
  }
});

test('the number of attempts is bounded', async () => {
  const { work, runs } = failing(unsent, unsent, unsent, unsent);
  assert.is(await retry(work, { ...QUICK, attempts: 3 }).catch((error) => error), unsent);
  assert.is(runs(), 3);
});

test('no attempt begins after the total time', async () => {
  const { work, runs } = failing(unsent, unsent);
  const policy = { firstDelayMs: 1000, longestDelayMs: 1000, totalMs: 400 };
  assert.is(await retry(work, policy).catch((error) => error), unsent);
  assert.is(runs(), 1);
});

test('a signal ends the pause, and the error tells whether the work may have happened', async () => {
  const control = new AbortController();
  const { work } = failing(unsent, unsent);
  const ended = retry(work, {
    firstDelayMs: 60_000,
    longestDelayMs: 60_000,
    signal: control.signal,
  });
  control.abort('enough');
  const error = await ended.catch((failure) => failure);
  assert.equal([error.name, error.cause, error.hasUnknownOutcome], ['AbortError', 'enough', false]);
});

test('work does not begin with an aborted signal', async () => {
  const { work, runs } = failing();
  const error = await retry(work, { signal: AbortSignal.abort('enough') }).catch((e) => e);
  assert.equal([error.code, error.cause, runs()], ['ABORT_ERR', 'enough', 0]);
});

test.run();
