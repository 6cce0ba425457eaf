import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../../src/server/main.js';
import { makeServedShell } from '../../../support/terminal/served-shell.js';

test('the error for a znode that is too large names jute.maxbuffer, not only the lost connection', async () => {
  const server = await startServer();
  const shell = makeServedShell(server.connectString, 'builtin', {
    input: Buffer.alloc(1_100_000, 'a'),
  });
  try {
    const { error } = await shell.fully('create /big -');
    assert.is(
      error?.sentence,
      `${server.connectString}: connection lost: the create request of 1,100,051 bytes ` +
        'exceeds jute.maxbuffer (default 1,048,575)',
    );
    assert.is(error?.hint, 'store less data in one znode, or raise jute.maxbuffer on every server');
    assert.is(error?.exitCode, 3);
  } finally {
    await shell.close();
    await server.close();
  }
});

test.run();
