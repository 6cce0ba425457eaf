// How to test an application with node:test: one server for each test, in this process and in
// memory, and control.… to make it unwell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getValue, jsonCodec, openTreeCache } from 'zksh/client';
import { startServer } from 'zksh/server';
import { Worker } from './worker.js';

test('two workers share the tasks, and each task is counted once', async () => {
  const server = await startServer();
  const alice = new Worker(server.connectString, 'alice');
  const bob = new Worker(server.connectString, 'bob');
  await Promise.all([alice.start(), bob.start()]);
  const cache = await openTreeCache(alice.client, '/jobs/workers');
  assert.deepEqual(cache.children('/jobs/workers'), ['alice', 'bob']);

  const stop = new AbortController();
  const both = [alice.run(stop.signal), bob.run(stop.signal)];
  for (let i = 0; i < 20; i++) await alice.submit({ id: `t${i}`, size: 2 });
  for await (const change of alice.client.watch('/jobs/done')) {
    const { value } = await getValue<{ done: number }>(alice.client, '/jobs/done', jsonCodec());
    assert.ok(change.type === 'Gap' || change.type === 'NodeDataChanged');
    if (value.done === 40) break;
  }
  stop.abort();
  const ids = (await Promise.all(both)).flat();
  assert.equal(new Set(ids).size, 20);
  assert.ok((await alice.report('40')) < (await bob.report('40 again')));

  await cache.close();
  await Promise.all([alice.close(), bob.close()]);
  await server.close();
});

test('a worker survives a lost connection', async () => {
  const server = await startServer();
  const worker = new Worker(server.connectString, 'alice');
  await worker.start();
  const isBack = new Promise<void>((resolve) => worker.client.on('connected', () => resolve()));
  server.control.cut();
  await isBack;
  await worker.submit({ id: 'a', size: 1 });
  assert.deepEqual(worker.states, ['connected', 'disconnected', 'connected']);
  await worker.close();
  await server.close();
});

test('a worker whose session has expired stops', async () => {
  const server = await startServer();
  const worker = new Worker(server.connectString, 'alice');
  await worker.start();
  const run = worker.run(new AbortController().signal);
  server.control.expireSession(worker.client.sessionId);
  assert.deepEqual(await run, []);
  assert.equal(worker.states.at(-1), 'expired');
  await worker.close();
  await server.close();
});
