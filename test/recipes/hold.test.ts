import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { hold } from '../../src/recipes/base/hold.js';
import { Lock } from '../../src/recipes/locks/lock.js';
import { startBundled } from '../support/bundled.js';
import { watchProcess } from '../support/machine/watched-process.js';
import { FakeClient } from '../support/peers/fake-client.js';
import { waitFor } from '../support/wait-for.js';

const HOLDER = fileURLToPath(new URL('stopped-holder.js', import.meta.url));

async function holding(): Promise<{ client: FakeClient; lost: AbortSignal; stop: () => void }> {
  const client = new FakeClient();
  await client.connect();
  await client.create('/held');
  const { signal: lost, stop } = await hold({ client, path: '/held' });
  return { client, lost, stop };
}

test('a hold is lost at once when no server has answered for five sixths of the timeout', async () => {
  const { client, lost } = await holding();
  client.silentMs = (client.sessionTimeoutMs * 5) / 6;
  client.setState('disconnected');
  assert.ok(lost.aborted);
  assert.is(lost.reason.code, 'ELOST');
});

test('a hold outlives a connection that was lost early, if a server answers again', async () => {
  const { client, lost, stop } = await holding();
  client.silentMs = 1;
  client.setState('disconnected');
  client.setState('connected');
  assert.not(lost.aborted);
  stop();
});

test('a stopped process learns of the lost lock before it reads any event', async () => {
  const server = await startBundled({ config: { tickTime: '200' } });
  const other = createClient({ connectString: server.connectString });
  const holder = watchProcess(spawn(process.execPath, [HOLDER, server.connectString]));
  try {
    await other.connect();
    await waitFor('the lock', () => holder.output().includes('holds\n'));
    holder.process.kill('SIGSTOP');
    // The watch fires: its event waits in the socket until the process continues.
    await other.setData('/watched', 'changed');
    const held = await new Lock(other, '/lock').acquire();
    holder.process.kill('SIGCONT');
    await waitFor('what the holder hears', () => holder.output().includes('lost'));
    assert.is(holder.output(), 'holds\nlost\n');
    await held.release();
  } finally {
    holder.process.kill('SIGKILL');
    await holder.ended;
    await other.close();
    await server.close();
  }
});

test.run();
