// A process that holds a lock, watches a znode, and reports what it hears: a test stops it.
import { writeSync } from 'node:fs';
import { createClient } from '../../src/client/zookeeper.js';
import { Lock } from '../../src/recipes/locks/lock.js';

const client = createClient({
  connectString: process.argv[2] ?? '',
  sessionTimeoutMs: 800,
});
await client.connect();
const say = (text: string) => writeSync(1, `${text}\n`);
await client.create('/watched');
const held = await new Lock(client, '/lock').acquire();
await client.getData('/watched', { watch: () => say('heard an event') });
held.signal.addEventListener('abort', () => {
  say('lost');
  process.exit();
});
say('holds');
