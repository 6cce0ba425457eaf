import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Pacer } from '../../../src/client/znodes/pace.js';
import { walk, walkTree } from '../../../src/client/znodes/walk.js';
import { FakeClient } from '../../support/peers/fake-client.js';
import { makeShellWorld } from '../../support/terminal/shell-world.js';

/** A clock that advances with each sleep. Each sleep ends when earlier ones have ended. */
function handClock(startMs: number) {
  const sleeps: number[] = [];
  let nowMs = startMs;
  return {
    sleeps,
    advance: (ms: number) => {
      nowMs += ms;
    },
    clock: {
      now: () => nowMs,
      sleep: async (ms: number) => void sleeps.push(ms),
    },
  };
}

test('the first request passes at once, and each further one after its interval', async () => {
  const { clock, sleeps, advance } = handClock(1000);
  const pacer = new Pacer({ perSecond: 100 }, undefined, clock);
  await pacer.turn();
  assert.equal(sleeps, []);
  await pacer.turn();
  await pacer.turn(2);
  await pacer.turn();
  assert.equal(sleeps, [10, 20, 40]);
  // Unused intervals do not accumulate.
  advance(1_000_000);
  await pacer.turn();
  await pacer.turn();
  assert.equal(sleeps, [10, 20, 40, 10]);
});

test('an interrupt ends the wait', async () => {
  const abort = new AbortController();
  const pacer = new Pacer({ perSecond: 0.001 }, abort.signal);
  await pacer.turn();
  const waiting = pacer.turn();
  abort.abort();
  await waiting.then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.name, 'AbortError'),
  );
});

test('a walk waits before it sends each request', async () => {
  const client = new FakeClient();
  await client.create('/t');
  for (let i = 0; i < 5; i++) await client.create(`/t/${i}`);
  client.calls.length = 0;
  let passed = 0;
  const { signal } = new AbortController();
  const pace = async (requests: number) => {
    passed += requests;
    assert.ok(client.calls.length < passed);
  };
  const read = (path: string) => client.getData(path);
  for await (const _ of walkTree(client, '/t', { signal, pace, read })) assert.ok(passed > 0);
  assert.is(passed, 12);
  assert.is(client.calls.length, 12);
});

test('an abort of the caller ends a walk that waits for an answer', async () => {
  const client = new FakeClient();
  await client.create('/t');
  const stop = new AbortController();
  client.getChildren = (_path, { signal } = {}) =>
    new Promise((_, reject) => {
      if (signal?.aborted === true) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  const walking = walk(client, '/t', { signal: stop.signal }).next();
  stop.abort(new Error('enough'));
  await walking.then(
    () => assert.unreachable(),
    (error: Error) => assert.equal([error.name, error.cause], ['AbortError', stop.signal.reason]),
  );
});

test('every walk takes --rate', async () => {
  const world = makeShellWorld();
  await world.run('create /a/b');
  for (const line of ['ls -R', 'tree', 'find', 'grep x', 'du', 'hot']) {
    const { error } = await world.runFully(`${line} --rate 100000 /a`);
    assert.is(error, undefined, line);
  }
  assert.is((await world.runFully('ls --rate 10 /a')).error?.exitCode, 64);
  assert.is((await world.runFully('du --rate 0 /a')).error?.exitCode, 64);
});

test.run();
