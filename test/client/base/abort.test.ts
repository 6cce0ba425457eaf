import { getEventListeners } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { abortError, onAbort } from '../../../src/client/base/abort.js';

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

test('all who wait for a signal share one listener, and the last one removes it', () => {
  const stop = new AbortController();
  let called = 0;
  const listener = (): void => {
    called++;
  };
  const removals = Array.from({ length: 40 }, () => onAbort(stop.signal, listener));
  assert.is(listenersOf(stop.signal), 1);
  for (const remove of removals.slice(0, 30)) remove();
  assert.is(listenersOf(stop.signal), 1);
  stop.abort();
  assert.is(called, 10);
  for (const remove of removals) remove();
  assert.is(listenersOf(stop.signal), 0);
});

test('a signal without anyone who waits has no listener; an aborted one calls at once', () => {
  const stop = new AbortController();
  onAbort(stop.signal, () => assert.unreachable())();
  assert.is(listenersOf(stop.signal), 0);
  stop.abort();
  let called = 0;
  onAbort(stop.signal, () => called++);
  assert.is(called, 1);
});

test('the error of AbortSignal.timeout is that of a timeout, with its reason', () => {
  const reason = new DOMException('late', 'TimeoutError');
  const late = abortError('/a', reason, true);
  assert.equal([late.name, late.code, late.path], ['TimeoutError', 'ETIMEDOUT', '/a']);
  assert.is(late.cause, reason);
  const aborted = abortError('/a', 'enough', false);
  assert.equal([aborted.name, aborted.code, aborted.cause], ['AbortError', 'ABORT_ERR', 'enough']);
});

test.run();
