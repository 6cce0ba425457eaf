import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import {
  type RequestThrottleOptions,
  RequestThrottler,
} from '../../../src/server/limits/request-throttler.js';

interface Client {
  phase: string;
  session: { timeoutMs: number } | null;
}

const OPTIONS: RequestThrottleOptions = {
  maxRequests: 3,
  // The keys request_throttle_drop_stale, request_stale_connection_check, and
  // request_stale_latency_check.
  isStaleDropped: true,
  isConnectionChecked: true,
  isLatencyChecked: false,
  throttledOpWaitMs: 0,
};

function make(options: Partial<RequestThrottleOptions> = {}): RequestThrottler<Client> {
  return new RequestThrottler({ ...OPTIONS, ...options });
}

function open(): Client {
  return { phase: 'open', session: { timeoutMs: 1000 } };
}

function frame(type: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(type, 4);
  return bytes;
}

const SET = frame(OpCode.setData);

test('0 throttles nothing', () => {
  assert.not.ok(make({ maxRequests: 0 }).holds(1_000_000));
});

test('a request waits while the pipeline is full, after those already waiting', () => {
  const throttler = make();
  assert.not.ok(throttler.holds(2));
  assert.ok(throttler.holds(3));
  throttler.push(open(), SET, 0);
  assert.ok(throttler.holds(0), 'nobody overtakes');
  assert.is(throttler.next(3, 5), undefined);
  assert.is(throttler.next(2, 5)?.kind, 'serve');
  assert.not.ok(throttler.holds(0));
  assert.is(throttler.next(0, 5), undefined);
});

test('a request of a closed connection is dropped even while the pipeline is full', () => {
  const gone = { ...open(), phase: 'closed' };
  const throttler = make();
  throttler.push(gone, SET, 0);
  throttler.push(gone, frame(OpCode.closeSession), 0);
  assert.is(throttler.next(3, 0)?.kind, 'drop');
  assert.is(throttler.next(3, 0), undefined, 'closeSession waits as others do');
  assert.is(throttler.next(0, 0)?.kind, 'serve');
  for (const options of [{ isStaleDropped: false }, { isConnectionChecked: false }]) {
    const lenient = make(options);
    lenient.push(gone, SET, 0);
    assert.is(lenient.next(0, 0)?.kind, 'serve');
  }
});

test('by latency a request is stale when its session could be over', () => {
  const throttler = make({ isLatencyChecked: true });
  throttler.push(open(), SET, 0);
  throttler.push(open(), SET, 0);
  assert.is(throttler.next(0, 1000)?.kind, 'serve');
  assert.is(throttler.next(0, 1001)?.kind, 'drop');
});

test('requests that waited too long are refused, except pings and closeSession', () => {
  const throttler = make({ throttledOpWaitMs: 50 });
  for (const type of [OpCode.setData, OpCode.getData, OpCode.ping, OpCode.closeSession]) {
    throttler.push(open(), frame(type), 0);
  }
  assert.is(throttler.next(0, 50)?.kind, 'serve');
  assert.is(throttler.next(0, 51)?.kind, 'refuse');
  assert.is(throttler.next(0, 51)?.kind, 'serve');
  assert.is(throttler.next(0, 51)?.kind, 'serve');
});

test.run();
