// The same with Vitest: npx vitest run worker.vitest

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from 'zksh/client';
import { type RunningServer, startServer } from 'zksh/server';
import { Worker } from './worker.js';

let server: RunningServer;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

test('a worker registers, and is gone when its session has ended', async () => {
  const worker = new Worker(server.connectString, 'alice');
  const client = createClient({ connectString: server.connectString });
  await Promise.all([worker.start(), client.connect()]);
  expect((await client.getChildren('/jobs/workers')).children).toEqual(['alice']);
  server.control.expireSession(worker.client.sessionId);
  for await (const change of client.watch('/jobs/workers/alice')) {
    if (change.type === 'NodeDeleted' || !(await client.exists('/jobs/workers/alice'))) break;
  }
  expect((await client.getChildren('/jobs/workers')).children).toEqual([]);
  await worker.close();
  await client.close();
});
