import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/client/zookeeper.js';
import { startBundled } from '../../support/bundled.js';
import { waitFor } from '../../support/wait-for.js';

test('a client reports its requests, bytes, states, and events', async () => {
  const server = await startBundled();
  const requests: string[] = [];
  const states: string[] = [];
  const events: string[] = [];
  const bytes = { sent: 0, received: 0 };
  let isTimed = true;
  const client = createClient({
    connectString: server.connectString,
    metrics: {
      request: (op, code, durationMs) => {
        requests.push(`${op} ${code}`);
        isTimed &&= durationMs > 0;
      },
      traffic: (direction, count) => {
        bytes[direction] += count;
      },
      state: (state) => states.push(state),
      event: (type) => events.push(type),
    },
  });
  try {
    await client.connect();
    await client.create('/a', 'x');
    await client.getData('/a', { watch: true });
    await client.delete('/missing').catch(() => undefined);
    await client.setData('/a', 'y');
    await waitFor('the event', () => events.length > 0);
  } finally {
    await client.close();
    await server.close();
  }
  assert.equal(requests, ['create2 OK', 'getData OK', 'delete NONODE', 'setData OK']);
  assert.equal(states, ['connected', 'closed']);
  assert.equal(events, ['NodeDataChanged']);
  assert.ok(isTimed);
  assert.ok(bytes.sent > 100 && bytes.received > 100, JSON.stringify(bytes));
});

test.run();
