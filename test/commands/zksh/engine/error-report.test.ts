import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../../src/server/main.js';
import { startStrictRelay } from '../../../support/peers/strict-relay.js';
import { makeServedShell } from '../../../support/terminal/served-shell.js';

for (const isStrict of [false, true]) {
  const how = isStrict ? 'closes the connection' : 'answers';
  test(`the error for a znode that is too large names jute.maxbuffer: a server that ${how}`, async () => {
    const server = await startServer();
    const relay = await startStrictRelay(server.port);
    const target = isStrict ? `127.0.0.1:${relay.port}` : server.connectString;
    const shell = makeServedShell(target, 'builtin', { input: Buffer.alloc(1_100_000, 'a') });
    try {
      const { error } = await shell.fully('create /big -');
      assert.is(
        error?.sentence,
        isStrict
          ? `${target}: connection lost: the create request of 1,100,051 bytes exceeds jute.maxbuffer (default 1,048,575)`
          : `${target}: the create request of 1,100,051 bytes exceeds the server's jute.maxbuffer`,
      );
      assert.is(
        error?.hint,
        'store less data in one znode, or raise jute.maxbuffer on every server',
      );
      assert.is(error?.exitCode, isStrict ? 3 : 1);
    } finally {
      await shell.close();
      await relay.close();
      await server.close();
    }
  });
}

test.run();
