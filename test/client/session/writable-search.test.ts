import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/client/zookeeper.js';
import { type FakeMember, startFake } from '../../support/peers/fake-member.js';
import { waitFor } from '../../support/wait-for.js';
import { welcome } from '../session-harness.js';

/** A server in one mode, which answers isro and gives sessions. */
function startMember(mode: () => 'ro' | 'rw'): Promise<FakeMember> {
  return startFake((socket: Socket, word) => {
    if (word === 'isro') socket.end(mode());
    else socket.write(welcome({ isReadOnly: mode() === 'ro', timeoutMs: 60_000 }));
  });
}

test('a read-only session looks for a writable server, and moves to it', async () => {
  let mode: 'ro' | 'rw' = 'ro';
  const [first, second] = [await startMember(() => 'ro'), await startMember(() => mode)];
  const client = createClient({
    connectString: `127.0.0.1:${first.port},127.0.0.1:${second.port}`,
    shouldShuffle: false,
    canBeReadOnly: true,
  });
  const states: string[] = [];
  client.on('state', (state, reason) => states.push(`${state} ${reason?.message ?? ''}`.trim()));
  try {
    await client.connect();
    assert.is(client.state, 'connected-readonly');
    mode = 'rw';
    await waitFor('the writable server', () => client.state === 'connected');
    assert.is(client.server, `127.0.0.1:${second.port}`);
    assert.equal(states, [
      'connected-readonly',
      `disconnected 127.0.0.1:${second.port} is writable`,
      'connected',
    ]);
  } finally {
    await first.close();
    await second.close();
    await client.close();
  }
});

test('a session that is closed stops looking', async () => {
  const member = await startMember(() => 'ro');
  const client = createClient({
    connectString: `127.0.0.1:${member.port}`,
    canBeReadOnly: true,
  });
  await client.connect();
  await member.close();
  await client.close();
  assert.is(client.state, 'closed');
});

test.run();
