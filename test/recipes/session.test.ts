import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientState } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import { watchSession } from '../../src/recipes/base/session.js';

test('session listeners share one listener of the client, and each can be removed', async () => {
  const client = createClient({ connectString: '127.0.0.1:1' });
  const on = client.on.bind(client);
  let onClient = 0;
  client.on = (event, listener) => {
    onClient++;
    return on(event, listener);
  };
  const heard: [number, ClientState][] = [];
  const stops = Array.from({ length: 20 }, (_, i) =>
    watchSession(client, (state) => heard.push([i, state])),
  );
  for (const stop of stops.slice(2)) stop();
  await client.close();
  assert.is(onClient, 1);
  assert.equal(heard, [
    [0, 'closed'],
    [1, 'closed'],
  ]);
});

test.run();
