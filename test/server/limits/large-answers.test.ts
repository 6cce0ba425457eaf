import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/client/zookeeper.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import { startServer } from '../../../src/server/main.js';

const LENGTH = 1_000_000;

test('a pipeline of reads is answered for any size of answers', async () => {
  const server = await startServer();
  const client = createClient({ connectString: server.connectString });
  try {
    await client.connect();
    await client.create('/large', Buffer.alloc(LENGTH, 'x'));
    const count = Math.ceil((1.5 * LIMITS.unreadBytes.value) / LENGTH);
    const read = () => Array.from({ length: count }, () => client.getData('/large'));
    for (const { data } of await Promise.all(read())) assert.is(data?.length, LENGTH);
    const write = client.create('/before-the-reads');
    for (const { data } of await Promise.all(read())) assert.is(data?.length, LENGTH);
    assert.is((await write).path, '/before-the-reads');
  } finally {
    await client.close();
    await server.close();
  }
});

test.run();
